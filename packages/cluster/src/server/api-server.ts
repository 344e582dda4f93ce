/**
 * Requests in, answers out, whichever way they came: authentication, authorization, routing, errors.
 * Source: k8s.io/apiserver pkg/server, pkg/endpoints.
 */
import {
  type StatusError,
  failure,
  forbidden,
  internalError,
  isStatusError,
  methodNotSupported,
} from "@bowline/api";
import { builtinResources } from "@bowline/api/catalog";
import type { Clock, Random } from "@bowline/client";
import type { AdmissionChain } from "../registry/admission.ts";
import type { Authorizer } from "../access/authorization.ts";
import { resourceName } from "../registry/generic-registry.ts";
import type { Resource } from "../registry/resource.ts";
import type { ResourceCatalog } from "../registry/resource-catalog.ts";
import type { Store } from "../store/store.ts";
import { answerNonResource } from "./non-resource.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";
import { type RequestInfo, parseRequestInfo } from "./request-info.ts";
import { subresourceHandler } from "./subresources/subresource-handlers.ts";
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
  readonly authorizer: Authorizer;
  /** Hears of errors that are ours: each is a bug, answered with 500. */
  readonly onInternalError?: (error: unknown, request: ServerRequest) => void;
}

export class ApiServer {
  readonly #options: ApiServerOptions;

  constructor(options: ApiServerOptions) {
    this.#options = options;
  }

  /** Never rejects: every failure becomes an answer. */
  async handle(request: ServerRequest): Promise<ServerResponse> {
    const info = parseRequestInfo(request.method, request.path, request.query);
    const warnings = new Set<string>();
    let response: ServerResponse;
    try {
      response = await this.#route(request, info, warnings);
    } catch (error) {
      response = this.#failure(error, request);
    }
    return finish(response, warnings, this.#options.random);
  }

  async #route(request: ServerRequest, info: RequestInfo, warnings: Set<string>): Promise<ServerResponse> {
    await this.#authorize(request, info);
    if (!info.isResource)
      return answerNonResource(request, info, this.#options.catalog) ?? notFoundAt(request, info);
    const resource = this.#options.catalog.find(info.group, info.version, info.resource);
    if (resource === undefined || !scopeFits(resource, info)) return notFoundAt(request, info);
    if (resource.deprecation !== undefined) warnings.add(resource.deprecation);
    return dispatch({ ports: this.#options, request, info, resource, warnings });
  }

  async #authorize(request: ServerRequest, info: RequestInfo): Promise<void> {
    const decision = await this.#options.authorizer.authorize({
      user: request.user,
      info,
      path: request.path,
    });
    if (decision.allowed) return;
    if (info.isResource) {
      throw forbidden({ group: info.group, resource: info.resource }, info.name, decision.reason);
    }
    throw failure(403, "Forbidden", `forbidden: ${decision.reason}`, {});
  }

  #failure(error: unknown, request: ServerRequest): ServerResponse {
    if (isStatusError(error)) return errorAnswer(error);
    this.#options.onInternalError?.(error, request);
    return errorAnswer(internalError(error instanceof Error ? error.message : String(error)));
  }
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

/** The answer that carries an error's Status. */
export function errorAnswer(error: StatusError): ServerResponse {
  const seconds = error.status.details?.retryAfterSeconds;
  return {
    kind: "object",
    status: error.code,
    headers: {
      "content-type": "application/json",
      ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    },
    object: error.status,
  };
}

/** A namespaced resource has no cluster-wide items and no creates without namespace; a cluster-scoped one no namespace. */
function scopeFits(resource: Resource, info: RequestInfo): boolean {
  if (!resource.api.namespaced) return info.namespace === "" || info.resource === "namespaces";
  if (info.namespace !== "") return true;
  return info.name === "" ? info.verb === "list" || info.verb === "watch" : info.verb === "watch";
}

async function dispatch(context: VerbContext): Promise<ServerResponse> {
  const { info, resource } = context;
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
  if (warnings.size > 0) headers["warning"] = [...warnings].map(warningHeader);
  return response;
}

/** One line of a Warning header. Source: apimachinery util/net NewWarningHeader. */
export function warningHeader(text: string): string {
  const escaped = text.replace(/[\\"]/g, "\\$&").replace(/[\u0000-\u001f\u007f]/g, " ");
  return `299 - "${escaped}"`;
}
