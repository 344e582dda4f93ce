/** One line of JSON per request: who did what, and how it ended. Source: k8s.io/apiserver pkg/apis/audit/v1, level Metadata. */
import type { UserInfo } from "../registry/user.ts";
import type { RequestAttributes } from "./authorization.ts";

/** What is known of a request when it has been answered. */
export interface AuditedRequest {
  readonly id: string;
  /** Path and query as sent. */
  readonly uri: string;
  readonly info: RequestAttributes & { readonly version: string };
  /** Who sent it. */
  readonly user: UserInfo;
  /** Who it acted as, when that is somebody else. */
  readonly impersonated: UserInfo | undefined;
  readonly userAgent: string | undefined;
  /** HTTP status of the answer. */
  readonly code: number;
  readonly receivedAt: number;
  readonly answeredAt: number;
  readonly annotations: ReadonlyMap<string, string>;
}

/** The audit.k8s.io/v1 Event of a request, stage ResponseComplete. */
export function auditEvent(request: AuditedRequest): object {
  const { info, user, impersonated, userAgent, annotations } = request;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: request.id,
    stage: "ResponseComplete",
    requestURI: request.uri,
    verb: info.verb,
    user: userBody(user),
    ...(impersonated === undefined ? {} : { impersonatedUser: userBody(impersonated) }),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(info.isResource ? { objectRef: objectRef(info) } : {}),
    responseStatus: { metadata: {}, code: request.code },
    requestReceivedTimestamp: micro(request.receivedAt),
    stageTimestamp: micro(request.answeredAt),
    ...(annotations.size === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  };
}

/** A user as authentication/v1 UserInfo. */
export function userBody({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function objectRef(info: AuditedRequest["info"]): object {
  const fields = {
    resource: info.resource,
    namespace: info.namespace,
    name: info.name,
    apiGroup: info.group,
    apiVersion: info.version,
    subresource: info.subresource,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function micro(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 23)}000Z`;
}
