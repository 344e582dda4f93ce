/** Paths beside the resources: version, health, discovery, OpenAPI. */
import { buildOpenApiV3Index, encodeOpenApiV2 } from "@bowline/api/catalog";
import { encodeJson } from "@bowline/api";
import type { AccessControl } from "../access/access-control.ts";
import type { ResourceCatalog } from "../registry/resource-catalog.ts";
import { admits, parseAccept } from "./media-type.ts";
import { type Offer, contentType, metaOffer, negotiate } from "./negotiation.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";

/** What the embedded server says it is. */
export const serverVersion: Readonly<Record<string, string>> = Object.freeze({
  major: "1",
  minor: "35",
  emulationMajor: "1",
  emulationMinor: "35",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "34",
  gitVersion: "v1.35.0+bowline",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2025-12-17T00:00:00Z",
  goVersion: "",
  compiler: "",
  platform: "linux/amd64",
});

/** The answer to a path that is no resource; undefined when there is nothing at it. */
export function answerNonResource(
  request: ServerRequest,
  info: RequestInfo,
  { catalog, access }: { readonly catalog: ResourceCatalog; readonly access: AccessControl },
): ServerResponse | undefined {
  const { path } = request;
  if (path === "/.well-known/openid-configuration") return plainJson(access.serviceAccounts.discovery);
  if (path === "/openid/v1/jwks") return plainJson(access.serviceAccounts.keySet, "application/jwk-set+json");
  if (path === "/version" || path === "/version/") return json(request, serverVersion);
  if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return health(request);
  if (path === "/openapi/v2") return openApiV2(request, catalog);
  if (path === "/openapi/v3" || path.startsWith("/openapi/v3/")) return openApiV3(request, catalog);
  if (path === "/") return pathIndex(request, catalog);
  return discovery(request, info, catalog);
}

/** Documents of the token issuer: anybody may keep them for an hour. */
function plainJson(document: object, type = "application/json"): ServerResponse {
  return raw(200, type, JSON.stringify(document), { "cache-control": "public, max-age=3600" });
}

const plain = { protobuf: false, transforms: false };

function json(request: ServerRequest, object: unknown, offer: Offer = plain): ServerResponse {
  const form = negotiate(request.headers["accept"], offer, request.query);
  return { kind: "object", status: 200, headers: { "content-type": contentType(form.encoding) }, object };
}

function raw(
  status: number,
  type: string,
  data: string | Uint8Array,
  headers: Record<string, string> = {},
): ServerResponse {
  return { kind: "raw", status, headers: { "content-type": type, ...headers }, data };
}

const healthChecks = ["ping", "log", "etcd", "informer-sync", "poststarthook/crd-informer-synced"];

function health(request: ServerRequest): ServerResponse {
  const [, endpoint = "", ...rest] = request.path.split("/");
  const type = "text/plain; charset=utf-8";
  const check = rest.join("/");
  if (check !== "") {
    return healthChecks.includes(check) ? raw(200, type, "ok") : raw(404, type, "404 page not found\n");
  }
  if (!request.query.has("verbose")) return raw(200, type, "ok");
  const excluded = new Set(request.query.getAll("exclude"));
  const lines = healthChecks.map((c) => `[+]${c} ${excluded.has(c) ? "excluded: ok" : "ok"}`);
  return raw(200, type, `${lines.join("\n")}\n${endpoint} check passed\n`);
}

/** The paths that there are, as the root and every unknown path tell them. */
export function pathIndex(request: ServerRequest, catalog: ResourceCatalog): ServerResponse {
  return json(request, { paths: rootPaths(catalog) });
}

function rootPaths(catalog: ResourceCatalog): string[] {
  const groups = catalog.discovery.groups.groups.flatMap((g) => [
    `/apis/${g.name}`,
    ...g.versions.map((v) => `/apis/${v.groupVersion}`),
  ]);
  return [
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    ...groups,
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
  ];
}

function discovery(
  request: ServerRequest,
  info: RequestInfo,
  catalog: ResourceCatalog,
): ServerResponse | undefined {
  const parts = request.path.split("/").filter((p) => p !== "");
  const found = catalog.discovery;
  if (parts.length === 1 && (parts[0] === "api" || parts[0] === "apis")) {
    const core = parts[0] === "api";
    // The two roots have no YAML form.
    const headers = { "content-type": "application/json" };
    const object = core ? found.core : found.groups;
    return aggregated(request, catalog, core) ?? { kind: "object", status: 200, headers, object };
  }
  if (parts[0] === "api" && parts.length === 2) return listed(request, found.resources("", info.version));
  if (parts[0] !== "apis") return undefined;
  if (parts.length === 2) return listed(request, found.group(info.group));
  return parts.length === 3 ? listed(request, found.resources(info.group, info.version)) : undefined;
}

