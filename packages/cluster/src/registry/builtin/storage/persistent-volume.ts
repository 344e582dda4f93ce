/** PersistentVolumes and their classes. Source: kubernetes pkg/apis/core, pkg/apis/storage (v1/defaults.go, validation). */
import { type DeepReadonly, type FieldError, qualifiedNameErrors } from "@bowline/api";
import type { PersistentVolumeSpec } from "@bowline/api/core/v1";
import type { CSIDriver, StorageClass } from "@bowline/api/storage/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, setField } from "../copy-on-write.ts";
import { checkImmutable, checkOneOf, checkQualifiedName, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { jsonDiff } from "../json-diff.ts";
import { checkNodeSelector } from "../pod/scheduling.ts";
import { checkCsiDriverName, checkNoBacksteps } from "../pod/volumes.ts";
import { checkAccessModes, checkClassName, checkPositiveQuantity, volumeModes } from "./claim-spec.ts";

type SpecFields = DeepReadonly<PersistentVolumeSpec>;

const specOf = (object: StoredObject): SpecFields => (object["spec"] ?? {}) as SpecFields;

const policyDefault: Fields = Object.freeze({ persistentVolumeReclaimPolicy: "Retain" });
const modeDefault: Fields = Object.freeze({ volumeMode: "Filesystem" });
const hostPathDefault: Fields = Object.freeze({ type: "" });

const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
] as const;

function checkSpec(problems: FieldProblems, spec: SpecFields): void {
  checkAccessModes(problems, "spec.accessModes", spec.accessModes ?? [], "");
  checkCapacity(problems, (spec.capacity ?? {}) as Readonly<Record<string, string>>);
  checkOneOf(problems, "spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy, [
    "Delete",
    "Recycle",
    "Retain",
  ]);
  const affinity = spec.nodeAffinity;
  if (affinity?.required !== undefined)
    checkNodeSelector(problems, "spec.nodeAffinity.required", affinity.required);
  else if (affinity !== undefined)
    problems.required("spec.nodeAffinity.required", "must specify required node constraints");
  checkSource(problems, spec);
  checkClassName(problems, "spec.storageClassName", spec.storageClassName);
  checkOneOf(problems, "spec.volumeMode", spec.volumeMode, volumeModes);
}

function checkCapacity(problems: FieldProblems, capacity: Readonly<Record<string, string>>): void {
  const names = Object.keys(capacity);
  if (names.length === 0) problems.required("spec.capacity");
  if (capacity["storage"] === undefined || names.length > 1)
    problems.notSupported("spec.capacity", names.length === 0 ? null : capacity, ["storage"]);
  for (const name of names) {
    checkPositiveQuantity(problems, `spec.capacity[${name}]`, capacity[name] ?? "");
  }
}

function checkSource(problems: FieldProblems, spec: SpecFields): void {
  let count = 0;
  for (const source of sources) {
    if (spec[source] === undefined) continue;
    count++;
    if (count > 1) problems.forbidden(`spec.${source}`, "may not specify more than 1 volume type");
  }
  if (count === 0) problems.required("spec", "must specify a volume type");
  const { hostPath, local, csi, nfs } = spec;
  if (hostPath !== undefined) {
    if (!hostPath.path) problems.required("spec.hostPath.path");
    else checkNoBacksteps(problems, "spec.hostPath.path", hostPath.path);
    if (hostPath.path === "/" && spec.persistentVolumeReclaimPolicy === "Recycle") {
      problems.forbidden(
        "spec.persistentVolumeReclaimPolicy",
        "may not be 'recycle' for a hostPath mount of '/'",
      );
    }
  }
  if (nfs !== undefined && !nfs.server) problems.required("spec.nfs.server");
  if (nfs !== undefined && !nfs.path?.startsWith("/"))
    problems.invalid("spec.nfs.path", nfs.path ?? "", "must be an absolute path");
  if (local !== undefined) {
    if (!local.path) problems.required("spec.local.path");
    else checkNoBacksteps(problems, "spec.local.path", local.path);
    if (spec.nodeAffinity === undefined)
      problems.required("spec.nodeAffinity", "Local volume requires node affinity");
  }
  if (csi !== undefined) {
    checkCsiDriverName(problems, "spec.csi.driver", csi.driver ?? "");
    if (!csi.volumeHandle) problems.required("spec.csi.volumeHandle");
  }
}

function errorsOf(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, specOf(object));
  return problems;
}

function updateErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = errorsOf(object);
  const pick = (spec: SpecFields): Fields =>
    Object.fromEntries(
      sources.filter((source) => spec[source] !== undefined).map((source) => [source, spec[source]]),
    );
  const now = pick(specOf(object));
  const before = pick(specOf(old));
  if (!same(now, before)) {
    problems.forbidden(
      "spec.persistentvolumesource",
      `spec.persistentvolumesource is immutable after creation\n${jsonDiff(before, now)}`,
    );
  }
  checkImmutable(problems, "volumeMode", specOf(object).volumeMode, specOf(old).volumeMode);
  if (specOf(old).nodeAffinity !== undefined)
    checkImmutable(problems, "nodeAffinity", specOf(object).nodeAffinity, specOf(old).nodeAffinity);
  return problems.list;
}

function warnings(object: StoredObject, old: StoredObject | undefined): string[] {
  if (old !== undefined) return [];
  return specOf(object).persistentVolumeReclaimPolicy === "Recycle"
    ? [
        "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
      ]
    : [];
}

