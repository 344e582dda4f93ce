import type { JsonSchema } from "../schema/json-schema.ts";

/** What a quantity looks like, for schemas and for JavaScript. Source: api/resource (quantity.go). */
export const quantityPattern: string =
  "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

/** A quantity in a CustomResourceDefinition. */
export const quantitySchema: JsonSchema = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern: quantityPattern,
  "x-kubernetes-int-or-string": true,
};