function listed(request: ServerRequest, document: unknown): ServerResponse | undefined {
  return document === undefined ? undefined : json(request, document, metaOffer);
}

/** The aggregated form, when the client names it at all: before or after the plain form makes no difference. */
function aggregated(
  request: ServerRequest,
  catalog: ResourceCatalog,
  core: boolean,
): ServerResponse | undefined {
  for (const { type, parameters } of parseAccept(request.headers["accept"] ?? "")) {
    const { g: group, v: version, as } = parameters;
    if (type !== "application/json" || group !== "apidiscovery.k8s.io" || as !== "APIGroupDiscoveryList")
      continue;
    if (version !== "v2" && version !== "v2beta1") continue;
    const document = catalog.discovery.aggregated({ core, version });
    const headers = { etag: `"${document.etag}"`, vary: "Accept", "cache-control": "public" };
    if (request.headers["if-none-match"] === headers.etag) return raw(304, document.mediaType, "", headers);
    return {
      kind: "object",
      status: 200,
      headers: { "content-type": document.mediaType, ...headers },
      object: document.body,
    };
  }
  return undefined;
}

/** Older clients ask for it with an @ before the version, which no media type may have. */
const protobufV2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

const protobufV3 = "application/com.github.proto-openapi.spec.v3.v1.0+protobuf";

function openApiV2(request: ServerRequest, catalog: ResourceCatalog): ServerResponse {
  const { document, etag } = catalog.openApiV2;
  const headers = { etag: `"${etag}"`, vary: "Accept" };
  if (request.headers["if-none-match"] === headers.etag) return raw(304, "application/json", "", headers);
  const form = openApiForm(request, protobufV2);
  if (form === undefined) return notAcceptable();
  if (form === "protobuf") return raw(200, protobufV2, encodeOpenApiV2(document), headers);
  return raw(200, "application/json", encodeJson(document), headers);
}

/** The first form that the client accepts, undefined for none. Source: kube-openapi pkg/handler, pkg/handler3. */
function openApiForm(request: ServerRequest, protobuf: string): "json" | "protobuf" | undefined {
  const withAt = protobuf.replace(/\.v(\d+)\.v1\.0/, ".v$1@v1.0");
  for (const { type } of parseAccept(request.headers["accept"] || "*/*")) {
    if (admits(type, "application/json")) return "json";
    if (type === protobuf || type === withAt) return "protobuf";
  }
  return undefined;
}

function notAcceptable(): ServerResponse {
  return { kind: "raw", status: 406, headers: {}, data: "" };
}

function openApiV3(request: ServerRequest, catalog: ResourceCatalog): ServerResponse | undefined {
  if (/^\/openapi\/v3\/?$/.test(request.path)) {
    return raw(200, "application/json", encodeJson(buildOpenApiV3Index(catalog.openApiGroupVersions)));
  }
  const [prefix, ...rest] = request.path.slice("/openapi/v3/".length).split("/");
  const [group = "", version = ""] = prefix === "api" ? ["", rest[0]] : rest;
  const found = catalog.openApiGroupVersions.find((gv) => gv.group === group && gv.version === version);
  const document = catalog.openApiV3(group, version);
  // The real server answers nothing, with success, where it has no document.
  if (found === undefined || document === undefined) return raw(200, "text/plain; charset=utf-8", "");
  const asked = request.query.get("hash");
  if (asked !== null && asked !== found.hash) {
    return raw(301, "application/json", "", { location: `${request.path}?hash=${found.hash}` });
  }
  const etag = `"${found.hash}"`;
  const caching = asked === null ? {} : { "cache-control": "public, immutable" };
  const headers = { etag, vary: "Accept", ...caching };
  if (request.headers["if-none-match"] === etag) return raw(304, "application/json", "", headers);
  // JSON is what a client of protobuf can do without
  if (openApiForm(request, protobufV3) === undefined) return notAcceptable();
  return raw(200, "application/json", encodeJson(document), headers);
}
