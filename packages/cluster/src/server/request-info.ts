import { parseFieldSelector, pathSegmentNameErrors } from "@bowline/api";

/** What a path asks for. Source: k8s.io/apiserver pkg/endpoints/request (requestinfo.go). */
export interface RequestInfo {
  /** False for paths such as `/version` and for discovery. */
  readonly isResource: boolean;
  /** `get list watch create update patch delete deletecollection`, or the lower-case method of a non-resource request. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty for cluster-scoped requests and for all namespaces. */
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for requests of a collection, unless a list or watch selects one object by its name. */
  readonly name: string;
  /** Whatever follows the subresource, for proxies: `["path", "below"]`. */
  readonly rest: readonly string[];
}

const none = { namespace: "", resource: "", subresource: "", name: "", rest: [] };

/** Subresources of namespaces; any other third part is a resource in that namespace. */
const namespaceSubresources = new Set(["status", "finalize"]);

/** Reads a request's path and method. A path that cannot be unescaped is no resource. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const parts = splitPath(path);
  const core = parts?.[0] === "api";
  if (parts === undefined || (!core && parts[0] !== "apis")) return noResource(method, "", "");
  const head = core ? 2 : 3;
  const group = core ? "" : (parts[1] ?? "");
  const version = parts[head - 1] ?? "";
  if (parts.length <= head) return noResource(method, group, parts.length === head ? version : "");
  return resourcePart(method, { group, version, given: parts.slice(head) }, query);
}

function noResource(method: string, group: string, version: string): RequestInfo {
  return { ...none, isResource: false, verb: method.toLowerCase(), group, version };
}

/** The parts of the unescaped path: an escaped slash separates like any other. Empty parts inside count. */
function splitPath(path: string): string[] | undefined {
  let plain = path;
  if (path.includes("%")) {
    try {
      plain = decodeURIComponent(path);
    } catch {
      return undefined;
    }
  }
  let start = 0;
  let end = plain.length;
  while (start < end && plain[start] === "/") start++;
  while (end > start && plain[end - 1] === "/") end--;
  return plain.slice(start, end).split("/");
}

function resourcePart(
  method: string,
  path: { readonly group: string; readonly version: string; readonly given: readonly string[] },
  query: URLSearchParams,
): RequestInfo {
  const { group, version } = path;
  let parts = path.given;
  const oldWatch = parts[0] === "watch" && parts.length > 1;
  if (oldWatch) parts = parts.slice(1);
  let namespace = "";
  if (parts[0] === "namespaces" && parts.length > 1) {
    namespace = parts[1] ?? "";
    if (parts.length > 2 && !namespaceSubresources.has(parts[2] ?? "")) parts = parts.slice(2);
  }
  const [resource = "", named = "", subresource = "", ...rest] = parts;
  const verb = verbOf(method, { name: named, oldWatch, watch: isTrue(query.get("watch")) });
  const isOfOne = !oldWatch && named === "" && (verb === "list" || verb === "watch");
  const name = isOfOne ? selectedName(query.get("fieldSelector") ?? "") : named;
  return { isResource: true, verb, group, version, namespace, resource, subresource, name, rest };
}

/**
 * The one object that `metadata.name=x` leaves of a list or watch: who may list it by its name alone, as `resourceNames` of a
 * role says, may ask so. Empty for other selectors, and for one that cannot be read: that is said later.
 */
function selectedName(fieldSelector: string): string {
  if (!fieldSelector.includes("metadata.name")) return "";
  try {
    const name = parseFieldSelector(fieldSelector).exactMatch("metadata.name") ?? "";
    return pathSegmentNameErrors(name).length === 0 ? name : "";
  } catch {
    return "";
  }
}

function verbOf(method: string, about: { name: string; oldWatch: boolean; watch: boolean }): string {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return about.name === "" ? "deletecollection" : "delete";
    case "GET":
    case "HEAD":
      if (about.oldWatch) return "watch";
      if (about.name !== "") return "get";
      return about.watch ? "watch" : "list";
    default:
      return "";
  }
}

/** A boolean query parameter as the API server reads it: present and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}
