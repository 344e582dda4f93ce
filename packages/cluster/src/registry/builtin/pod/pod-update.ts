/** What of a pod may change. Source: kubernetes pkg/apis/core/validation (ValidatePodUpdate, ValidatePodResize). */
import type { DeepReadonly } from "@bowline/api";
import type { Container, Pod, Toleration } from "@bowline/api/core/v1";
import { type Fields, mapItems, setField } from "../copy-on-write.ts";
import { same } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { jsonDiff } from "../json-diff.ts";
import type { PodSpecFields } from "./pod-spec.ts";
import { podQosClass } from "./qos.ts";
import { checkTolerations } from "./scheduling.ts";

export type PodFields = DeepReadonly<Pod>;

const int32Max = 2 ** 31 - 1;
const updatable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
].join(",");

/** Changes through the main endpoint: images, shorter deadlines, more tolerations, fewer gates. */
export function checkPodUpdate(problems: FieldProblems, pod: PodFields, old: PodFields): void {
  const now = pod.spec as PodSpecFields;
  const before = old.spec as PodSpecFields;
  for (const list of ["containers", "initContainers"] as const) {
    if ((now[list]?.length ?? 0) !== (before[list]?.length ?? 0))
      return problems.forbidden(`spec.${list}`, "pod updates may not add or remove containers");
    now[list]?.forEach((container, i) => {
      if (!container.image) problems.required(`spec.${list}[${i}].image`);
    });
  }
  if (!checkDeadline(problems, now, before)) return;
  checkOnlyAddedTolerations(problems, now, before);
  checkOnlyDeletedGates(problems, now, before);
  if (same(now, before)) return;
  const munged = withOldMutableFields(problems, now, before);
  if (same(munged, before)) return;
  problems.forbidden(
    "spec",
    `pod updates may not change fields other than ${updatable}\n${jsonDiff(before, munged)}`,
  );
}

function checkDeadline(problems: FieldProblems, now: PodSpecFields, before: PodSpecFields): boolean {
  const field = "spec.activeDeadlineSeconds";
  const value = now.activeDeadlineSeconds as number | undefined;
  const previous = before.activeDeadlineSeconds as number | undefined;
  if (value === undefined) {
    if (previous !== undefined)
      problems.invalid(field, null, "must not update from a positive integer to nil value");
    return true;
  }
  if (value < 0 || value > int32Max) {
    problems.invalid(field, value, `must be between 0 and ${int32Max}, inclusive`);
    return false;
  }
  if (previous === undefined || value <= previous) return true;
  problems.invalid(field, value, "must be less than or equal to previous value");
  return false;
}

function checkOnlyAddedTolerations(problems: FieldProblems, now: PodSpecFields, before: PodSpecFields): void {
  const kept = (before.tolerations ?? []).every((old) =>
    (now.tolerations ?? []).some((t) => same(withoutSeconds(t), withoutSeconds(old))),
  );
  if (!kept) {
    return problems.forbidden(
      "spec.tolerations",
      "existing toleration can not be modified except its tolerationSeconds",
    );
  }
  checkTolerations(problems, "spec.tolerations", now.tolerations ?? []);
}

function withoutSeconds(toleration: DeepReadonly<Toleration>): Fields {
  return setField(toleration as Fields, "tolerationSeconds", undefined);
}

function checkOnlyDeletedGates(problems: FieldProblems, now: PodSpecFields, before: PodSpecFields): void {
  const known = new Set(before.schedulingGates?.map((gate) => gate.name));
  now.schedulingGates?.forEach(({ name }, i) => {
    if (known.has(name)) return;
    problems.forbidden(
      `spec.schedulingGates[${i}].name`,
      `only deletion is allowed, but found new scheduling gate '${name}'`,
    );
  });
}

/** The new spec with everything that may change as it was. */
function withOldMutableFields(problems: FieldProblems, now: PodSpecFields, before: PodSpecFields): Fields {
  let spec: Fields = now as Fields;
  for (const list of ["containers", "initContainers"] as const) {
    let i = 0;
    spec = mapItems(spec, list, (container: Fields) =>
      setField(container, "image", (before[list]?.[i++] as DeepReadonly<Container> | undefined)?.image),
    );
  }
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const)
    spec = setField(spec, field, before[field]);
  if (Number(before.terminationGracePeriodSeconds) < 0 && spec["terminationGracePeriodSeconds"] === 1)
    spec = setField(spec, "terminationGracePeriodSeconds", before.terminationGracePeriodSeconds);
  if ((before.schedulingGates?.length ?? 0) === 0) return spec;
  return withOldPlacement(problems, spec, before);
}

