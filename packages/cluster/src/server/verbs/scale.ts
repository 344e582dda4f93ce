/**
 * The scale subresource: an autoscaling/v1 Scale made of fields of its parent.
 * Source: apiextensions-apiserver pkg/registry/customresource/etcd.go, kubernetes pkg/registry/apps.
 */
import {
  type Json,
  type JsonObject,
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  conflict,
  deepFreeze,
  failure,
  invalid,
} from "@bowline/api";
import { type WriteContext, resourceName, updateObject } from "../../registry/generic-registry.ts";
import { type ScalePaths, seeOne } from "../../registry/resource.ts";
import { Revision, type StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { bodyText, parseBody, unsupportedMediaType } from "../body.ts";
import { parseMediaType } from "../media-type.ts";
import { parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { optionsObject } from "./create.ts";
import { stored } from "./get.ts";

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
  return objectAnswer(context, form, { status: 200, revision: scaleRevision(seen, scaleOf(seen.object, paths)) });
}

/** PUT or PATCH of a scale: only spec.replicas can change. */
export async function writeScale(context: VerbContext, paths: ScalePaths): Promise<ServerResponse> {
  const { request, info, resource } = context;
  const form = negotiated(context);
  const patch = request.method === "PATCH";
  const options = parseWriteOptions(request.query, patch ? "PatchOptions" : "UpdateOptions");
  const write: WriteContext = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: patch ? "PatchOptions" : "UpdateOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const { revision } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: "scale",
    strategy: resource.strategy,
    createsMissing: false,
    retriesConflicts: patch,
    compute: (current) => Promise.resolve({ object: scaled(context, current as StoredObject, paths), tracked: false }),
  });
  return objectAnswer(context, form, { status: 200, revision: scaleRevision(revision, scaleOf(revision.object, paths)) });
}

function scaleRevision(parent: Revision, scale: Scale): Revision {
  return new Revision(parent.key, parent.revision, deepFreeze(scale) as unknown as StoredObject);
}

function scaleOf(parent: StoredObject, paths: ScalePaths): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const replicas = at(parent, paths.specReplicas);
  if (typeof replicas !== "number") {
    throw failure(500, "InternalError", `Internal error occurred: the spec replicas field "${pathText(paths.specReplicas)}" does not exist`, {
      causes: [{ message: `the spec replicas field "${pathText(paths.specReplicas)}" does not exist` }],
    });
  }
  const status = at(parent, paths.statusReplicas);
  const selector = paths.selector === undefined ? undefined : selectorText(at(parent, paths.selector));
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

/** The parent with the replicas that the request's Scale asks for. */
function scaled(context: VerbContext, parent: StoredObject, paths: ScalePaths): StoredObject {
  const { info, resource } = context;
  const scale = requestedScale(context, scaleOf(parent, paths));
  const metadata = (scale["metadata"] ?? {}) as JsonObject;
  const version = (metadata["resourceVersion"] ?? "") as string;
  if (version !== "" && version !== parent.metadata.resourceVersion) {
    throw conflict(resourceName(resource), info.name, "the object has been modified; please apply your changes to the latest version and try again");
  }
  const replicas = ((scale["spec"] ?? {}) as JsonObject)["replicas"] ?? 0;
  if (typeof replicas !== "number" || !Number.isInteger(replicas)) {
    throw badRequest(`Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal into Go struct field ScaleSpec.spec.replicas of type int32`);
  }
  if (replicas < 0) {
    const detail = "must be greater than or equal to 0";
    throw invalid({ group: "autoscaling", kind: "Scale" }, info.name, [
      { type: "Invalid", field: "spec.replicas", badValue: replicas, detail },
    ]);
  }
  return setAt(parent, paths.specReplicas, replicas) as StoredObject;
}

function requestedScale(context: VerbContext, current: Scale): JsonObject {
  const { request } = context;
  if (request.method !== "PATCH") return parseBody(request).value as JsonObject;
  const body = bodyText(request) === undefined ? (request.body as { value: Json }).value : JSON.parse(bodyText(request) ?? "");
  const json = JSON.parse(JSON.stringify(current)) as Json;
  switch (parseMediaType(request.headers["content-type"] ?? "").type) {
    case "application/json-patch+json":
      return applyJsonPatch(json, body as never) as JsonObject;
    case "application/merge-patch+json":
    case "application/strategic-merge-patch+json":
      return applyMergePatch(json, body as Json) as JsonObject;
    default:
      throw unsupportedMediaType("application/json-patch+json, application/merge-patch+json");
  }
}

function setAt(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const parent = (object ?? {}) as Record<string, unknown>;
  return { ...parent, [key]: setAt(parent[key], rest, value) };
}
