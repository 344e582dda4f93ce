/** Types of the built-in kinds as structural schemas, so that custom kinds can hold them. */
import { builtinDefinition } from "../builtin/definitions.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { quantitySchema } from "./quantity-schema.ts";

const special: Readonly<Record<string, () => JsonSchema>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": () => quantitySchema,
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": () => ({
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
  }),
  "io.k8s.apimachinery.pkg.runtime.RawExtension": () => openObject,
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": () => openObject,
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": () => embeddedMetadata,
};

const openObject: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** What of an object's metadata makes sense inside of another object; the API server would drop what is not named. */
const embeddedMetadata: JsonSchema = {
  type: "object",
  properties: {
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    name: { type: "string" },
    namespace: { type: "string" },
  },
};

/**
 * The structural schema of a built-in type by the name of its OpenAPI definition.
 * @throws Error for a name that is not there, and for the few types that contain themselves
 */
export function builtinStructural(name: string): JsonSchema {
  return definitionSchema(name, []);
}

function definitionSchema(name: string, open: readonly string[]): JsonSchema {
  const known = special[name];
  if (known !== undefined) return known();
  if (open.includes(name)) throw new Error(`${name} contains itself, which no structural schema can`);
  const definition = builtinDefinition(name);
  if (definition === undefined) throw new Error(`no type ${name} among the built-in kinds`);
  return structural(definition, [...open, name]);
}

const kept = [
  "type",
  "format",
  "default",
  "enum",
  "required",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
] as const satisfies readonly (keyof JsonSchema)[];

function structural(schema: JsonSchema, open: readonly string[]): JsonSchema {
  const own = Object.fromEntries(
    kept.flatMap((keyword) => (schema[keyword] === undefined ? [] : [[keyword, schema[keyword]]])),
  ) as JsonSchema;
  if (schema.$ref !== undefined) {
    return { ...definitionSchema(schema.$ref.replace(/^#\/definitions\//, ""), open), ...own };
  }
  if (schema.properties !== undefined) {
    own.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, structural(property, open)]),
    );
  }
  if (typeof schema.additionalProperties === "object") {
    own.additionalProperties = structural(schema.additionalProperties, open);
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) own.items = structural(schema.items, open);
  requireMapKeys(own);
  const isOpen =
    own.type === "object" && own.properties === undefined && own.additionalProperties === undefined;
  return isOpen || own.type === undefined ? { ...own, "x-kubernetes-preserve-unknown-fields": true } : own;
}

/**
 * A key of a list must be required or have a default. Where a built-in type says neither, its server fills it in by code: only
 * `protocol` does, with TCP. Other lists are left to one owner.
 */
function requireMapKeys(list: JsonSchema): void {
  const keys = list["x-kubernetes-list-map-keys"];
  const items = list.items as JsonSchema | undefined;
  if (keys === undefined || items?.properties === undefined) return;
  const { protocol } = items.properties;
  if (keys.includes("protocol") && protocol !== undefined && protocol.default === undefined) {
    items.properties["protocol"] = { ...protocol, default: "TCP" };
  }
  const bound = (key: string): boolean =>
    items.required?.includes(key) === true || items.properties?.[key]?.default !== undefined;
  if (keys.every(bound)) return;
  delete list["x-kubernetes-list-map-keys"];
  list["x-kubernetes-list-type"] = "atomic";
}
