import { dns1123LabelErrors } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";

const nameLabel = "kubernetes.io/metadata.name";

interface NamespaceFields {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

/** Namespaces: a phase, a finalizer of their own in the spec, a label with their name. Source: kubernetes pkg/registry/core/namespace. */
export const namespaceRules: BuiltinRules = {
  name: dns1123LabelErrors,
  fields: { "status.phase": fieldReader("status", "phase"), name: fieldReader("metadata", "name") },
  defaults: (object) => {
    const { name = "", labels } = object.metadata;
    if (name === "" || labels?.[nameLabel] === name) return object;
    return withMetadata(object, { labels: { ...labels, [nameLabel]: name } });
  },
  prepareForCreate: (object) => ({
    ...object,
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }),
  prepareForUpdate: (object, old) =>
    ({ ...object, spec: old["spec"], status: old["status"] }) as StoredObject,
  prepareForDelete: (object) => ({
    ...object,
    status: { ...(object as NamespaceFields).status, phase: "Terminating" },
  }),
  keepsDeleted: (object) => ((object as NamespaceFields).spec?.finalizers?.length ?? 0) > 0,
};
