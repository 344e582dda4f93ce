/** May they? Source: k8s.io/apiserver pkg/authorization, pkg/endpoints/handlers/responsewriters (errors.go). */
import type { UserInfo } from "../registry/user.ts";

/** The parts of a request that decide. */
export interface RequestAttributes {
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

/** What somebody wants to do. */
export interface AuthorizationRequest {
  readonly user: UserInfo;
  readonly info: RequestAttributes;
  /** Of a request that is no resource. */
  readonly path: string;
  /** `spec.nodeName=n1`, as the request has it; only some lists are allowed because of it. */
  readonly fieldSelector?: string;
}

export interface Decision {
  readonly allowed: boolean;
  /** By which rule it is allowed, or what could not be looked up; mostly empty for a refusal. */
  readonly reason: string;
}

/** Answers at once and from memory: every request is asked about. */
export interface Authorizer {
  authorize(request: AuthorizationRequest): Decision;
}

/** The sentence of a 403. */
export function refusal({ user, info, path }: AuthorizationRequest, decision: Decision): string {
  const why = decision.reason === "" ? "" : `: ${decision.reason}`;
  if (!info.isResource) return `User "${user.name}" cannot ${info.verb} path "${path}"${why}`;
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === "" ? "at the cluster scope" : `in the namespace "${info.namespace}"`;
  return `User "${user.name}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${scope}${why}`;
}

/** Group whose members may do everything, whatever the roles say. */
export const mastersGroup: string = "system:masters";

/** Lets everybody do everything, as a server without authorization does. */
export const allowAll: Authorizer = { authorize: () => ({ allowed: true, reason: "" }) };
