import { type FieldMatcher, badRequest, dns1123LabelErrors } from "@bowline/api";
import type { Resource } from "../registry/resource.ts";
import type { StoredObject } from "../store/revision.ts";
import type { ListOptions } from "./options.ts";

/** The selectors of a list or watch as one predicate, or undefined when they select everything. */
export function selection(
  resource: Resource,
  options: Pick<ListOptions, "labels" | "fields">,
): ((object: StoredObject) => boolean) | undefined {
  const { labels, fields } = options;
  checkFields(resource, fields);
  if (labels.everything && fields.everything) return undefined;
  return (object) =>
    (labels.everything || labels.matches(object.metadata.labels)) &&
    (fields.everything || fields.matches((field) => readField(resource, object, field)));
}

/**
 * The namespace that a list or watch looks into: the path's, or the only one that the field selector allows; empty for all.
 * Source: k8s.io/apiserver pkg/registry/generic/registry (store.go).
 */
export function selectedNamespace(resource: Resource, namespace: string, { fields }: ListOptions): string {
  if (namespace !== "" || !resource.api.namespaced) return namespace;
  const selected = fields.exactMatch("metadata.namespace") ?? "";
  return dns1123LabelErrors(selected).length === 0 ? selected : "";
}

/** @throws StatusError 400 for a field that the kind does not offer */
function checkFields(resource: Resource, fields: FieldMatcher): void {
  for (const { field } of fields.requirements) {
    if (field === "metadata.name") continue;
    if (field === "metadata.namespace" && resource.api.namespaced) continue;
    if (!resource.selectableFields.has(field)) throw badRequest(`field label not supported: ${field}`);
  }
}

function readField(resource: Resource, object: StoredObject, field: string): string {
  if (field === "metadata.name") return object.metadata.name ?? "";
  if (field === "metadata.namespace") return object.metadata.namespace ?? "";
  return resource.selectableFields.get(field)?.(object) ?? "";
}
