/** Which container of which pod a session is for. Source: kubernetes pkg/registry/core/pod (strategy.go). */
import { badRequest, failure, notFound } from "@bowline/api";
import type { StoredObject } from "../../store/revision.ts";
import type { VerbContext } from "../verb-context.ts";
import type { PodSessionPort, SessionPod } from "../../session-port.ts";

interface Named {
  readonly name: string;
}

/** What of a pod sessions look at. */
export interface SessionPodObject extends StoredObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly Named[];
    readonly initContainers?: readonly Named[];
    readonly ephemeralContainers?: readonly Named[];
  };
  readonly status?: { readonly hostIP?: string };
}

/** @throws StatusError 404 */
export function sessionPod({ resource, info }: VerbContext): SessionPodObject {
  const found = resource.bucket.get(`${info.namespace}/${info.name}`)?.object;
  if (found === undefined) throw notFound({ group: "", resource: "pods" }, info.name);
  return found as SessionPodObject;
}

export function identityOf(pod: SessionPodObject): SessionPod {
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  return { namespace, pod: name, uid };
}

/** The container that is asked for, or the only one. @throws StatusError 400 */
export function chosenContainer(pod: SessionPodObject, asked: string): string {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = pod.spec ?? {};
  const { name = "" } = pod.metadata;
  if (asked !== "") {
    const isKnown = [...containers, ...initContainers, ...ephemeralContainers].some((c) => c.name === asked);
    if (!isKnown) throw badRequest(`container ${asked} is not valid for pod ${name}`);
    return asked;
  }
  const [only, ...more] = containers;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  if (more.length === 0) return only.name;
  const names = (list: readonly Named[]): string => `[${list.map((c) => c.name).join(" ")}]`;
  const inits = initContainers.length === 0 ? "" : ` or one of the init containers: ${names(initContainers)}`;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: ${names(containers)}${inits}`,
  );
}

/** The pod's node. @throws StatusError 400 for a pod without one, 404 for a node that is gone */
export function hostOf({ ports }: VerbContext, pod: SessionPodObject): string {
  const { nodeName = "" } = pod.spec ?? {};
  if (nodeName === "") throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
  if (ports.store.bucket("/nodes").get(nodeName) === undefined)
    throw notFound({ group: "", resource: "nodes" }, nodeName);
  return nodeName;
}

/**
 * Those who run the pod.
 * @param doing what the real server would have been doing: `error dialing backend`
 * @throws StatusError 500 in the words of a connection that comes to nothing
 */
export function reachedSessions(
  { ports }: VerbContext,
  { pod, host, doing }: { readonly pod: SessionPodObject; readonly host: string; readonly doing: string },
): PodSessionPort {
  const sessions = ports.sessions();
  if (sessions?.reaches(host) === true) return sessions;
  const address = `${pod.status?.hostIP ?? host}:${kubeletPort}`;
  throw failure(500, "", `${doing}: dial tcp ${address}: connect: no route to host`, {});
}

export const kubeletPort = 10250;
