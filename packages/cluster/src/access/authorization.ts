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
}

export interface Decision {
  readonly allowed: boolean;
  /** Why not, as the 403 says it. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(request: AuthorizationRequest): Decision | Promise<Decision>;
}

/** The sentence of a 403. Source: k8s.io/apiserver pkg/endpoints/handlers/responsewriters (errors.go). */
export function refusal({ user, info, path }: AuthorizationRequest): string {
  if (!info.isResource) return `User "${user.name}" cannot ${info.verb} path "${path}"`;
  const resource = info.subresource === "" ? info.resource : `${info.resource}/${info.subresource}`;
  const scope = info.namespace === "" ? "at the cluster scope" : `in the namespace "${info.namespace}"`;
  return `User "${user.name}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${scope}`;
}

const openPaths = /^\/(healthz|livez|readyz|version)(\/|$)/;

/** Lets administrators do everything and anybody else read health and version. */
export const adminAuthorizer: Authorizer = {
  authorize(request) {
    const { user, info, path } = request;
    const allowed = user.groups.includes("system:masters") || (!info.isResource && openPaths.test(path));
    return { allowed, reason: allowed ? "" : refusal(request) };
  },
};
