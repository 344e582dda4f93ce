/**
 * The object in the body of a create or update.
 * Source: k8s.io/apiserver pkg/endpoints/handlers (create.go, rest.go transformDecodeError), apimachinery
 * runtime/serializer/json, apiextensions-apiserver pkg/apiserver (customresource_handler.go).
 */
import { DecodeError, type Json, type JsonObject, badRequest } from "@bowline/api";
import { builtinDefinitionName, decodeBuiltin } from "@bowline/api/catalog";
import type { Resource } from "../registry/resource.ts";
import type { StoredObject } from "../store/revision.ts";
import { type ParsedBody, bodyFormat, bodyText, parseBody, strictWarnings } from "./body.ts";
import type { FieldValidation } from "./options.ts";
import type { ServerRequest } from "./request.ts";

/** What a body must be: any resource, or the kind of a subresource. */
export interface BodyKind {
  readonly api: Pick<Resource["api"], "group" | "version" | "kind">;
  /** True for custom kinds, whose bodies must name their kind. */
  readonly typedItems: boolean;
  readonly strategy: Pick<Resource["strategy"], "decode" | "applyDefaults">;
}

/** A built-in kind that only subresources speak of: Scale, Binding. */
export function builtinBody(group: string, version: string, kind: string): BodyKind {
  const api = { group, version, kind };
  return {
    api,
    typedItems: false,
    strategy: {
      decode(value) {
        const { object, unknownFields, error } = decodeBuiltin(api, value);
        return { object, strictErrors: unknownFields, ...(error === undefined ? {} : { error }) };
      },
      applyDefaults: (object) => object,
    },
  };
}

/**
 * The object in the body of a create or update, pruned and defaulted, as the endpoint's version.
 * @throws StatusError 400 for a body of another kind of thing, 415
 */
export function decodeObject(
  request: ServerRequest,
  resource: BodyKind,
  options: { readonly fieldValidation: FieldValidation; warn(text: string): void },
): StoredObject {
  const body = readBody(request, resource);
  const { value, apiVersion } = withTypeMeta(body, resource);
  const listUnknown = options.fieldValidation !== "Ignore";
  const decoded = resource.strategy.decode(value, { strict: listUnknown });
  if (decoded.error !== undefined) throw cannotBeHandled(resource, value, decoded.error);
  if (listUnknown) {
    const found =
      body.duplicateFields.length === 0
        ? decoded.strictErrors
        : [...body.duplicateFields, ...decoded.strictErrors];
    if (found.length > 0 && options.fieldValidation === "Strict") {
      throw cannotBeHandled(resource, value, `strict decoding error: ${found.join(", ")}`);
    }
    for (const text of found) for (const line of strictWarnings(text)) options.warn(line);
  }
  const expected = apiVersionOf(resource);
  if (apiVersion !== expected) {
    const message = `the API version in the data (${apiVersion.replace(/^\//, "")}) does not match the expected API version (${expected})`;
    throw badRequest(message);
  }
  return withMeta(resource.strategy.applyDefaults(decoded.object));
}

/** The object, with metadata even if nothing is in it. */
export function withMeta(object: JsonObject): StoredObject {
  return (object["metadata"] === undefined ? { ...object, metadata: {} } : object) as unknown as StoredObject;
}

function apiVersionOf({ api }: BodyKind): string {
  return api.group === "" ? api.version : `${api.group}/${api.version}`;
}

function readBody(request: ServerRequest, resource: BodyKind): ParsedBody {
  try {
    return parseBody(request);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw unreadable(request, resource, error);
  }
}

/**
 * Why a body cannot be read. JSON is read twice: for its apiVersion and kind, where only its syntax counts, and then as a
 * whole, where numbers must fit.
 */
function unreadable(request: ServerRequest, resource: BodyKind, error: DecodeError): Error {
  const format = bodyFormat(request);
  if (format === "protobuf") return unrecognized(resource, error.message, bodyBytes(request));
  const text = bodyText(request) ?? "";
  if (format === "yaml") return unrecognized(resource, error.message, text);
  if (error.message.startsWith("json: cannot unmarshal number ")) {
    const head = looseHead(text);
    if (head !== undefined) return cannotBeHandled(resource, head, error.message);
  }
  return unrecognized(resource, `couldn't get version/kind; json parse error: ${error.message}`, text);
}

/** The body with its numbers as JavaScript reads them; undefined when it names no kind. */
function looseHead(text: string): JsonObject | undefined {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return typeof value["kind"] === "string" && value["kind"] !== "" ? value : undefined;
}

