/** PersistentVolumeClaims. Source: kubernetes pkg/apis/core (v1/defaults.go, validation), pkg/registry/core/persistentvolumeclaim. */
import { type FieldError, compareQuantities } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { type Fields, setField } from "../copy-on-write.ts";
import { checkImmutable, quantityOf, quantityShown, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { jsonDiff } from "../json-diff.ts";
import { defaultClaimSpec } from "../pod/pod-defaults.ts";
import { type ClaimSpecFields, checkClaimSpec } from "./claim-spec.ts";

const specOf = (object: StoredObject): ClaimSpecFields => (object["spec"] ?? {}) as ClaimSpecFields;
const phaseOf = (object: StoredObject): string =>
  (object["status"] as { phase?: string } | undefined)?.phase ?? "";

/** The only kinds that `dataSource` can name; anything else is dropped from it. */
function isKnownSource({ kind, apiGroup = "" }: NonNullable<ClaimSpecFields["dataSource"]>): boolean {
  return (
    (kind === "PersistentVolumeClaim" && apiGroup === "") ||
    (kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io")
  );
}

function withKnownSource(object: StoredObject, old: StoredObject | undefined): StoredObject {
  const { dataSource, dataSourceRef } = specOf(object);
  if (dataSource === undefined || dataSourceRef !== undefined || isKnownSource(dataSource)) return object;
  if (old !== undefined && specOf(old).dataSource !== undefined) return object;
  return setField(object, "spec", setField(specOf(object) as Fields, "dataSource", undefined));
}

/** A local source is named in both fields. Source: pkg/api/persistentvolumeclaim (NormalizeDataSources). */
function withBothSources(object: StoredObject): StoredObject {
  const spec = specOf(object) as Fields;
  const { dataSource, dataSourceRef } = specOf(object);
  if (dataSource !== undefined && dataSourceRef === undefined)
    return setField(object, "spec", setField(spec, "dataSourceRef", dataSource));
  if (dataSource === undefined && dataSourceRef !== undefined && !dataSourceRef.namespace)
    return setField(object, "spec", setField(spec, "dataSource", dataSourceRef));
  return object;
}

function errorsOf(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkClaimSpec(problems, "spec", specOf(object));
  return problems;
}

function storageOf(spec: ClaimSpecFields): string | undefined {
  return (spec.resources?.requests as Readonly<Record<string, string>> | undefined)?.["storage"];
}

/** Bound claims may ask for more space; nothing else changes but what binding itself sets. */
function updateErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = errorsOf(object);
  const before = specOf(old);
  const bound = phaseOf(object) === "Bound";
  let now: Fields = specOf(object) as Fields;
  if (!before.volumeName) now = setField(now, "volumeName", before.volumeName);
  if (before.storageClassName === undefined) now = setField(now, "storageClassName", before.storageClassName);
  if (bound) {
    now = withOldStorage(now, storageOf(before));
    if (now["volumeAttributesClassName"] !== undefined)
      now = setField(now, "volumeAttributesClassName", before.volumeAttributesClassName);
  }
  if (!same(now, before)) {
    problems.forbidden(
      "spec",
      `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${jsonDiff(before, now)}`,
    );
  }
  const [size, oldSize] = [storageOf(specOf(object)) ?? "0", storageOf(before) ?? "0"];
  const capacity = (old["status"] as { capacity?: Record<string, string> } | undefined)?.capacity?.[
    "storage"
  ];
  const shrinks = compareQuantities(quantityOf(size), quantityOf(oldSize)) < 0;
  if (shrinks && compareQuantities(quantityOf(size), quantityOf(capacity)) <= 0)
    problems.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
  checkImmutable(problems, "volumeMode", specOf(object).volumeMode, before.volumeMode);
  return problems.list;
}

function withOldStorage(spec: Fields, storage: string | undefined): Fields {
  const resources = (spec["resources"] ?? {}) as Fields;
  const requests = (resources["requests"] ?? {}) as Fields;
  return setField(spec, "resources", setField(resources, "requests", setField(requests, "storage", storage)));
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const { capacity = {} } = (object["status"] ?? {}) as { capacity?: Record<string, string> };
  for (const name in capacity) {
    if (quantityOf(capacity[name]).unscaled < 0n)
      problems.invalid(
        `status.capacity[${name}]`,
        quantityShown(capacity[name]),
        "must be a valid resource quantity",
      );
  }
  return problems.list;
}

function warnings(object: StoredObject): string[] {
  const out: string[] = [];
  const deprecated = "volume.beta.kubernetes.io/storage-class";
  if (object.metadata.annotations?.[deprecated] !== undefined)
    out.push(
      `metadata.annotations[${deprecated}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  return out;
}

export const claimRules: BuiltinRules = {
  initialStatus: { phase: "Pending" },
  defaults: (object) => setField(object, "spec", defaultClaimSpec(specOf(object) as Fields)),
  prepareForCreate: (object) => withBothSources(withKnownSource(object, undefined)),
  prepareForUpdate: (object, old) => withBothSources(withKnownSource(object, old)),
  validateCreate: (object) => errorsOf(object).list,
  validateUpdate: updateErrors,
  validateStatusUpdate: statusErrors,
  warnings,
  fields: { name: fieldReader("metadata", "name") },
};
