import type { GroupVersionKind } from "../discovery/api-resource.ts";
import type { JsonSchema } from "../schema/json-schema.ts";

/** One OpenAPI definition by its name (`io.k8s.api.apps.v1.Deployment`), with `$ref`s `#/definitions/NAME`. Parsed on first use. */
export function builtinDefinition(name: string): JsonSchema | undefined {
  throw new Error(`not built yet (${name})`);
}

/** Name of the definition of a kind: `{ apps, v1, Deployment }` is `io.k8s.api.apps.v1.Deployment`. */
export function builtinDefinitionName(kind: GroupVersionKind): string | undefined {
  throw new Error(`not built yet (${kind.kind})`);
}

/**
 * The schema of a built-in kind with every `$ref` replaced by the schema it names (shared, frozen; recursive for
 * JSONSchemaProps), with patch merge keys, list types and map types: what strategic merge, apply and validation take.
 */
export function builtinSchema(kind: GroupVersionKind): JsonSchema | undefined {
  throw new Error(`not built yet (${kind.kind})`);
}
