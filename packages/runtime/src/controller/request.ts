/**
 * What a reconcile is asked to look at: a key, never an object and never an event. Level-triggered loops read the
 * present state themselves.
 */
export interface ReconcileRequest {
  /** Name of the cluster in the manager; `""` is the manager's own. */
  readonly cluster: string;
  /** `""` for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** Why a key was queued: for logs and people, not for branching. */
export interface Cause {
  /** `added`, `updated`, `deleted`, `resync`, `retry`, `requeue`, `timer`, `generic`. */
  readonly event: "added" | "updated" | "deleted" | "resync" | "retry" | "requeue" | "timer" | "generic";
  /** Kind of the object whose event it was: `Deployment`; absent for timers and retries. */
  readonly kind?: string;
  /** `namespace/name` of that object. */
  readonly object?: string;
  /** resourceVersion of that object at the event. */
  readonly resourceVersion?: string;
  /** For `updated`: what differed, `["spec.replicas"]`, at most ten. Worked out when it is asked for. */
  changedFields?(): readonly string[];
}

/**
 * The queue's key of a request: `default/web`, `/node-1` for cluster-scoped objects, and with a cluster in front
 * `east|default/web`. An object's name never holds `/` and a namespace never holds `|`, so it parses back.
 */
export function requestKey(request: ReconcileRequest): string {
  const key = `${request.namespace}/${request.name}`;
  return request.cluster === "" ? key : `${request.cluster}|${key}`;
}

export function parseRequestKey(key: string): ReconcileRequest {
  const slash = key.lastIndexOf("/");
  const name = key.slice(slash + 1);
  const bar = key.lastIndexOf("|", slash);
  if (bar < 0) return { cluster: "", namespace: key.slice(0, slash), name };
  return { cluster: key.slice(0, bar), namespace: key.slice(bar + 1, slash), name };
}

/** The store's key of an object: `namespace/name`, `/name` for cluster-scoped ones. */
export function objectKey(object: {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}
