import type { JsonSchema } from "../schema/json-schema.ts";

/** Whether a schema, or one anywhere in it (junctors too), has the property asked for. */
export function someSchema(schema: JsonSchema | undefined, has: (schema: JsonSchema) => boolean): boolean {
  if (schema === undefined) return false;
  if (has(schema)) return true;
  return childSchemas(schema).some((child) => someSchema(child, has));
}

/** The schemas directly in a schema, in the server's order of walking. */
export function childSchemas(schema: JsonSchema): JsonSchema[] {
  const children: JsonSchema[] = [];
  const { items, additionalProperties, additionalItems } = schema;
  if (Array.isArray(items)) children.push(...items);
  else if (items) children.push(items);
  children.push(...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? []));
  if (schema.not !== undefined) children.push(schema.not);
  children.push(...Object.values(schema.properties ?? {}));
  if (typeof additionalProperties === "object") children.push(additionalProperties);
  children.push(...Object.values(schema.patternProperties ?? {}));
  if (typeof additionalItems === "object") children.push(additionalItems);
  children.push(...Object.values(schema.definitions ?? {}));
  for (const dependency of Object.values(schema.dependencies ?? {})) {
    if (!Array.isArray(dependency)) children.push(dependency);
  }
  return children;
}
