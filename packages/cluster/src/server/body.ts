/**
 * Request bodies: which format they are in, and the words for those that cannot be read.
 * Source: k8s.io/apiserver pkg/endpoints/handlers (create.go, rest.go), apimachinery runtime/serializer.
 */
import {
  DecodeError,
  type Json,
  type JsonObject,
  badRequest,
  decodeJson,
  decodeYaml,
  failure,
} from "@bowline/api";
import type { Resource } from "../registry/resource.ts";
import { parseMediaType } from "./media-type.ts";
import type { FieldValidation } from "./options.ts";
import type { ServerRequest } from "./request.ts";

/** Largest body that is read, bytes. Source: apiserver server/config.go MaxRequestBodyBytes. */
export const bodyBytesMax: number = 3 * 1024 * 1024;

export interface ParsedBody {
  readonly value: Json;
  /** `duplicate field "spec.x"`, in document order. */
  readonly duplicateFields: readonly string[];
  /** The start of the text, for error messages; undefined for a value handed over in process. */
  readonly text: string | undefined;
}

const decoder = new TextDecoder();

/** The text of a body; undefined when it came as a value. */
export function bodyText(request: ServerRequest): string | undefined {
  if (request.body === undefined) return "";
  return "bytes" in request.body ? decoder.decode(request.body.bytes) : undefined;
}

/**
 * Parses the body as its Content-Type says. JSON is what an empty Content-Type means.
 * @throws StatusError 415 for other formats; DecodeError for a text that cannot be read
 */
export function parseBody(request: ServerRequest): ParsedBody {
  const type = parseMediaType(request.headers["content-type"] ?? "").type;
  if (!["", "application/json", "application/yaml"].includes(type)) throw unsupportedMediaType();
  const text = bodyText(request);
  if (text === undefined) {
    return { value: (request.body as { value: Json }).value, duplicateFields: [], text };
  }
  const decoded = type === "application/yaml" ? decodeYaml(text) : decodeJson(text);
  return { ...decoded, text };
}

export function unsupportedMediaType(
  accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf",
): Error {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return failure(415, "UnsupportedMediaType", message);
}

/**
 * The object in the body of a create or update, pruned and defaulted, as the endpoint's version.
 * @throws StatusError 400 for a body of another kind of thing, 415
 */
export function decodeObject(
  request: ServerRequest,
  resource: Resource,
  options: { readonly fieldValidation: FieldValidation; warn(text: string): void },
): JsonObject {
  const body = readBody(request, resource);
  const value = checkTypeMeta(body, resource);
  const listUnknown = options.fieldValidation !== "Ignore";
  const decoded = resource.strategy.decode(value, { strict: listUnknown });
  if (decoded.error !== undefined) throw cannotBeHandled(resource, decoded.error);
  if (listUnknown) {
    const found = [...body.duplicateFields, ...decoded.strictErrors];
    if (found.length > 0 && options.fieldValidation === "Strict") {
      throw cannotBeHandled(resource, `strict decoding error: ${found.join(", ")}`);
    }
    for (const text of found.flatMap(yamlWarnings)) options.warn(text);
  }
  return resource.strategy.applyDefaults(decoded.object);
}

function readBody(request: ServerRequest, resource: Resource): ParsedBody {
  try {
    return parseBody(request);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const text = bodyText(request) ?? "";
    const yaml = parseMediaType(request.headers["content-type"] ?? "").type === "application/yaml";
    throw unrecognized(
      resource,
      yaml ? error.message : `couldn't get version/kind; json parse error: ${error.message}`,
      text,
    );
  }
}

/** Checks apiVersion and kind of a body. Built-in kinds may leave both out. */
function checkTypeMeta(body: ParsedBody, resource: Resource): JsonObject {
  const { value, text = "" } = body;
  const { kind, version, group } = resource.api;
  const expected = group === "" ? version : `${group}/${version}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (value === null) throw unrecognized(resource, `Object 'Kind' is missing in '${text}'`, text);
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${notAStruct(value)}`, text);
  }
  let found = value as JsonObject;
  if (!resource.typedItems) {
    found = { ...found, apiVersion: found["apiVersion"] || expected, kind: found["kind"] || kind };
  }
  if (typeof (found["kind"] ?? "") !== "string" || typeof (found["apiVersion"] ?? "") !== "string") {
    const field = typeof (found["kind"] ?? "") !== "string" ? "kind" : "apiVersion";
    const what = `json: cannot unmarshal ${goType(found[field] as Json)} into Go struct field .${field} of type string`;
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${what}`, text);
  }
  if (!found["kind"]) throw unrecognized(resource, `Object 'Kind' is missing in '${text}'`, text);
  const apiVersion = (found["apiVersion"] ?? "") as string;
  if (apiVersion.split("/").length > 2)
    throw unrecognized(resource, `unexpected GroupVersion string: ${apiVersion}`, text);
  if (apiVersion !== expected) {
    const message = `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`;
    throw badRequest(message);
  }
  return found;
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

function unrecognized(resource: Resource, why: string, text: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.api.kind}): ${why} (${summary(text)})`,
  );
}

/** 400 for a body whose kind is right but whose content cannot be read. */
export function cannotBeHandled(resource: Resource, why: string): Error {
  const { kind, version } = resource.api;
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** The beginning of a body for an error message: text that looks like JSON as it is, anything else in hexadecimal. */
function summary(text: string): string {
  const limit = 30;
  if (text === "") return "<empty>";
  if (text.startsWith("{")) return text.length > limit ? `${text.slice(0, limit)} ...` : text;
  const bytes = new TextEncoder().encode(text);
  const hex = Array.from(bytes.slice(0, limit), (b) => b.toString(16).padStart(2, "0")).join("");
  return bytes.length > limit ? `${hex} ...` : hex;
}

/** The warnings of one YAML error, one a line. Source: apiserver endpoints/handlers (rest.go parseYAMLWarnings). */
export function yamlWarnings(text: string): string[] {
  const found = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n([^]*)$/.exec(text);
  return found === null ? [text] : (found[1] ?? "").split("\n").map((line) => line.trim());
}
