/** Groups of the Kubernetes project need an approval. Source: apiextensions-apiserver pkg/apihelpers/helpers.go. */
import { isRequestUri } from "../schema/format-uri.ts";
import { quote } from "../status/field-error.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { parseUrl } from "./webhook-url.ts";

export const approvalAnnotation = "api-approved.kubernetes.io";

export interface Approval {
  readonly state: "missing" | "bypassed" | "approved" | "invalid";
  readonly reason: string;
}

/** Whether a group belongs to the Kubernetes project: `k8s.io`, `kubernetes.io` and what is below them. */
export function isProtectedGroup(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

export function approvalOf(crd: CustomResourceDefinition): Approval {
  const value = crd.metadata.annotations?.[approvalAnnotation] ?? "";
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  const must = `protected groups must have approval annotation ${quote(approvalAnnotation)}`;
  if (value === "") return { state: "missing", reason: `${must}, ${see}` };
  if (value.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${quote(value)}` };
  const url = isRequestUri(value) ? parseUrl(value) : undefined;
  if (url !== undefined && "host" in url && url.host !== "" && url.scheme !== "") {
    return { state: "approved", reason: `approved in ${value}` };
  }
  return {
    state: "invalid",
    reason: `${must} with either a URL or a reason starting with "unapproved", ${see}`,
  };
}
