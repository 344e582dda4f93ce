/**
 * Bodies of patches: JSON patch, merge patch, strategic merge patch, apply.
 * Source: k8s.io/apiserver pkg/endpoints/handlers (patch.go).
 */
import {
  DecodeError,
  type Json,
  type JsonObject,
  type PatchSchema,
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  badRequest,
  decodeJsonPatch,
  decodeMergePatch,
  decodeYaml,
  encodeJson,
} from "@bowline/api";
import { bodyText, unsupportedMediaType } from "./body.ts";
import type { ServerRequest } from "./request.ts";

export type PatchType = "json" | "merge" | "strategic" | "apply";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

/** The patch type that the Content-Type names, whose spelling counts. @throws StatusError 415 */
export function patchTypeOf(request: ServerRequest, options: { readonly strategic: boolean }): PatchType {
  const contentType = request.headers["content-type"] ?? "";
  const type = patchTypes[(contentType.split(";")[0] ?? "").trim()];
  if (type !== undefined && (type !== "strategic" || options.strategic)) return type;
  const accepted = Object.keys(patchTypes).filter((t) => options.strategic || patchTypes[t] !== "strategic");
  throw unsupportedMediaType(accepted.join(", "));
}

/** A patch that was read, ready to be applied to one state after another. */
export interface PatchBody {
  /** Texts of strict field validation. */
  readonly strictErrors: readonly string[];
  /** @throws StatusError 400, 422, 500 when it does not fit the value */
  applyTo(value: JsonObject): Json;
}

/** Reads a patch that is no apply. @throws StatusError 400, 413 for a body that is no such patch */
export function readPatch(
  request: ServerRequest,
  type: Exclude<PatchType, "apply">,
  schema: PatchSchema | undefined,
): PatchBody {
  if (type === "json") {
    const { operations, strictErrors } = decodeJsonPatch(textOf(request));
    return { strictErrors, applyTo: (value) => applyJsonPatch(value, operations) as Json };
  }
  const { patch, strictErrors } = decodeMergePatch(textOf(request));
  if (type === "merge" || schema === undefined) {
    return { strictErrors, applyTo: (value) => applyMergePatch(value, patch) as Json };
  }
  return {
    strictErrors,
    applyTo: (value) =>
      patch === null ? value : (applyStrategicMergePatch(value, patch as never, schema) as JsonObject),
  };
}

/** The text of a patch. One handed over in process takes the same road as one from the network. */
function textOf(request: ServerRequest): string {
  return bodyText(request) ?? encodeJson((request.body as { value: unknown }).value);
}

export interface AppliedBody {
  readonly patch: JsonObject;
  /** One text for all keys that the YAML has twice. */
  readonly duplicateFields: readonly string[];
}

/** Reads the body of an apply; nothing at all is an object without fields. @throws StatusError 400 */
export function readApplied(request: ServerRequest): AppliedBody {
  const text = bodyText(request);
  if (text === undefined) {
    return { patch: appliedObject((request.body as { value: Json }).value), duplicateFields: [] };
  }
  try {
    const { value, duplicateFields } = decodeYaml(text);
    return { patch: appliedObject(value), duplicateFields };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

function appliedObject(value: Json): JsonObject {
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const why = `json: cannot unmarshal ${found === "bigint" ? "number" : found} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
}
