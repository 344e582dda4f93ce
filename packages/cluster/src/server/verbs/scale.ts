/**
 * The scale subresource: an autoscaling/v1 Scale made of fields of its parent.
 * Source: apiextensions-apiserver pkg/registry/customresource/etcd.go, kubernetes pkg/registry/apps.
 */
import {
  type FieldManagement,
  type JsonObject,
  type ManagedObject,
  StatusError,
  type TablePrinter,
  applyPatch,
  badRequest,
  compileMergeType,
  conflict,
  customPrinter,
  deepFreeze,
  failure,
  internalError,
  invalid,
  parentManagedFields,
  scaleManagedFields,
  trackUpdate,
} from "@bowline/api";
import { builtinPrinter, linkedDefinition } from "@bowline/api/catalog";
import { rfc3339 } from "@bowline/client";
import {
  type ObjectView,
  type WriteContext,
  resourceName,
  uidConflict,
  updateObject,
} from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import { type ScalePaths, seeOne } from "../../registry/resource.ts";
import { Revision, type StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { builtinBody, decodeObject } from "../decode-object.ts";
import { type WriteOptions, parseWriteOptions } from "../options.ts";
import { type PatchType, patchTypeOf, readApplied, readPatch } from "../patch-body.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { inNamespace, optionsObject } from "./create.ts";
import { stored } from "./get.ts";
import { patched } from "./patch.ts";
import { checkName } from "./update.ts";

interface Scale {
  readonly kind: "Scale";
  readonly apiVersion: "autoscaling/v1";
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

export async function getScale(context: VerbContext, paths: ScalePaths): Promise<ServerResponse> {
  const form = negotiated(context);
  const seen = await seeOne(context.resource, stored(context));
  return objectAnswer(context, form, {
    status: 200,
    ...printerOf(context),
    revision: scaleRevision(seen, scaleOf(seen.object, paths)),
  });
}

/** PUT or PATCH of a scale: only spec.replicas can change. */
export async function writeScale(context: VerbContext, paths: ScalePaths): Promise<ServerResponse> {
  const { request, info, resource } = context;
  const form = negotiated(context);
  const patch = request.method === "PATCH";
  const type = patch ? patchTypeOf(request, { strategic: !resource.typedItems }) : undefined;
  const options = parseWriteOptions(
    request.query,
    patch ? "PatchOptions" : "UpdateOptions",
    type === "apply",
  );
  const write: WriteContext = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: {
      kind: patch ? "PatchOptions" : "UpdateOptions",
      apiVersion: "meta.k8s.io/v1",
      ...optionsObject(options),
    },
  });
  const { revision } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: "scale",
    strategy: resource.strategy,
    view: scaleView(context, paths),
    createsMissing: false,
    retriesConflicts: patch,
    compute: (current) =>
      Promise.resolve({
        object: scaled(context, current as StoredObject, { paths, write, type, options }),
        tracked: true,
      }),
  });
  return objectAnswer(context, form, {
    status: 200,
    ...printerOf(context),
    revision: scaleRevision(revision, scaleOf(revision.object, paths)),
  });
}

/** Admission sees Scales. */
function scaleView(context: VerbContext, paths: ScalePaths): ObjectView {
  return {
    show(parent) {
      const replicas = at(parent, paths.specReplicas);
      return deepFreeze(
        scaleWith(parent, paths, typeof replicas === "number" ? replicas : unsetReplicas),
      ) as unknown as StoredObject;
    },
    take(parent, scale) {
      const replicas = requestedReplicas(context, scale as unknown as ManagedObject, paths);
      return setAt(parent, paths.specReplicas, replicas) as StoredObject;
    },
  };
}

/** The scale of a custom kind has columns for its replicas. Source: apiextensions-apiserver (customresource_handler.go). */
function printerOf({ resource }: VerbContext): { printer: TablePrinter } {
  if (!resource.typedItems) return { printer: builtinPrinter({ group: "autoscaling", kind: "Scale" }) };
  customScalePrinter ??= customPrinter(customScaleColumns);
  return { printer: customScalePrinter };
}

let customScalePrinter: TablePrinter | undefined;

const customScaleColumns = [
  { name: "Desired", type: "integer", jsonPath: ".spec.replicas", description: "Number of desired replicas" },
  {
    name: "Available",
    type: "integer",
    jsonPath: ".status.replicas",
    description: "Number of actual replicas",
  },
  {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    description: "The time since the object was created.",
  },
];

