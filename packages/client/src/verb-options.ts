import type { DeepReadonly, JsonPatchOperation, LabelSelector } from "@bowline/api";

/** What every verb takes. */
export interface CallOptions {
  /** Aborting it makes the call throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends CallOptions {
  /** A subresource instead of the object: `status`. */
  readonly subresource?: string | undefined;
  /** `"0"`: anything the server has cached; a version: not older than that. Default: the most recent. */
  readonly resourceVersion?: string | undefined;
}

export interface SelectOptions extends CallOptions {
  /** Only this namespace. Absent: the client's default namespace, or all of them. */
  readonly namespace?: string | undefined;
  /** `app=web,tier in (a,b)`, or the structured form. */
  readonly labelSelector?: string | DeepReadonly<LabelSelector> | undefined;
  /** `status.phase=Running`, or `{ "status.phase": "Running" }`. */
  readonly fieldSelector?: string | Readonly<Record<string, string>> | undefined;
}

export interface ListOptions extends SelectOptions {
  /** At most so many items; the list's `metadata.continue` then leads to the next. Absent: everything in one answer. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface PageOptions extends SelectOptions {
  /** Items per page. Default 500. */
  readonly pageSize?: number | undefined;
}

export interface WatchOptions extends SelectOptions {
  /** Events after this version. Absent: the present objects as ADDED, then what changes. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Asks for BOOKMARK events, about one a minute. Default true. */
  readonly bookmarks?: boolean | undefined;
  /** Present objects as ADDED, then a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** After how many seconds the server ends the watch. Default: the server's choice. */
  readonly timeoutSeconds?: number | undefined;
}

/** What the writing verbs share; each may be given once for all calls with `withDefaults`. */
export interface WriteOptions extends CallOptions {
  /** Who owns the fields that this call writes; at most 128 characters. */
  readonly fieldManager?: string | undefined;
  /** What the server does about unknown and duplicate fields. Default: the server's (`Warn`). */
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
  /** Everything happens but the storing. */
  readonly dryRun?: boolean | undefined;
  /** Write to a subresource: `status`. */
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes over fields that other managers own, instead of answering Conflict. Default false. */
  readonly force?: boolean | undefined;
}

export interface PatchOptions extends WriteOptions {
  /** The patch is refused with Conflict unless the object still has this version (merge and strategic patches). */
  readonly resourceVersion?: string | undefined;
}

export type PropagationPolicy = "Background" | "Foreground" | "Orphan";

export interface DeleteOptions extends CallOptions {
  /** Delete only this very object: answers Conflict when uid or resourceVersion differ. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  /** What becomes of its dependents. Default: the kind's (mostly `Background`). */
  readonly propagationPolicy?: PropagationPolicy | undefined;
  /** Only pods: seconds to end in. 0 removes at once. */
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface DeleteAllOfOptions extends SelectOptions {
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

/**
 * A patch in one of three forms: `{ merge: { spec: { replicas: 5 } } }` (RFC 7386: lists are replaced whole, null removes),
 * `{ json: [{ op: "remove", path: "/metadata/labels/a" }] }`, or `{ strategic: ... }` (built-in kinds only: lists merge by
 * their keys).
 */
export type Patch<MergeBody> =
  | { readonly merge: MergeBody }
  | { readonly strategic: MergeBody | { readonly [field: string]: unknown } }
  | { readonly json: readonly JsonPatchOperation[] };