function bodyBytes({ body }: ServerRequest): Uint8Array {
  return body !== undefined && "bytes" in body ? body.bytes : new Uint8Array();
}

/** Checks apiVersion and kind of a body and fills in what a built-in kind may leave out. */
function withTypeMeta(body: ParsedBody, resource: BodyKind): { value: JsonObject; apiVersion: string } {
  const { value, text = "" } = body;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (value === null) throw unrecognized(resource, `Object 'Kind' is missing in '${text}'`, text);
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${notAStruct(value)}`, text);
  }
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw unrecognized(resource, problem, text);
  const apiVersion = (value["apiVersion"] ?? "") as string;
  if (!resource.typedItems) return builtinTypeMeta(value, resource);
  if (!value["kind"]) throw unrecognized(resource, `Object 'Kind' is missing in '${text}'`, text);
  if (value["apiVersion"] === null) {
    const why = ".apiVersion accessor error: <nil> is of the type <nil>, expected string";
    throw cannotBeHandled(resource, value, why);
  }
  return { value, apiVersion };
}

/** Why the server cannot tell what kind of thing an object is, undefined when it can. */
export function typeMetaProblem(object: JsonObject): string | undefined {
  for (const field of ["apiVersion", "kind"]) {
    const found = object[field] ?? "";
    if (typeof found === "string") continue;
    const what = `json: cannot unmarshal ${goType(found)} into Go struct field .${field} of type string`;
    return `couldn't get version/kind; json parse error: ${what}`;
  }
  const apiVersion = (object["apiVersion"] ?? "") as string;
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

/** Built-in kinds need no apiVersion and kind; those that they have must be of a registered type, and of this one. */
function builtinTypeMeta(body: JsonObject, resource: BodyKind): { value: JsonObject; apiVersion: string } {
  const expected = apiVersionOf(resource);
  const { kind } = resource.api;
  const apiVersion = (body["apiVersion"] || expected) as string;
  const found = (body["kind"] || kind) as string;
  const value = { ...body, apiVersion, kind: found };
  if (found === kind) return { value, apiVersion };
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  if (builtinDefinitionName({ group, version, kind: found }) === undefined) {
    const why = `no kind "${found}" is registered for version "${apiVersion}" in scheme "${schemeOf(resource)}"`;
    throw cannotBeHandled(resource, value, why);
  }
  const why = `converting (${version}.${found}) to (${goPackage(resource.api.group)}.${kind}): unknown conversion`;
  throw cannotBeHandled(resource, value, why);
}

/** Where the real server keeps its table of types: the messages tell. */
function schemeOf({ api }: BodyKind): string {
  return api.group === "apiextensions.k8s.io"
    ? "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55"
    : "pkg/api/legacyscheme/scheme.go:30";
}

/** Name of the Go package with a group's internal types. */
function goPackage(group: string): string {
  return group === "" ? "core" : (group.split(".")[0] ?? "");
}

/** Why a body is not the object that it must be; undefined for an object. */
export function notAnObject(value: Json): string | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return undefined;
  return `couldn't get version/kind; json parse error: ${notAStruct(value)}`;
}

function notAStruct(value: Json): string {
  const struct =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `json: cannot unmarshal ${goType(value)} into Go value of type ${struct}`;
}

function goType(value: Json): string {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
    case "number":
      return "number";
    case "object":
      return "object";
    default:
      return "string";
  }
}

function unrecognized(resource: BodyKind, why: string, body: string | Uint8Array): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.api.kind}): ${why} (${summary(body)})`,
  );
}

/** 400 for a body that names its kind but whose content cannot be read. */
export function cannotBeHandled(resource: BodyKind, body: JsonObject, why: string): Error {
  const { apiVersion, kind } = body;
  const version =
    String(apiVersion ?? "")
      .split("/")
      .at(-1) ?? "";
  return badRequest(
    `${String(kind)} in version "${version}" cannot be handled as a ${resource.api.kind}: ${why}`,
  );
}

/** Bytes of a body that an error message shows. */
const summaryBytes = 30;

/** The beginning of a body for an error message: text that looks like JSON as it is, anything else in hexadecimal. */
function summary(body: string | Uint8Array): string {
  if (body.length === 0) return "<empty>";
  if (typeof body === "string" && body.startsWith("{")) {
    return body.length > summaryBytes ? `${body.slice(0, summaryBytes)} ...` : body;
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const hex = Array.from(bytes.slice(0, summaryBytes), (b) => b.toString(16).padStart(2, "0")).join("");
  return bytes.length > summaryBytes ? `${hex} ...` : hex;
}
