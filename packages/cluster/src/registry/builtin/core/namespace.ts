import { type FieldError, dns1123LabelErrors, qualifiedNameErrors } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { withMetadata } from "../../metadata.ts";
import { type BuiltinRules, type EndpointRules, fieldReader } from "../builtin-rules.ts";
import { setField } from "../copy-on-write.ts";
import { FieldProblems } from "../field-problems.ts";

/** The finalizer of the namespace controller. */
const own = "kubernetes";
const nameLabel = "kubernetes.io/metadata.name";

interface NamespaceFields {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

/** How finalizers of the kind are written that have no domain. */
const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Of `namespaces/finalize`: everything but the status, for whoever empties the namespace. */
const finalize: EndpointRules = {
  prepareForUpdate: (object, old) => setField(object, "status", old["status"]),
  validateUpdate: (object) => finalizerErrors(object, (i) => `spec.finalizers[${i}]`),
};

function finalizerErrors(object: StoredObject, fieldOf: (index: number) => string): FieldError[] {
  const problems = new FieldProblems();
  const { finalizers = [] } = (object as NamespaceFields).spec ?? {};
  finalizers.forEach((name, i) => {
    const field = fieldOf(i);
    const errors = qualifiedNameErrors(name);
    for (const text of errors) problems.invalid(field, name, text);
    if (errors.length === 0 && !name.includes("/") && !standardFinalizers.has(name))
      problems.invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified");
  });
  return problems.list;
}

/** Namespaces: a phase, a finalizer of their own in the spec, a label with their name. Source: kubernetes pkg/registry/core/namespace. */
export const namespaceRules: BuiltinRules = {
  name: dns1123LabelErrors,
  fields: { "status.phase": fieldReader("status", "phase"), name: fieldReader("metadata", "name") },
  defaults: (object) => {
    // a body may come without any
    const { name = "", labels } = (object as Partial<StoredObject>).metadata ?? {};
    if (name === "" || labels?.[nameLabel] === name) return object;
    return withMetadata(object, { labels: { ...labels, [nameLabel]: name } });
  },
  prepareForCreate(object) {
    const { finalizers = [] } = (object as NamespaceFields).spec ?? {};
    const spec = { finalizers: finalizers.includes(own) ? finalizers : [...finalizers, own] };
    return { ...object, spec, status: { phase: "Active" } };
  },
  validateCreate: (object) => finalizerErrors(object, () => "spec.finalizers"),
  prepareForUpdate: (object, old) =>
    ({ ...object, spec: old["spec"], status: old["status"] }) as StoredObject,
  prepareForDelete: (object) => ({
    ...object,
    status: { ...(object as NamespaceFields).status, phase: "Terminating" },
  }),
  endpoints: { finalize },
  keepsDeleted: (object) => ((object as NamespaceFields).spec?.finalizers?.length ?? 0) > 0,
};
