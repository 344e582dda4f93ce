import type { Json } from "../object/object.ts";
import { deepFreeze } from "../object/freeze.ts";
import { type JsonSchema, itemSchema } from "./json-schema.ts";

/** The structure of a schema, without its value validations: what pruning, defaulting and metadata checks walk along. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** `anything`: keys are allowed but nothing is known about their values. */
  readonly additional: SchemaNode | "anything" | undefined;
  readonly items: SchemaNode | undefined;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly nullable: boolean;
  /** Frozen; undefined when there is none (a null default is none). */
  readonly defaultValue: Json | undefined;
  /** Whether this node or one below it has a default, is an embedded resource, is a set or map list. */
  readonly below: { readonly defaults: boolean; readonly embedded: boolean; readonly listTypes: boolean };
}

export function schemaNode(schema: JsonSchema): SchemaNode {
  const properties = new Map<string, SchemaNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties.set(name, schemaNode(property));
  }
  const { additionalProperties: extra } = schema;
  const items = itemSchema(schema);
  const additional =
    typeof extra === "object" ? schemaNode(extra) : extra === undefined ? undefined : "anything";
  const item = items === undefined ? undefined : schemaNode(items);
  const defaultValue = schema.default ?? undefined;
  const children = [...properties.values()];
  if (typeof additional === "object") children.push(additional);
  if (item !== undefined) children.push(item);
  const listType = schema["x-kubernetes-list-type"];
  const embedded = schema["x-kubernetes-embedded-resource"] === true;
  return {
    schema,
    properties,
    additional,
    items: item,
    preserveUnknown: schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded,
    nullable: schema.nullable === true,
    defaultValue: defaultValue === undefined ? undefined : (deepFreeze(defaultValue) as Json),
    below: {
      defaults: defaultValue !== undefined || children.some((c) => c.below.defaults),
      embedded: embedded || children.some((c) => c.below.embedded),
      listTypes: listType === "set" || listType === "map" || children.some((c) => c.below.listTypes),
    },
  };
}

/** The schema of a field: undefined when the field is unknown or nothing is known about its value. */
export function fieldNode(node: SchemaNode | undefined, name: string): SchemaNode | undefined {
  const property = node?.properties.get(name);
  if (property !== undefined) return property;
  return typeof node?.additional === "object" ? node.additional : undefined;
}
