/**
 * PATCH with a JSON patch, a merge patch, a strategic merge patch or a server-side apply.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/patch.go.
 */
import {
  DecodeError,
  type Json,
  type JsonObject,
  applyJsonPatch,
  applyMergePatch,
  applyPatch,
  applyStrategicMergePatch,
  badRequest,
  conflict,
  decodeJson,
  decodeYaml,
  goJson,
  invalid,
} from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { managing, resourceName, updateObject } from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { bodyText, unsupportedMediaType, yamlWarnings } from "../body.ts";
import { parseMediaType } from "../media-type.ts";
import { type WriteOptions, parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { inNamespace, optionsObject } from "./create.ts";
import { checkName, endpointStrategy } from "./update.ts";

type PatchType = "json" | "merge" | "strategic" | "apply";

const patchTypes: Readonly<Record<string, PatchType>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

export async function patchFromRequest(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource } = context;
  const form = negotiated(context);
  const type = patchType(context);
  const options = parseWriteOptions(request.query, "PatchOptions", type === "apply");
  const body = readPatch(context, type, options);
  const write = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: "PatchOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const strategy = endpointStrategy(context);
  const compute =
    type === "apply"
      ? (current: StoredObject | undefined) =>
          applied(context, body as JsonObject, { current, options, manager: write.manager })
      : (current: StoredObject | undefined) =>
          patched(context, type, body, { current: current as StoredObject, options });
  const { revision, created } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    strategy,
    createsMissing: type === "apply" && info.subresource === "",
    retriesConflicts: true,
    uidMayDiffer: true,
    isPatch: true,
    compute: async (current) => await compute(current),
  });
  return objectAnswer(context, form, { status: created ? 201 : 200, revision });
}

function patchType(context: VerbContext): PatchType {
  const type = patchTypes[parseMediaType(context.request.headers["content-type"] ?? "").type];
  const strategic = context.resource.patchSchema !== undefined;
  if (type === undefined || (type === "strategic" && !strategic)) {
    const accepted = Object.keys(patchTypes).filter((t) => strategic || patchTypes[t] !== "strategic");
    throw unsupportedMediaType(accepted.join(", "));
  }
  return type;
}

/** The parsed patch. Duplicate fields are told as field validation says. */
function readPatch(context: VerbContext, type: PatchType, options: WriteOptions): Json {
  const text = bodyText(context.request);
  if (text === undefined) return (context.request.body as { value: Json }).value;
  try {
    const decoded = type === "apply" ? decodeYaml(text) : decodeJson(text);
    if (type === "apply") {
      duplicates.set(context, decoded.duplicateFields);
      return appliedBody(decoded.value);
    }
    if (options.fieldValidation !== "Ignore") {
      const found = decoded.duplicateFields.map((f) => (type === "json" ? `json patch ${f}` : f));
      if (options.fieldValidation === "Warn") for (const text_ of found) context.warnings.add(text_);
      else duplicates.set(context, found);
    }
    return decoded.value;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(
      type === "apply"
        ? `error decoding YAML: error converting YAML to JSON: ${error.message}`
        : `error decoding patch: ${error.message}`,
    );
  }
}

/** Duplicate fields of a patch that are reported only together with its result. */
const duplicates = new WeakMap<VerbContext, readonly string[]>();

function patched(
  context: VerbContext,
  type: Exclude<PatchType, "apply">,
  patch: Json,
  given: { readonly current: StoredObject; readonly options: WriteOptions },
): { object: StoredObject; tracked: boolean } {
  const current = given.current as unknown as Json;
  const result = applyOne(context, type, current, patch);
  const object = decodeResult(context, result as JsonObject, given.options);
  checkName(object, context.info.name);
  return { object: inNamespace(context, object, context.info.namespace), tracked: false };
}

