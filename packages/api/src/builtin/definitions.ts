import type { GroupVersionKind } from "../discovery/api-resource.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { definitionSources } from "./definition-sources.ts";

/**
 * The OpenAPI definitions of the built-in kinds. They lie as JSON text per group and version, and each text is parsed when one
 * of its definitions is first asked for: a server that never serves `resource.k8s.io/v1beta1` does not pay for it.
 */

/** A definition as the OpenAPI v2 document holds it. */
export type BuiltinDefinition = JsonSchema & {
  readonly "x-kubernetes-group-version-kind"?: readonly GroupVersionKind[];
};

const parsed = new Map<string, Readonly<Record<string, BuiltinDefinition>>>();
const linked = new Map<string, JsonSchema>();

/** One OpenAPI definition by its name (`io.k8s.api.apps.v1.Deployment`), with `$ref`s `#/definitions/NAME`. Frozen. */
export function builtinDefinition(name: string): BuiltinDefinition | undefined {
  return definitionsOf(moduleOf(name))?.[name];
}

/** Name of the definition of a kind: `{ apps, v1, Deployment }` is `io.k8s.api.apps.v1.Deployment`. */
export function builtinDefinitionName(kind: GroupVersionKind): string | undefined {
  const name = `${packageOf(kind.group)}.${kind.version}.${kind.kind}`;
  return builtinDefinition(name) === undefined ? undefined : name;
}

/**
 * The schema of a built-in kind with every `$ref` replaced by the schema it names, with patch merge keys, list types and map
 * types: what strategic merge, apply and validation take. Shared and frozen: two fields of one type hold the same schema, and
 * JSONSchemaProps holds itself, so do not walk it without an object beside it.
 */
export function builtinSchema(kind: GroupVersionKind): JsonSchema | undefined {
  const name = builtinDefinitionName(kind);
  return name === undefined ? undefined : linkedDefinition(name);
}

/** The same for any definition by name: `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`. */
export function linkedDefinition(name: string): JsonSchema {
  const known = linked.get(name);
  if (known !== undefined) return known;
  const definition = builtinDefinition(name);
  if (definition === undefined) throw new Error(`no definition ${name} among the built-in kinds`);
  const schema: JsonSchema = {};
  // Registered before it is filled, so that a definition that reaches itself finds itself.
  linked.set(name, schema);
  Object.assign(schema, linkParts(definition));
  return Object.freeze(schema);
}

function link(schema: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return Object.freeze(linkParts(schema));
  const target = linkedDefinition(definitionOfRef(schema.$ref));
  const { $ref: _, ...own } = schema;
  // What stands beside the reference (a patch strategy, a map type) overrides what the definition says. None of the
  // definitions that are referred to in this way is recursive.
  return Object.keys(own).length === 0 ? target : Object.freeze({ ...target, ...own });
}

function linkParts(schema: JsonSchema): JsonSchema {
  const out: JsonSchema = { ...schema };
  if (schema.properties !== undefined) {
    const properties: Record<string, JsonSchema> = {};
    for (const name in schema.properties) properties[name] = link(schema.properties[name] as JsonSchema);
    out.properties = Object.freeze(properties);
  }
  if (schema.items !== undefined && !Array.isArray(schema.items)) out.items = link(schema.items);
  if (typeof schema.additionalProperties === "object") {
    out.additionalProperties = link(schema.additionalProperties);
  }
  return out;
}

/** `#/definitions/NAME` names NAME. */
export function definitionOfRef(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function definitionsOf(module: string): Readonly<Record<string, BuiltinDefinition>> | undefined {
  const known = parsed.get(module);
  if (known !== undefined) return known;
  const source = definitionSources[module];
  if (source === undefined) return undefined;
  const definitions = deepFreeze(JSON.parse(source)) as Readonly<Record<string, BuiltinDefinition>>;
  parsed.set(module, definitions);
  return definitions;
}

/** The module that holds a definition: `io.k8s.api.apps.v1.Deployment` is in `apps/v1`, all of apimachinery in `meta/v1`. */
function moduleOf(name: string): string {
  if (name.startsWith("io.k8s.apimachinery.")) return "meta/v1";
  const parts = name.split(".");
  return `${parts.at(-3) ?? ""}/${parts.at(-2) ?? ""}`;
}

/** Go packages whose name is not the first word of their group. */
const packages: Readonly<Record<string, string>> = {
  "": "io.k8s.api.core",
  "apiextensions.k8s.io": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
  "apiregistration.k8s.io": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
  "internal.apiserver.k8s.io": "io.k8s.api.apiserverinternal",
  "meta.k8s.io": "io.k8s.apimachinery.pkg.apis.meta",
};

function packageOf(group: string): string {
  return packages[group] ?? `io.k8s.api.${group.split(".")[0] ?? group}`;
}
