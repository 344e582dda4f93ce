/** Priorities of pods from their class. Source: kubernetes plugin/pkg/admission/priority. */
import { deepFreeze } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { isPod, objectOf, podSpec, withSpec } from "./pod-fields.ts";
import { refusal } from "./refusal.ts";

interface PriorityClass {
  readonly metadata: { readonly name?: string };
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

const systemClasses = [
  {
    name: "system-cluster-critical",
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
  {
    name: "system-node-critical",
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
];

/** Creates the two classes that every cluster has. */
export function bootstrapPriorityClasses(
  classes: Bucket,
  ports: { now: () => number; uuid: () => string },
): void {
  for (const { name, value, description } of systemClasses) {
    if (classes.get(name) !== undefined) continue;
    classes.put(name, undefined, (resourceVersion) => {
      const metadata = {
        creationTimestamp: rfc3339(ports.now()),
        generation: 1,
        name,
        resourceVersion,
        uid: ports.uuid(),
      };
      const apiVersion = "scheduling.k8s.io/v1";
      const preemptionPolicy = "PreemptLowerPriority";
      const object = { apiVersion, kind: "PriorityClass", metadata, description, preemptionPolicy, value };
      return deepFreeze(object) as unknown as StoredObject;
    });
  }
}

export function priority(classes: Bucket): AdmissionPlugin {
  return {
    name: "Priority",
    mutate(request) {
      const pod = objectOf(request);
      return isPod(request) && request.operation === "CREATE" ? prioritized(request, pod, classes) : pod;
    },
    validate(request) {
      if (request.resource.bucket === classes && request.object !== undefined) checkDefault(request, classes);
    },
  };
}

function prioritized(request: AdmissionRequest, pod: StoredObject, classes: Bucket): StoredObject {
  const spec = podSpec(pod);
  const refuse = (why: string): never => {
    throw refusal(request, why);
  };
  const { priorityClassName = "" } = spec;
  const found = priorityClassName === "" ? defaultClass(classes) : classFor(classes, priorityClassName);
  if (found === undefined && priorityClassName !== "")
    return refuse(`no PriorityClass with name ${priorityClassName} was found`);
  const value = found?.value ?? 0;
  if (spec.priority !== undefined && spec.priority !== null && spec.priority !== value) {
    return refuse(
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  const policy = found?.preemptionPolicy ?? "PreemptLowerPriority";
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    return refuse(
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  const name = found?.metadata.name;
  return withSpec(pod, {
    priority: value,
    preemptionPolicy: policy,
    ...(name === undefined ? {} : { priorityClassName: name }),
  });
}

function classFor(classes: Bucket, name: string): PriorityClass | undefined {
  return classes.get(name)?.object as unknown as PriorityClass | undefined;
}

/** The class of pods that name none; of several the lowest. */
function defaultClass(classes: Bucket): PriorityClass | undefined {
  const defaults = classes
    .list("")
    .map((r) => r.object as unknown as PriorityClass)
    .filter((c) => c.globalDefault === true);
  return defaults.sort((a, b) => a.value - b.value)[0];
}

function checkDefault(request: AdmissionRequest, classes: Bucket): void {
  if ((request.object as unknown as PriorityClass).globalDefault !== true) return;
  const other = defaultClass(classes);
  if (other === undefined || other.metadata.name === request.name) return;
  const why = `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`;
  throw refusal(request, why);
}
