/**
 * Requests in, answers out, whichever way they came: authentication, authorization, routing, errors.
 * Source: k8s.io/apiserver pkg/server, pkg/endpoints.
 */
import {
  type StatusError,
  badRequest,
  failure,
  forbidden,
  internalError,
  isStatusError,
  methodNotSupported,
} from "@bowline/api";
import { builtinResources } from "@bowline/api/catalog";
import type { Clock, Random } from "@bowline/client";
import type { AdmissionChain } from "../registry/admission.ts";
import type { AccessControl } from "../access/access-control.ts";
import { auditEvent } from "../access/audit.ts";
import { refusal } from "../access/authorization.ts";
import { actingUser } from "../access/impersonation.ts";
import { resourceName } from "../registry/generic-registry.ts";
import type { Resource } from "../registry/resource.ts";
import type { UserInfo } from "../registry/user.ts";
import type { ResourceCatalog } from "../registry/resource-catalog.ts";
import type { Store } from "../store/store.ts";
import { contentType, errorEncoding, requireRoutable } from "./negotiation.ts";
import { answerNonResource, pathIndex } from "./non-resource.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";
import { type RequestInfo, parseRequestInfo } from "./request-info.ts";
import type { PodSessionPort } from "../session-port.ts";
import { answerSnapshot, snapshotPath } from "./snapshot-endpoint.ts";
import { reviewHandler } from "./reviews/review-handlers.ts";
import { subresourceHandler } from "./subresources/subresource-handlers.ts";
import { answerComponentStatus } from "./component-status.ts";
import { type UsageSource, answerMetrics } from "./usage-metrics.ts";
import type { VerbContext } from "./verb-context.ts";
import { createFromRequest } from "./verbs/create.ts";
import { deleteCollection, deleteFromRequest } from "./verbs/delete.ts";
import { getObject } from "./verbs/get.ts";
import { listObjects } from "./verbs/list.ts";
import { patchFromRequest } from "./verbs/patch.ts";
import { getScale, writeScale } from "./verbs/scale.ts";
import { endpointStrategy, missingSubresource, updateFromRequest } from "./verbs/update.ts";
import { watchObjects } from "./verbs/watch.ts";

export interface ApiServerOptions {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: AdmissionChain;
  readonly access: AccessControl;
  /** Those who run the pods; undefined while nobody does. */
  sessions(): PodSessionPort | undefined;
  /** What containers use; undefined while nobody knows. */
  metrics(): UsageSource | undefined;
  /** Hears of errors that are ours: each is a bug, answered with 500. */
  readonly onInternalError?: (error: unknown, request: ServerRequest) => void;
}

/** What is learned about a request while it is answered. */
interface Exchange {
  readonly info: RequestInfo;
  /** Texts of the Warning headers, each once. */
  readonly warnings: Set<string>;
  /** For the audit log. */
  readonly annotations: Map<string, string>;
  impersonated: UserInfo | undefined;
}

export class ApiServer {
  readonly #options: ApiServerOptions;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Never rejects: every failure becomes an answer. */
  async handle(request: ServerRequest): Promise<ServerResponse> {
    const { clock, random, access, store } = this.#options;
    const exchange: Exchange = {
      info: parseRequestInfo(request.method, request.path, request.query),
      warnings: new Set(),
      annotations: new Map(),
      impersonated: undefined,
    };
    const receivedAt = access.audit === undefined ? 0 : clock.now();
    let response: ServerResponse;
    try {
      response = await this.#route(request, exchange);
    } catch (error) {
      response = this.#failure(error, request);
    }
    // what is acknowledged is durable; reads wait for nothing
    if (request.method !== "GET" && request.method !== "HEAD") await store.flushed();
    finish(response, exchange.warnings, random);
    if (access.audit !== undefined) this.#audit(request, exchange, { response, receivedAt });
    return response;
  }

