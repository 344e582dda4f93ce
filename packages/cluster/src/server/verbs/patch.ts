/**
 * PATCH with a JSON patch, a merge patch, a strategic merge patch or a server-side apply.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/patch.go.
 */
import {
  type Json,
  type JsonObject,
  applyPatch,
  badRequest,
  conflict,
  decodeObjectMetaLeniently,
  encodeJson,
  invalid,
} from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { type UpdateRequest, managing, resourceName, updateObject } from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { strictWarnings } from "../body.ts";
import { requireCreatePermission } from "../create-permission.ts";
import { type BodyKind, typeMetaProblem, withMeta } from "../decode-object.ts";
import { type WriteOptions, parseWriteOptions } from "../options.ts";
import {
  type AppliedBody,
  type PatchBody,
  type PatchType,
  patchTypeOf,
  readApplied,
  readPatch,
} from "../patch-body.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { inNamespace, optionsObject } from "./create.ts";
import { checkName, endpointStrategy } from "./update.ts";

export async function patchFromRequest(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource } = context;
  const form = negotiated(context);
  const type = patchTypeOf(request, { strategic: resource.patchSchema !== undefined });
  const options = parseWriteOptions(request.query, "PatchOptions", type === "apply");
  const write = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: "PatchOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const { revision, created } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    strategy: endpointStrategy(context),
    createsMissing: type === "apply" && info.subresource === "",
    retriesConflicts: true,
    uidMayDiffer: true,
    isPatch: true,
    compute: type === "apply" ? applier(context, options, write.manager) : patcher(context, type, options),
  });
  return objectAnswer(context, form, { status: created ? 201 : 200, revision });
}

type Compute = UpdateRequest["compute"];

/** Computes what a patch makes of a stored object. The body is read once, but only when there is an object to patch. */
function patcher(context: VerbContext, type: Exclude<PatchType, "apply">, options: WriteOptions): Compute {
  let body: PatchBody | undefined;
  return async (current) => {
    body ??= readPatch(context.request, type, context.resource.patchSchema);
    const object = patched(context, body, {
      kind: context.resource,
      current: current as unknown as JsonObject,
      options,
    });
    checkName(object, context.info.name);
    return { object: inNamespace(context, object, context.info.namespace), tracked: false };
  };
}

/** What a patch makes of an object of a kind. @throws StatusError 422 when that is no such object */
export function patched(
  context: VerbContext,
  body: PatchBody,
  given: { readonly kind: BodyKind; readonly current: JsonObject; readonly options: WriteOptions },
): StoredObject {
  const { kind, current, options } = given;
  const { strategy } = kind;
  const value = body.applyTo(current);
  if (value === current && body.strictErrors.length === 0) return current as unknown as StoredObject;
  const refuse = (why: string): Error => invalidPatch(body.applyTo(inKeyOrder(kind, current)), why);
  if (typeof value !== "object" || value === null || Array.isArray(value) || !value["kind"]) {
    throw refuse(`Object 'Kind' is missing in '${encodeJson(body.applyTo(inKeyOrder(kind, current)))}'`);
  }
  const problem = typeMetaProblem(value);
  if (problem !== undefined) throw refuse(problem);
  const decoded = strategy.decode(value, { strict: options.fieldValidation !== "Ignore" });
  if (decoded.error !== undefined) throw refuse(decoded.error);
  const found = [...body.strictErrors, ...decoded.strictErrors];
  if (options.fieldValidation === "Strict" && found.length > 0) {
    throw refuse(`strict decoding error: ${found.join(", ")}`);
  }
  if (options.fieldValidation === "Warn") warn(context, found);
  return withMeta(strategy.applyDefaults(decoded.object));
}

/** A custom object as the server would encode it before patching: keys sorted at every depth. */
function inKeyOrder({ typedItems }: BodyKind, object: JsonObject): JsonObject {
  return typedItems ? (sortedKeys(object) as JsonObject) : object;
}

function sortedKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.keys(value)
    .sort()
    .map((key) => [key, sortedKeys(value[key] as Json)]);
  return Object.fromEntries(entries) as JsonObject;
}

/** 422 that prints the whole patched object, as the real server does. */
function invalidPatch(value: Json, detail: string): Error {
  return invalid({ group: "", kind: "" }, "", [
    { type: "Invalid", field: "patch", badValue: encodeJson(value), detail },
  ]);
}

function warn(context: VerbContext, strictErrors: readonly string[]): void {
  for (const text of strictErrors) for (const line of strictWarnings(text)) context.warnings.add(line);
}

/** Computes what a server-side apply makes of a stored object, or of nothing. */
function applier(context: VerbContext, options: WriteOptions, manager: string): Compute {
  let body: AppliedBody | undefined;
  return async (current) => {
    body ??= readApplied(context.request);
    const object = await applied(context, body.patch, { current, options, manager });
    reportDuplicates(context, body, options);
    if (current === undefined) requireCreatePermission(context);
    const full = completeApplied(context, object as unknown as JsonObject);
    const fresh = current === undefined ? newlyApplied(context, full) : full;
    const placed = inNamespace(context, fresh, context.info.namespace);
    checkName(placed, context.info.name);
    return { object: placed, tracked: true };
  };
}

async function applied(
  context: VerbContext,
  patch: JsonObject,
  given: {
    readonly current: StoredObject | undefined;
    readonly options: WriteOptions;
    readonly manager: string;
  },
): Promise<unknown> {
  const { current, options, manager } = given;
  const { object } = await managing(endpointStrategy(context), (management) =>
    applyPatch(management, {
      ...(current === undefined ? {} : { live: current as never }),
      patch,
      manager,
      force: options.force ?? false,
      now: rfc3339(context.ports.clock.now()),
    }),
  );
  return object;
}

/** What was applied, as the kind has it: decoded for built-in kinds, its metadata for custom ones, and defaulted. */
function completeApplied(context: VerbContext, object: JsonObject): StoredObject {
  const { strategy } = context.resource;
  if (!strategy.decodesApplied) {
    const { meta } = decodeObjectMetaLeniently(object["metadata"] ?? null);
    const complete =
      meta === undefined || meta === object["metadata"] ? object : { ...object, metadata: meta };
    return withMeta(strategy.applyDefaults(complete));
  }
  const decoded = strategy.decode(object, { strict: false });
  if (decoded.error !== undefined) throw badRequest(decoded.error);
  return withMeta(strategy.applyDefaults(decoded.object));
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
function reportDuplicates(context: VerbContext, body: AppliedBody, options: WriteOptions): void {
  const [text] = body.duplicateFields;
  if (text === undefined) return;
  if (options.fieldValidation === "Strict") throw badRequest(`error strict decoding patch: ${text}`);
  if (options.fieldValidation === "Warn") warn(context, body.duplicateFields);
}
