/**
 * Request bodies: which format they are in, and the words for those that cannot be read.
 * Source: k8s.io/apiserver pkg/endpoints/handlers (create.go, rest.go), apimachinery runtime/serializer.
 */
import { type Json, decodeJson, decodeYaml, failure } from "@bowline/api";
import { parseMediaType } from "./media-type.ts";
import { protobufCodec, protobufType } from "./protobuf.ts";
import type { ServerRequest } from "./request.ts";

/** Largest body that is read, bytes. Source: apiserver server/config.go MaxRequestBodyBytes. */
export const bodyBytesMax: number = 3 * 1024 * 1024;

export interface ParsedBody {
  readonly value: Json;
  /** `duplicate field "spec.x"`, in document order. */
  readonly duplicateFields: readonly string[];
  /** The text of the body, for error messages; undefined for protobuf and for a value handed over in process. */
  readonly text: string | undefined;
}

export type BodyFormat = "json" | "yaml" | "protobuf";

// a byte order mark is no JSON
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of a body; undefined when it came as a value. */
export function bodyText(request: ServerRequest): string | undefined {
  if (request.body === undefined) return "";
  return "bytes" in request.body ? decoder.decode(request.body.bytes) : undefined;
}

/** Whether the request has a body at all. */
export function hasBody(request: ServerRequest): boolean {
  return request.body !== undefined && (!("bytes" in request.body) || request.body.bytes.length > 0);
}

/** The format that the Content-Type names; none means JSON. @throws StatusError 415 */
export function bodyFormat(request: ServerRequest): BodyFormat {
  switch (parseMediaType(request.headers["content-type"] ?? "").type) {
    case "":
    case "application/json":
      return "json";
    case "application/yaml":
      return "yaml";
    case protobufType:
      return "protobuf";
    default:
      throw unsupportedMediaType();
  }
}

const none: readonly string[] = [];

/**
 * Parses the body as its Content-Type says.
 * @throws StatusError 415 for other formats; DecodeError for what cannot be read
 */
export function parseBody(request: ServerRequest): ParsedBody {
  const format = bodyFormat(request);
  const { body } = request;
  if (body !== undefined && "value" in body) {
    return { value: body.value as Json, duplicateFields: none, text: undefined };
  }
  if (format === "protobuf") {
    const value = protobufCodec().decode(body?.bytes ?? new Uint8Array());
    return { value, duplicateFields: none, text: undefined };
  }
  const text = bodyText(request) ?? "";
  const { value, duplicateFields } = format === "yaml" ? decodeYaml(text) : decodeJson(text);
  return { value, duplicateFields, text };
}

export function unsupportedMediaType(
  accepted = "application/json, application/yaml, application/vnd.kubernetes.protobuf",
): Error {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return failure(415, "UnsupportedMediaType", message);
}

/** The warnings of one strict error: doubled keys of YAML are one a line. Source: apiserver endpoints/handlers (rest.go). */
export function strictWarnings(text: string): string[] {
  const found = /^(?:error converting YAML to JSON: )?yaml: unmarshal errors:\n([^]*)$/.exec(text);
  return found === null ? [text] : (found[1] ?? "").split("\n").map((line) => line.trim());
}
