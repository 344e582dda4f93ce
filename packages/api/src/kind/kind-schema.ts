import type { JsonSchema } from "../schema/json-schema.ts";
import { canonicalSchema } from "./canonical-schema.ts";
import type { DefinitionProblem } from "./definition-error.ts";
import type { AnyKindDefinition, AnyZodSchema } from "./kind-definition.ts";
import { type ConvertedSchema, convertSchema } from "./zod/convert-schema.ts";

/** The structural schema of a kind's objects, with all problems of its parts. */
export function kindSchema(definition: AnyKindDefinition): ConvertedSchema {
  const problems: DefinitionProblem[] = [];
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  const add = (name: string, schema: AnyZodSchema | undefined): JsonSchema | undefined => {
    if (schema === undefined) return undefined;
    const converted = convertSchema(schema, name);
    problems.push(...converted.problems);
    properties[name] = converted.schema;
    if (name !== "status" && schema._zod.optin === undefined) required.push(name);
    return converted.schema;
  };
  const metadata = metadataSchema(definition, problems);
  if (metadata !== undefined) properties["metadata"] = metadata;
  for (const section of ["spec", "status"] as const) {
    const schema = add(section, definition[section]);
    if (schema !== undefined && schema.type !== "object" && problems.length === 0) {
      problems.push({
        path: section,
        message: `must be an object, not ${schema.type ?? "any value"}; use z.object()`,
      });
    }
  }
  for (const [name, schema] of Object.entries(definition.fields ?? {})) {
    if (reservedFields.has(name)) {
      problems.push({
        path: `fields.${name}`,
        message: `every kind has ${name}; declare it as \`${name}\` if it can be`,
      });
    } else add(name, schema);
  }
  const schema: JsonSchema = {
    type: "object",
    ...(definition.description === undefined ? {} : { description: definition.description }),
    ...(required.length === 0 ? {} : { required }),
    properties,
    ...(definition.rules === undefined || definition.rules.length === 0
      ? {}
      : { "x-kubernetes-validations": definition.rules.map((rule) => ({ ...rule })) }),
  };
  return { schema: canonicalSchema(schema), problems };
}

const reservedFields: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

function metadataSchema(
  definition: AnyKindDefinition,
  problems: DefinitionProblem[],
): JsonSchema | undefined {
  const properties: Record<string, JsonSchema> = {};
  for (const name of ["name", "generateName"] as const) {
    const schema = definition.metadata?.[name];
    if (schema === undefined) continue;
    const converted = convertSchema(schema, `metadata.${name}`);
    problems.push(...converted.problems);
    properties[name] = converted.schema;
  }
  return Object.keys(properties).length === 0 ? undefined : { type: "object", properties };
}