/** While a gate holds a pod back, its placement may be narrowed. */
function withOldPlacement(problems: FieldProblems, spec: Fields, before: PodSpecFields): Fields {
  const selector = (spec["nodeSelector"] ?? {}) as Readonly<Record<string, string>>;
  for (const [key, value] of Object.entries(before.nodeSelector ?? {})) {
    if (selector[key] !== value)
      problems.invalid(
        "spec.nodeSelector",
        selector,
        "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
      );
  }
  const affinity = (spec["affinity"] ?? {}) as Fields;
  const restored = setField(affinity, "nodeAffinity", before.affinity?.nodeAffinity);
  return setField(
    setField(spec, "nodeSelector", before.nodeSelector),
    "affinity",
    same(restored, before.affinity ?? {}) ? before.affinity : restored,
  );
}

/** Changes through `pods/ephemeralcontainers`: only new ones. */
export function checkEphemeralUpdate(problems: FieldProblems, pod: PodFields, old: PodFields): void {
  const path = "spec.ephemeralContainers";
  const now = new Map(pod.spec?.ephemeralContainers?.map((c) => [c.name, c]));
  for (const before of old.spec?.ephemeralContainers ?? []) {
    const after = now.get(before.name);
    if (after === undefined)
      problems.forbidden(path, `existing ephemeral containers "${before.name}" may not be removed\n`);
    else if (!same(after, before)) {
      problems.forbidden(
        path,
        `existing ephemeral containers "${before.name}" may not be changed\n${jsonDiff(before, after)}`,
      );
    }
  }
}

/** Changes through `pods/resize`: cpu and memory of containers that run. */
export function checkPodResize(problems: FieldProblems, pod: PodFields, old: PodFields): void {
  if (old.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined)
    return problems.forbidden("", "static pods cannot be resized");
  if (old.spec?.os?.name === "windows") return problems.forbidden("", "windows pods cannot be resized");
  if (
    (old.status?.qosClass ?? podQosClass(old.spec as PodSpecFields)) !==
    podQosClass(pod.spec as PodSpecFields)
  ) {
    problems.invalid(
      "spec",
      pod.status?.qosClass ?? "",
      "Pod QOS Class may not change as a result of resizing",
    );
  }
  const before = old.spec as PodSpecFields;
  const now = pod.spec as PodSpecFields;
  for (const list of ["initContainers", "containers"] as const) {
    before[list]?.forEach((container, i) => {
      const next = now[list]?.[i];
      if (next === undefined) return;
      const sidecar = list === "initContainers" && container.restartPolicy === "Always";
      if (list === "containers" || sidecar)
        checkContainerResize(problems, `spec.${list}[${i}].resources`, next, container);
      if (same(withOldComputeResources(next, container, list === "containers" || sidecar), container)) return;
      problems.forbidden("spec", resizeText(list, sidecar));
    });
  }
  if (problems.list.length > 0) return;
  const others = setField(
    setField(now as Fields, "containers", before.containers),
    "initContainers",
    before.initContainers,
  );
  if (!same(others, before)) problems.forbidden("spec", resizeText("containers", false));
}

function resizeText(list: "containers" | "initContainers", sidecar: boolean): string {
  if (list === "containers") return "only cpu and memory resources are mutable";
  return sidecar
    ? "only cpu and memory resources for sidecar containers are mutable"
    : "resources for non-sidecar init containers are immutable";
}

type ContainerFields = DeepReadonly<Container>;
type List = Readonly<Record<string, string>>;

function checkContainerResize(
  problems: FieldProblems,
  path: string,
  now: ContainerFields,
  before: ContainerFields,
): void {
  for (const kind of ["requests", "limits"] as const) {
    const kept = (now.resources?.[kind] ?? {}) as List;
    if (Object.keys(before.resources?.[kind] ?? {}).some((name) => kept[name] === undefined))
      problems.forbidden(`${path}.${kind}`, `resource ${kind} cannot be removed`);
  }
  const policy = now.resizePolicy?.find((p) => p.resourceName === "memory")?.restartPolicy;
  if (policy === "RestartContainer") return;
  const limit = (now.resources?.limits as List | undefined)?.["memory"];
  const previous = (before.resources?.limits as List | undefined)?.["memory"];
  if (limit === undefined) return;
  if (previous === undefined) {
    problems.forbidden(
      `${path}.limits[memory]`,
      "memory limits cannot be added unless resizePolicy is RestartContainer",
    );
  }
  // a smaller limit is allowed from 1.34 on: the kubelet tries what it can
}

function withOldComputeResources(now: ContainerFields, before: ContainerFields, mutable: boolean): Fields {
  if (!mutable) return now as Fields;
  const restored = (kind: "requests" | "limits"): Fields | undefined => {
    const old = before.resources?.[kind] as Fields | undefined;
    let list: Fields = (now.resources?.[kind] ?? {}) as Fields;
    for (const name of ["cpu", "memory"]) list = setField(list, name, old?.[name]);
    return Object.keys(list).length === 0 ? undefined : list;
  };
  const resources = setField(
    setField((now.resources ?? {}) as Fields, "limits", restored("limits")),
    "requests",
    restored("requests"),
  );
  return setField(setField(now as Fields, "resources", resources), "resizePolicy", before.resizePolicy);
}
