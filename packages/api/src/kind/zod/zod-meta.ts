import type { Json } from "../../object/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { AnyZodSchema } from "../kind-definition.ts";

interface Registry {
  get(schema: AnyZodSchema): Readonly<Record<string, unknown>> | undefined;
}

/**
 * What `.describe()` and `.meta()` said: description, title, example, externalDocs. Zod keeps it in a registry that all
 * copies of it share; asking that one works for `zod/mini` too, whose schemas have no method for it.
 */
export function metaKeywords(schema: AnyZodSchema): JsonSchema {
  const registry = (globalThis as { __zod_globalRegistry?: Registry }).__zod_globalRegistry;
  const meta = registry?.get(schema);
  if (meta === undefined) return {};
  const { title, description, example, examples, externalDocs } = meta;
  const shown = example ?? (Array.isArray(examples) ? (examples as Json[])[0] : undefined);
  return {
    ...(typeof title === "string" ? { title } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(shown === undefined ? {} : { example: shown as Json }),
    ...(externalDocs === undefined
      ? {}
      : { externalDocs: externalDocs as { description?: string; url?: string } }),
  };
}