export const volumeRules: BuiltinRules = {
  initialStatus: { phase: "Pending" },
  defaults: (object) => {
    const spec = fill(fillZero(specOf(object) as Fields, policyDefault), modeDefault);
    return setField(
      object,
      "spec",
      mapField(spec, "hostPath", (path: Fields) => fill(path, hostPathDefault)),
    );
  },
  prepareForCreate: (object, _user, now) =>
    mapField(object, "status", (status: Fields) => setField(status, "lastPhaseTransitionTime", now)),
  validateCreate: (object) => errorsOf(object).list,
  validateUpdate: updateErrors,
  warnings,
  fields: { name: fieldReader("metadata", "name") },
};

const classDefaults: Fields = Object.freeze({
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
});

function checkTopologies(
  problems: FieldProblems,
  topologies: NonNullable<DeepReadonly<StorageClass>["allowedTopologies"]>,
): void {
  topologies.forEach(({ matchLabelExpressions: expressions = [] }, i) => {
    expressions.forEach(({ key = "", values = [] }, j) => {
      const at = `allowedTopologies[${i}].matchLabelExpressions[${j}]`;
      if (values.length === 0) problems.required(`${at}.values`);
      values.forEach((value, n) => {
        if (values.indexOf(value) < n) problems.duplicate(`${at}.values[${n}]`, value);
      });
      checkQualifiedName(problems, `${at}.key`, key);
      if (expressions.findIndex((other) => other.key === key) < j) problems.duplicate(`${at}.key`, key);
    });
    if (topologies.findIndex((other) => same(other, topologies[i])) < i)
      problems.duplicate(`allowedTopologies[${i}].matchLabelExpressions`, "");
  });
}

function classErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const provisioner = String(object["provisioner"] ?? "");
  if (provisioner === "") problems.required("provisioner");
  else problems.allInvalid("provisioner", provisioner, qualifiedNameErrors(provisioner.toLowerCase()));
  const parameters = (object["parameters"] ?? {}) as Readonly<Record<string, string>>;
  for (const key in parameters)
    if (key === "") problems.invalid("parameters", key, "field can not be empty.");
  checkOneOf(problems, "reclaimPolicy", object["reclaimPolicy"] as string, ["Delete", "Retain"]);
  checkTopologies(problems, (object as unknown as DeepReadonly<StorageClass>).allowedTopologies ?? []);
  const mode = object["volumeBindingMode"] as string | undefined;
  if (mode === undefined) problems.required("volumeBindingMode");
  else checkOneOf(problems, "volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"]);
  return problems;
}

export const storageClassRules: BuiltinRules = {
  defaults: (object) => fill(object, classDefaults),
  validateCreate: (object) => classErrors(object).list,
  validateUpdate(object, old) {
    const problems = new FieldProblems();
    const frozen: readonly (readonly [string, string])[] = [
      ["parameters", "updates to parameters are forbidden."],
      ["provisioner", "updates to provisioner are forbidden."],
      ["reclaimPolicy", "updates to reclaimPolicy are forbidden."],
    ];
    for (const [field, detail] of frozen)
      if (!same(object[field], old[field])) problems.forbidden(field, detail);
    checkImmutable(problems, "volumeBindingMode", object["volumeBindingMode"], old["volumeBindingMode"]);
    return problems.list;
  },
};

const driverDefaults: Fields = Object.freeze({
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false,
  volumeLifecycleModes: Object.freeze(["Persistent"]),
});

function driverErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const { spec = {} } = object as unknown as DeepReadonly<CSIDriver>;
  checkOneOf(problems, "spec.fsGroupPolicy", spec.fsGroupPolicy, ["File", "None", "ReadWriteOnceWithFSType"]);
  spec.tokenRequests?.forEach(({ audience, expirationSeconds }, i, all) => {
    const at = `spec.tokenRequests[${i}]`;
    if (all.findIndex((other) => other.audience === audience) < i)
      return problems.duplicate(`${at}.audience`, audience);
    const seconds = expirationSeconds as number | undefined;
    if (seconds === undefined) return;
    const field = `${at}.expirationSeconds`;
    if (seconds < 600) problems.invalid(field, seconds, "may not specify a duration less than 10 minutes");
    if (seconds > 2 ** 32)
      problems.invalid(field, seconds, "may not specify a duration larger than 2^32 seconds");
  });
  for (const mode of spec.volumeLifecycleModes ?? [])
    checkOneOf(problems, "spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
  const period = spec.nodeAllocatableUpdatePeriodSeconds as number | undefined;
  if (period !== undefined && period < 10) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    problems.invalid(field, period, "must be greater than or equal to 10 seconds");
  }
  return problems;
}

export const csiDriverRules: BuiltinRules = {
  allowUnconditionalUpdate: false,
  validateCreate: (object) => driverErrors(object).list,
  validateUpdate(object, old) {
    const problems = driverErrors(object);
    const [now, before] = [(object["spec"] ?? {}) as Fields, (old["spec"] ?? {}) as Fields];
    checkImmutable(problems, "spec.attachedRequired", now["attachRequired"], before["attachRequired"]);
    const modes = "volumeLifecycleModes";
    checkImmutable(problems, `spec.${modes}`, now[modes], before[modes]);
    return problems.list;
  },
  defaults: (object) => setField(object, "spec", fill((object["spec"] ?? {}) as Fields, driverDefaults)),
};
