import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { AnyZodSchema } from "../kind-definition.ts";

/** One conversion of one kind: the way back into the walk, and the list of what was found wrong. */
export interface Conversion {
  /** Converts a schema below the one at hand. */
  convert(schema: AnyZodSchema, path: string): JsonSchema;
  /** Notes a problem and gives the place an empty schema, so that a person sees all problems at once. */
  refuse(path: string, message: string): JsonSchema;
}

/** A Zod schema of which the compiler knows every definition. */
export type KnownSchema = z.core.$ZodTypes;

/** Whether an object may lack this property. */
export function isOptional(schema: AnyZodSchema): boolean {
  return schema._zod.optin !== undefined;
}

/** A property's place as messages print it. */
export function fieldPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
