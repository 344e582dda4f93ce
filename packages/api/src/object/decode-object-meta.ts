import { type GoField, type GoType, decodeGo, goStructType } from "./go-struct.ts";
import type { Json, JsonObject } from "./object.ts";

const text: GoType = { is: "text", name: "string" };
const uid: GoType = { is: "text", name: "types.UID" };
const int64: GoType = { is: "int64", name: "int64" };
const bool: GoType = { is: "bool", name: "bool" };
const time: GoType = { is: "time", name: "v1.Time" };
const texts: GoType = { is: "map", name: "map[string]string", of: text };

function field(type: GoType, omit: GoField["omit"] = "empty"): GoField {
  return { type, omit };
}

const ownerReference = goStructType("v1.OwnerReference", {
  apiVersion: field(text, "never"),
  kind: field(text, "never"),
  name: field(text, "never"),
  uid: field(uid, "never"),
  controller: field(bool, "null"),
  blockOwnerDeletion: field(bool, "null"),
});

const managedFieldsEntry = goStructType("v1.ManagedFieldsEntry", {
  manager: field(text),
  operation: field({ is: "text", name: "v1.ManagedFieldsOperationType" }),
  apiVersion: field(text),
  time: field(time, "null"),
  fieldsType: field(text),
  fieldsV1: field({ is: "raw", name: "v1.FieldsV1" }, "null"),
  subresource: field(text),
});

/** The Go struct that metadata is decoded into. Source: meta/v1 ObjectMeta. */
const objectMeta = goStructType("v1.ObjectMeta", {
  name: field(text),
  generateName: field(text),
  namespace: field(text),
  selfLink: field(text),
  uid: field(uid),
  resourceVersion: field(text),
  generation: field(int64),
  creationTimestamp: field(time),
  deletionTimestamp: field(time, "null"),
  deletionGracePeriodSeconds: field(int64, "null"),
  labels: field(texts),
  annotations: field(texts),
  ownerReferences: field({ is: "list", name: "[]v1.OwnerReference", of: ownerReference }),
  finalizers: field({ is: "list", name: "[]string", of: text }),
  managedFields: field({ is: "list", name: "[]v1.ManagedFieldsEntry", of: managedFieldsEntry }),
});

export interface DecodedMeta {
  /** Undefined when it cannot be decoded at all. */
  readonly meta: JsonObject | undefined;
  /** Paths within the metadata: `ownerReferences[0].x`. */
  readonly unknown: readonly string[];
  /** `json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`. */
  readonly error?: string;
}

/** Metadata as the server holds it: unknown fields, nulls and empty values left out, times in UTC. The same reference when it is so already. */
export function decodeObjectMeta(metadata: Json): DecodedMeta {
  const { value, unknown, error } = decodeGo(objectMeta, metadata);
  if (error !== undefined) return { meta: undefined, unknown, error };
  return { meta: value as JsonObject, unknown };
}

/** The same, where each field that cannot be decoded is left out instead. */
export function decodeObjectMetaLeniently(metadata: Json): DecodedMeta {
  const whole = decodeObjectMeta(metadata);
  if (whole.error === undefined) return whole;
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    return { meta: undefined, unknown: [] };
  const meta: JsonObject = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(metadata)) {
    const one = decodeObjectMeta({ [name]: value });
    if (one.error !== undefined) continue;
    Object.assign(meta, one.meta);
    unknown.push(...one.unknown);
  }
  return { meta, unknown };
}