function scaleRevision(parent: Revision, scale: Scale): Revision {
  return new Revision(parent.key, parent.revision, deepFreeze(scale) as unknown as StoredObject);
}

function scaleOf(parent: StoredObject, paths: ScalePaths): Scale {
  const replicas = at(parent, paths.specReplicas);
  if (typeof replicas === "number") return scaleWith(parent, paths, replicas);
  throw internalError(`the spec replicas field "${pathText(paths.specReplicas)}" does not exist`);
}

function scaleWith(parent: StoredObject, paths: ScalePaths, replicas: number): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const status = at(parent, paths.statusReplicas);
  const selector = paths.selector === undefined ? undefined : selectorText(selectorOf(parent, paths));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: typeof status === "number" ? status : 0, ...(selector ? { selector } : {}) },
  };
}

function pathText(path: readonly string[]): string {
  return path.map((p) => `.${p}`).join("");
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);
}

function selectorOf(parent: StoredObject, paths: ScalePaths): unknown {
  const selector = at(parent, paths.selector ?? []);
  return paths.isPlainSelector === true ? { matchLabels: selector } : selector;
}

/** A selector as the Scale shows it: text as it is, a LabelSelector in query form. */
function selectorText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return undefined;
  const { matchLabels = {}, matchExpressions = [] } = value as {
    matchLabels?: Record<string, string>;
    matchExpressions?: { key: string; operator: string; values?: string[] }[];
  };
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}=${matchLabels[key]}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === "Exists") return key;
    if (operator === "DoesNotExist") return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${values.join(",")})`;
  });
  return [...labels, ...expressions].join(",");
}

/** Ownership of fields for writes through /scale: in the fields of the Scale, moved from and to those of the parent. */
const scaleManagement: FieldManagement = {
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  subresource: "scale",
  typeOf: (apiVersion) => (apiVersion === "autoscaling/v1" ? scaleType() : undefined),
};

let compiledScaleType: ReturnType<typeof compileMergeType> | undefined;

function scaleType(): ReturnType<typeof compileMergeType> {
  compiledScaleType ??= compileMergeType(linkedDefinition("io.k8s.api.autoscaling.v1.Scale"));
  return compiledScaleType;
}

interface ScaleWrite {
  readonly paths: ScalePaths;
  readonly write: WriteContext;
  /** Undefined for a PUT. */
  readonly type: PatchType | undefined;
  readonly options: WriteOptions;
}

/** The parent with the replicas that the request's Scale asks for, and with their new owner. */
function scaled(context: VerbContext, parent: StoredObject, given: ScaleWrite): StoredObject {
  const { info, resource } = context;
  const entries = parent.metadata.managedFields;
  const before = at(parent, given.paths.specReplicas);
  const shown = scaleWith(parent, given.paths, typeof before === "number" ? before : unsetReplicas);
  const managedFields = scaleManagedFields(entries, resource.replicasPaths);
  const live = {
    ...shown,
    metadata: { ...shown.metadata, ...(managedFields === undefined ? {} : { managedFields }) },
  };
  const scale = trackedScale(context, live as unknown as ManagedObject, given);
  const version = scale.metadata.resourceVersion ?? "";
  if (version !== "" && version !== parent.metadata.resourceVersion) {
    throw conflict(
      resourceName(resource),
      info.name,
      "the object has been modified; please apply your changes to the latest version and try again",
    );
  }
  const replicas = requestedReplicas(context, scale, given.paths);
  const owners = parentManagedFields(entries, scale.metadata.managedFields, {
    apiVersion: parent.apiVersion,
    paths: resource.replicasPaths,
  });
  const next = setAt(parent, given.paths.specReplicas, replicas) as StoredObject;
  return withMetadata(next, { managedFields: owners as never });
}

/** What a Scale has while the parent has no replicas: a patch that leaves it alone has none to set. Source: etcd.go. */
const unsetReplicas = -(2 ** 31);

function requestedReplicas(context: VerbContext, scale: ManagedObject, paths: ScalePaths): number {
  const replicas = ((scale["spec"] ?? {}) as JsonObject)["replicas"] ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    throw badRequest(
      `Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal into Go struct field ScaleSpec.spec.replicas of type int32`,
    );
  }
  if (replicas === unsetReplicas) {
    throw badRequest(`the spec replicas field "${pathText(paths.specReplicas)}" cannot be empty`);
  }
  // Custom kinds validate the parent, built-in kinds the Scale.
  if (replicas < 0 && context.resource.strategy.decodesApplied) {
    const detail = "must be greater than or equal to 0";
    const error = { type: "Invalid", field: "spec.replicas", badValue: replicas, detail } as const;
    throw invalid({ group: "autoscaling", kind: "Scale" }, context.info.name, [error]);
  }
  return replicas;
}

/** The Scale that the request asks for, with the entries of its owners. */
function trackedScale(context: VerbContext, live: ManagedObject, given: ScaleWrite): ManagedObject {
  const now = rfc3339(context.ports.clock.now());
  const { write, type, options } = given;
  const { manager } = write;
  if (type === "apply") {
    const { patch } = readApplied(context.request);
    checkTracked(context, live, patch);
    return applyPatch(scaleManagement, { live, patch, manager, force: options.force === true, now }).object;
  }
  const object = asStruct(requestedScale(context, live, given)) as unknown as ManagedObject;
  return trackUpdate(scaleManagement, { live, object, manager, now });
}

/**
 * The first apply of a Scale whose replicas nobody owns yet compares with what the object has, for which the server of custom
 * resources would convert the Scale as if it were one of its own kinds.
 * @throws StatusError 500
 */
function checkTracked({ resource }: VerbContext, live: ManagedObject, patch: JsonObject): void {
  const isScale =
    patch["apiVersion"] === scaleManagement.apiVersion && patch["kind"] === scaleManagement.kind;
  const owned = (live.metadata?.managedFields?.length ?? 0) > 0;
  if (!resource.typedItems || owned || !isScale) return;
  const why =
    "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) " +
    "to proper version: request to convert CR to an invalid group/version: autoscaling/v1";
  throw failure(500, "", why);
}

const scaleBody = builtinBody("autoscaling", "v1", "Scale");

function requestedScale(context: VerbContext, live: ManagedObject, given: ScaleWrite): JsonObject {
  const { type, options } = given;
  const { request, warnings } = context;
  if (type === undefined || type === "apply") {
    const warn = (text: string): void => void warnings.add(text);
    const sent = unexplained(context, () =>
      decodeObject(request, scaleBody, { fieldValidation: options.fieldValidation, warn }),
    );
    return placed(context, live, sent) as unknown as JsonObject;
  }
  const current = JSON.parse(JSON.stringify(live)) as JsonObject;
  const changed = patched(context, readPatch(request, type, undefined), {
    kind: scaleBody,
    current,
    options,
  });
  checkName(changed, context.info.name);
  return changed as unknown as JsonObject;
}

/**
 * The server of custom resources cannot tell what is wrong with a Scale: it does not know the type where it looks it up.
 * Source: apiextensions-apiserver pkg/apiserver (customresource_handler.go), apiserver endpoints/handlers (rest.go).
 */
function unexplained<T>({ resource }: VerbContext, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    const isBadRequest = error instanceof StatusError && error.code === 400;
    if (!resource.typedItems || !isBadRequest) throw error;
    const scheme = "k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go:781";
    throw badRequest(`no kind is registered for the type v1.Scale in scheme "${scheme}"`);
  }
}

/** The Scale that was sent, which must name what the path names. @throws StatusError 400, 409 for another uid */
function placed(context: VerbContext, live: ManagedObject, sent: StoredObject): StoredObject {
  const { info, resource } = context;
  checkName(sent, info.name);
  const here = inNamespace(context, sent, info.namespace);
  const { uid } = here.metadata;
  const found = live.metadata?.uid ?? "";
  if (uid && uid !== found) throw uidConflict(resource, info.namespace, info.name, uid, found);
  return here;
}

/** A Scale as its struct has it: no replicas are left out. */
function asStruct(scale: JsonObject): JsonObject {
  const spec = (scale["spec"] ?? {}) as JsonObject;
  const { replicas, ...rest } = spec;
  return replicas === 0 || replicas === null ? { ...scale, spec: rest } : { ...scale, spec };
}

function setAt(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const parent = (object ?? {}) as Record<string, unknown>;
  return { ...parent, [key]: setAt(parent[key], rest, value) };
}