  async #route(received: ServerRequest, exchange: Exchange): Promise<ServerResponse> {
    const { info, warnings, annotations } = exchange;
    const { access, catalog } = this.#options;
    const user = actingUser(received.user, received.headers, access.authorizer);
    const request = user === received.user ? received : { ...received, user };
    if (request !== received) exchange.impersonated = user;
    this.#authorize(request, exchange);
    if (!info.isResource) {
      if (request.path === snapshotPath) return answerSnapshot(request, this.#options.store);
      return answerNonResource(request, info, this.#options) ?? this.#nothingAt(request, info);
    }
    const measured = answerMetrics(request, info, this.#options);
    if (measured !== undefined) return measured;
    const resource = catalog.find(info.group, info.version, info.resource);
    if (resource === undefined || !scopeFits(resource, info)) return notFoundAt(request, info);
    refuseMethod(resource, info);
    if (!resource.typedItems && !sessions.has(info.subresource)) {
      requireRoutable(request.headers["accept"], info.verb === "list" || info.verb === "watch");
    }
    if (resource.deprecation !== undefined) warnings.add(resource.deprecation);
    return dispatch({ ports: this.#options, request, info, resource, warnings, annotations });
  }

  #authorize(request: ServerRequest, { info, annotations }: Exchange): void {
    const { authorizer, recorder, audit } = this.#options.access;
    const fieldSelector = request.query.get("fieldSelector") ?? "";
    const question = { user: request.user, info, path: request.path, fieldSelector };
    const decision = authorizer.authorize(question);
    recorder.observe(question, { userAgent: request.headers["user-agent"], allowed: decision.allowed });
    if (audit !== undefined) {
      annotations.set("authorization.k8s.io/decision", decision.allowed ? "allow" : "forbid");
      annotations.set("authorization.k8s.io/reason", decision.reason);
    }
    if (decision.allowed) return;
    const why = refusal(question, decision);
    if (info.isResource) throw forbidden({ group: info.group, resource: info.resource }, info.name, why);
    throw failure(403, "Forbidden", `forbidden: ${why}`, {});
  }

  #audit(
    request: ServerRequest,
    { info, impersonated, annotations }: Exchange,
    { response, receivedAt }: { response: ServerResponse; receivedAt: number },
  ): void {
    const query = request.query.toString();
    const event = auditEvent({
      id: String(response.headers["audit-id"]),
      uri: query === "" ? request.path : `${request.path}?${query}`,
      info,
      user: request.user,
      impersonated,
      userAgent: request.headers["user-agent"],
      code: response.status,
      receivedAt,
      answeredAt: this.#options.clock.now(),
      annotations,
    });
    this.#options.access.audit?.(JSON.stringify(event));
  }

  /** Nothing is at a path that is no resource: outside of /apis a client is told what paths there are. */
  #nothingAt(request: ServerRequest, info: RequestInfo): ServerResponse {
    if (info.group !== "" && request.path.startsWith("/apis/")) return notFoundAt(request, info);
    return { ...pathIndex(request, this.#options.catalog), status: 404 };
  }

  #failure(error: unknown, request: ServerRequest): ServerResponse {
    if (isStatusError(error)) return errorAnswer(error, request);
    this.#options.onInternalError?.(error, request);
    return errorAnswer(internalError(error instanceof Error ? error.message : String(error)), request);
  }
}

/** Subresources that answer in forms of their own. */
const sessions: ReadonlySet<string> = new Set(["attach", "exec", "log", "portforward", "proxy"]);

/**
 * Methods that a path does not have. A built-in path has only its own methods; that of a custom resource takes every
 * method and its verb says what is missing.
 */
function refuseMethod(resource: Resource, info: RequestInfo): void {
  const onItem = info.name !== "";
  if (resource.typedItems) {
    if (!onItem && (info.verb === "update" || info.verb === "patch"))
      throw badRequest("name must be provided");
    return;
  }
  const endpoint = resource.api.subresources.find(({ name }) => name === info.subresource);
  const misplaced = onItem
    ? endpoint === undefined
      ? info.verb === "create" && info.subresource === ""
      : !endpoint.verbs.includes(info.verb)
    : info.verb === "update" || info.verb === "patch";
  if (info.verb !== "" && !misplaced) return;
  throw failure(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );
}

const builtinGroups: ReadonlySet<string> = new Set(builtinResources.map((resource) => resource.group));

/** Nothing is at this path. Groups of built-in resources say so with a Status, all others as a plain web server. */
function notFoundAt(request: ServerRequest, info: RequestInfo): ServerResponse {
  if (/^\/apis?\/./.test(request.path) && builtinGroups.has(info.group)) {
    throw failure(404, "NotFound", "the server could not find the requested resource", {});
  }
  return {
    kind: "raw",
    status: 404,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    data: "404 page not found\n",
  };
}

/** The answer that carries an error's Status, in the encoding that the client would have had the object in. */
export function errorAnswer(error: StatusError, request?: Pick<ServerRequest, "headers">): ServerResponse {
  const encoding = errorEncoding(request?.headers["accept"]);
  const seconds = error.status.details?.retryAfterSeconds;
  return {
    kind: "object",
    status: error.code,
    headers: {
      "content-type": contentType(encoding),
      ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    },
    object: error.status,
  };
}

/** A namespaced resource has no cluster-wide items and no creates without namespace; a cluster-scoped one no namespace. */
function scopeFits(resource: Resource, info: RequestInfo): boolean {
  if (!resource.api.namespaced) return info.namespace === "" || info.resource === "namespaces";
  if (info.namespace !== "") return true;
  // across namespaces there are only collections
  return info.verb === "list" || info.verb === "watch";
}

async function dispatch(context: VerbContext): Promise<ServerResponse> {
  const { info, resource } = context;
  if (!resource.typedItems && resource.api.kind === "ComponentStatus") return answerComponentStatus(context);
  const review = reviewHandler(resource);
  if (review !== undefined) return review(context);
  if (info.subresource !== "") return dispatchSubresource(context);
  switch (info.verb) {
    case "get":
      return getObject(context);
    case "list":
      return listObjects(context);
    case "watch":
      return watchObjects(context);
    case "create":
      return createFromRequest(context);
    case "update":
      return updateFromRequest(context);
    case "patch":
      return patchFromRequest(context);
    case "delete":
      return deleteFromRequest(context);
    case "deletecollection":
      return deleteCollection(context);
    default:
      throw methodNotSupported(resourceName(resource), info.verb);
  }
}

async function dispatchSubresource(context: VerbContext): Promise<ServerResponse> {
  const { info, resource } = context;
  const handler = subresourceHandler(resource, info.subresource);
  if (handler !== undefined) return handler(context);
  if (info.subresource === "scale" && resource.scale !== undefined) {
    if (info.verb === "get") return getScale(context, resource.scale);
    if (info.verb === "update" || info.verb === "patch") return writeScale(context, resource.scale);
    throw methodNotSupported(resourceName(resource), info.verb);
  }
  endpointStrategy(context);
  switch (info.verb) {
    case "get":
      return getObject(context);
    case "update":
      return updateFromRequest(context);
    case "patch":
      return patchFromRequest(context);
    case "delete":
    case "create":
      throw methodNotSupported(resourceName(resource), info.verb);
    default:
      throw missingSubresource(context);
  }
}

/** Headers that every answer has. */
function finish(response: ServerResponse, warnings: ReadonlySet<string>, random: Random): ServerResponse {
  const { headers } = response;
  headers["audit-id"] = random.uuid();
  headers["cache-control"] ??= "no-cache, private";
  const lines = [...warnings].map(warningHeader).filter((line) => line !== undefined);
  if (lines.length > 0) headers["warning"] = lines;
  return response;
}

/**
 * One line of a Warning header; undefined for a text that no header can carry, which is left out as by the real server.
 * Source: apimachinery util/net NewWarningHeader.
 */
export function warningHeader(text: string): string | undefined {
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
  return `299 - "${text.replace(/[\\"]/g, "\\$&")}"`;
}
