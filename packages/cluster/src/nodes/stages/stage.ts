/**
 * Stages: what becomes of objects, step by step, as kwok's `Stage` objects say it.
 * Source: kwok.x-k8s.io/v1alpha1 Stage (kwok pkg/apis/v1alpha1).
 */

/** A `kwok.x-k8s.io/v1alpha1` Stage, as in YAML. */
export interface Stage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    /** The kind that it is for; `apiGroup` is a group and version, such as `apps/v1`, and `v1` when absent. */
    readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
    /** Objects that it is for. An empty one is for all, an absent one for none. */
    readonly selector?: StageSelector;
    /** How often it is drawn among the stages that match. Default 0. */
    readonly weight?: number;
    readonly weightFrom?: StageExpression;
    readonly delay?: StageDelay;
    readonly next?: StageNext;
    /** What happens, in this order; after what `next` says. */
    readonly steps?: readonly StageStep[];
    /** True: what comes next is decided at once, and not when the change is seen. */
    readonly immediateNextStage?: boolean;
  };
}

export interface StageSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchAnnotations?: Readonly<Record<string, string>>;
  /** All of them hold. `key`, `operator` and `values` are the same as those in `jq`. */
  readonly matchExpressions?: readonly (Partial<StageRequirement> & {
    readonly jq?: StageRequirement;
    /** An expression in CEL about `self`, the object. */
    readonly cel?: { readonly expression: string };
  })[];
}

/** What the values that a jq query finds must be. */
export interface StageRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Where a number or a duration is found: `expressionFrom` is the same as the one in `jq`. */
export interface StageExpression {
  readonly expressionFrom?: string;
  readonly jq?: { readonly expression: string };
  readonly cel?: { readonly expression: string };
}

/** With a jitter, the time is one between the two. */
export interface StageDelay {
  readonly durationMilliseconds?: number;
  readonly durationFrom?: StageExpression;
  readonly jitterDurationMilliseconds?: number;
  readonly jitterDurationFrom?: StageExpression;
}

export interface StageNext {
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  /** A Go template that makes the YAML of a patch to the status. */
  readonly statusTemplate?: string;
  /** The subresource that `statusTemplate` is for. Default `status`. */
  readonly statusSubresource?: string;
  /** Who `statusTemplate` is written as. */
  readonly statusPatchAs?: StageUser;
  readonly patches?: readonly StagePatch[];
}

export interface StageStep {
  readonly event?: StageEvent;
  readonly finalizers?: StageFinalizers;
  readonly delete?: boolean;
  readonly patch?: StagePatch;
  readonly apply?: StageApply;
}

export interface StageEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface StageFinalizers {
  readonly add?: readonly { readonly value: string }[];
  readonly remove?: readonly { readonly value: string }[];
  readonly empty?: boolean;
}

export interface StagePatch {
  readonly subresource?: string;
  /** The field that the template fills; the whole object when absent. */
  readonly root?: string;
  readonly template: string;
  /** Default `strategic` for Pod and Node, `merge` for others. */
  readonly type?: "json" | "merge" | "strategic";
  readonly impersonation?: StageUser;
}

/** Another object, which is made when it is not there. */
export interface StageApply {
  readonly template: string;
  readonly subresource?: string;
  /** How one that is there is changed. Default `apply`. */
  readonly type?: "apply" | "merge" | "strategic";
  readonly impersonation?: StageUser;
}

/** Who a request is made as. */
export interface StageUser {
  readonly username: string;
}

/** A stage that cannot be carried out as it is written. */
export class StageError extends Error {
  override readonly name: string = "StageError";
  readonly code: string = "BOWLINE_STAGE";
}