function applyOne(context: VerbContext, type: Exclude<PatchType, "apply">, current: Json, patch: Json): Json {
  switch (type) {
    case "json":
      return applyJsonPatch(current, patch as never) as Json;
    case "merge":
      return applyMergePatch(current, patch) as Json;
    case "strategic": {
      const schema = context.resource.patchSchema;
      if (schema === undefined) throw unsupportedMediaType();
      return applyStrategicMergePatch(current as never, patch as never, schema) as Json;
    }
  }
}

function decodeResult(context: VerbContext, value: JsonObject, options: WriteOptions): StoredObject {
  const { strategy } = context.resource;
  const decoded = strategy.decode(value, { strict: options.fieldValidation !== "Ignore" });
  if (decoded.error !== undefined) throw invalidPatch(value, decoded.error);
  if (options.fieldValidation === "Strict") {
    const found = [...(duplicates.get(context) ?? []), ...decoded.strictErrors];
    if (found.length > 0) throw invalidPatch(value, `strict decoding error: ${found.join(", ")}`);
  }
  for (const text of decoded.strictErrors) context.warnings.add(text);
  return strategy.applyDefaults(decoded.object) as unknown as StoredObject;
}

/** 422 that prints the whole patched object, as the real server does. */
function invalidPatch(value: JsonObject, detail: string): Error {
  return invalid({ group: "", kind: "" }, "", [
    { type: "Invalid", field: "patch", badValue: goJson(value), detail },
  ]);
}

async function applied(
  context: VerbContext,
  patch: JsonObject,
  given: {
    readonly current: StoredObject | undefined;
    readonly options: WriteOptions;
    readonly manager: string;
  },
): Promise<{ object: StoredObject; tracked: boolean }> {
  const { info, ports } = context;
  const { current, options } = given;
  const { object } = await managing(endpointStrategy(context), (management) =>
    applyPatch(management, {
      ...(current === undefined ? {} : { live: current as never }),
      patch,
      manager: given.manager,
      force: options.force ?? false,
      now: rfc3339(ports.clock.now()),
    }),
  );
  reportDuplicates(context, options);
  const full = completeApplied(context, object as unknown as JsonObject);
  const fresh = current === undefined ? newlyApplied(context, full) : full;
  const placed = inNamespace(context, fresh, info.namespace);
  checkName(placed, info.name);
  return { object: placed, tracked: true };
}

/** What was applied, as the kind has it: decoded for built-in kinds, and defaulted. */
function completeApplied(context: VerbContext, object: JsonObject): StoredObject {
  const { strategy } = context.resource;
  if (!strategy.decodesApplied) return strategy.applyDefaults(object) as unknown as StoredObject;
  const decoded = strategy.decode(object, { strict: false });
  if (decoded.error !== undefined) throw badRequest(decoded.error);
  return strategy.applyDefaults(decoded.object) as unknown as StoredObject;
}

/** An object that an apply creates: its uid is the server's to give, its resourceVersion does not count. */
function newlyApplied(context: VerbContext, object: StoredObject): StoredObject {
  const { uid } = object.metadata;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resourceName(context.resource), context.info.name, why);
  }
  return withMetadata(object, { resourceVersion: undefined });
}

/** Keys that the applied YAML has twice: told once the apply itself went through. */
function reportDuplicates(context: VerbContext, options: WriteOptions): void {
  for (const text of duplicates.get(context) ?? []) {
    if (options.fieldValidation === "Strict") throw badRequest(`error strict decoding patch: ${text}`);
    if (options.fieldValidation === "Warn") for (const line of yamlWarnings(text)) context.warnings.add(line);
  }
}

/** The body of an apply. @throws StatusError 400 when it is no object; nothing at all is an object without fields */
function appliedBody(value: Json): JsonObject {
  if (value === null) return {};
  if (typeof value === "object" && !Array.isArray(value)) return value;
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  const why = `json: cannot unmarshal ${found === "bigint" ? "number" : found} into Go value of type map[string]interface {}`;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${why}`);
}
