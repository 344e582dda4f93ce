import { type FieldSet, differenceOfSets, fieldSetOf } from "./field-set.ts";

/** Fields that the server sets or that name the object: nobody owns them. Source: managedfields/internal (stripmeta.go). */
const systemFields: FieldSet = fieldSetOf([
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "creationTimestamp"],
  ["metadata", "selfLink"],
  ["metadata", "uid"],
  ["metadata", "clusterName"],
  ["metadata", "generation"],
  ["metadata", "managedFields"],
  ["metadata", "resourceVersion"],
]);

/** The set without the fields that nobody owns. */
export function withoutSystemFields(set: FieldSet): FieldSet {
  return differenceOfSets(set, systemFields);
}
