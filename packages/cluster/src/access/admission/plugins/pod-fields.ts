import type { DeepReadonly, ObjectMeta, UnstructuredObject } from "@bowline/api";
import type { Container, PodSpec } from "@bowline/api/core/v1";
import type { AdmissionRequest } from "../../../registry/admission.ts";
import type { StoredObject } from "../../../store/revision.ts";

export type Spec = DeepReadonly<PodSpec>;
export type AnyContainer = DeepReadonly<Container>;

/** Whether a request creates or changes a pod itself. */
export function isPod({ resource, subresource }: AdmissionRequest): boolean {
  return resource.api.plural === "pods" && resource.api.group === "" && subresource === "";
}

export function podSpec(object: StoredObject | undefined): Spec {
  return (object?.["spec"] ?? { containers: [] }) as Spec;
}

/** The object of a request that has one. */
export function objectOf(request: AdmissionRequest): StoredObject {
  if (request.object === undefined)
    throw new Error(`admission of ${request.resource.api.plural} without an object`);
  return request.object;
}

/** The pod with these fields of its spec set; undefined ones are left as they are. */
export function withSpec(pod: StoredObject, changes: Partial<Record<keyof PodSpec, unknown>>): StoredObject {
  return { ...pod, spec: { ...podSpec(pod), ...changes } } as unknown as StoredObject;
}

/** Init containers, containers and ephemeral containers, in this order. */
export function allContainers(spec: Spec): readonly AnyContainer[] {
  const ephemeral = (spec.ephemeralContainers ?? []) as unknown as readonly AnyContainer[];
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...ephemeral];
}

/** Pods and what makes pods: metadata and spec of the pod, or of the template. Undefined for other kinds. */
export function podTemplateOf(
  object: StoredObject,
): { readonly metadata: DeepReadonly<ObjectMeta>; readonly spec: Spec } | undefined {
  const read = (value: unknown): ReturnType<typeof podTemplateOf> => {
    const { metadata = {}, spec } = (value ?? {}) as Partial<UnstructuredObject> & { spec?: Spec };
    return spec === undefined ? undefined : { metadata: metadata as DeepReadonly<ObjectMeta>, spec };
  };
  const spec = object["spec"] as
    | { template?: unknown; jobTemplate?: { spec?: { template?: unknown } } }
    | undefined;
  switch (object.kind) {
    case "Pod":
      return read(object);
    case "PodTemplate":
      return read(object["template"]);
    case "CronJob":
      return read(spec?.jobTemplate?.spec?.template);
    case "DaemonSet":
    case "Deployment":
    case "Job":
    case "ReplicaSet":
    case "ReplicationController":
    case "StatefulSet":
      return read(spec?.template);
    default:
      return undefined;
  }
}
