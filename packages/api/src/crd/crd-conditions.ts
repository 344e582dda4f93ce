import type { CrdStatus, CustomResourceDefinition } from "./custom-resource-definition.ts";

export interface CrdStatusContext {
  /** Every other CRD of the cluster (those of other groups are ignored). */
  readonly others: readonly CustomResourceDefinition[];
  /** RFC 3339, whole seconds: `lastTransitionTime` of conditions that change. */
  readonly now: string;
}

/**
 * The status that the server's controllers arrive at: accepted names (and conflicts with others of the group),
 * NamesAccepted, Established, NonStructuralSchema, KubernetesAPIApprovalPolicyConformant. The same reference when
 * nothing changed. Source: apiextensions-apiserver pkg/controller/{status,establish,nonstructuralschema,apiapproval}.
 */
export function computeCrdStatus(_crd: CustomResourceDefinition, _context: CrdStatusContext): CrdStatus {
  throw new Error("in progress");
}

/** The status with the Terminating condition of a CRD whose custom resources are being deleted or are all gone. */
export function terminatingCrdStatus(
  _crd: CustomResourceDefinition,
  _progress: { readonly state: "pending" | "inProgress" | "completed"; readonly now: string },
): CrdStatus {
  throw new Error("in progress");
}
