/** Requests out of an audit log: that of an embedded cluster, or of any API server. Source: audit.k8s.io/v1 Event. */
import { readFileSync } from "node:fs";
import type { RecordedRequest } from "@bowline/cluster";
import { CommandError } from "../errors.ts";

interface AuditEvent {
  readonly kind?: string;
  readonly stage?: string;
  readonly verb?: string;
  readonly requestURI?: string;
  readonly userAgent?: string;
  readonly user?: { readonly username?: string };
  readonly impersonatedUser?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** Whose requests count. */
export interface AuditFilter {
  /** `system:serviceaccount:shop-system:shop-controller-manager`. */
  readonly user?: string;
  /** What its User-Agent begins with. */
  readonly userAgent?: string;
}

/**
 * The requests of a log, each once. An apply that created its object needed the permission to create as well.
 * @throws CommandError for a file that is no audit log
 */
export function requestsInLog(file: string, filter: AuditFilter): RecordedRequest[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return recordedRequests(
    lines.flatMap((line, i) => {
      if (line.trim() === "") return [];
      const event = parseEvent(line);
      // the last line of a log that is being written may be half there
      if (event === undefined && i === lines.length - 1) return [];
      if (event === undefined) {
        throw new CommandError(
          `${file}:${i + 1} is not an audit event: one line of JSON per request is expected`,
        );
      }
      return [event];
    }),
    filter,
  );
}

export function parseEvent(line: string): AuditEvent | undefined {
  try {
    const event = JSON.parse(line) as AuditEvent | null;
    return event?.kind === "Event" ? event : undefined;
  } catch {
    return undefined;
  }
}

export function recordedRequests(events: readonly AuditEvent[], filter: AuditFilter): RecordedRequest[] {
  const seen = new Map<string, RecordedRequest>();
  for (const event of events) {
    if (!isWanted(event, filter)) continue;
    for (const request of requestsOf(event)) seen.set(Object.values(request).join("\0"), request);
  }
  return [...seen.values()];
}

function isWanted({ user, impersonatedUser, userAgent, stage }: AuditEvent, filter: AuditFilter): boolean {
  if (stage === "RequestReceived") return false;
  const name = (impersonatedUser ?? user)?.username;
  if (filter.user !== undefined && filter.user !== name) return false;
  return filter.userAgent === undefined || userAgent?.startsWith(filter.userAgent) === true;
}

function requestsOf(event: AuditEvent): RecordedRequest[] {
  const { objectRef: object, verb = "", requestURI = "", responseStatus } = event;
  const request: RecordedRequest = {
    isResource: object?.resource !== undefined,
    verb,
    group: object?.apiGroup ?? "",
    namespace: object?.namespace ?? "",
    resource: object?.resource ?? "",
    subresource: object?.subresource ?? "",
    name: object?.name ?? "",
    path: object?.resource === undefined ? (requestURI.split("?")[0] ?? "") : "",
    allowed: responseStatus?.code !== 403,
  };
  const hasCreated = request.isResource && verb === "patch" && responseStatus?.code === 201;
  return hasCreated ? [request, { ...request, verb: "create" }] : [request];
}
