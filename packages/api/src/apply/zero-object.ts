import type { Json, JsonObject } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { ManagedObject } from "./field-management.ts";
import { asMap } from "./value-kind.ts";

/**
 * What a new object of a built-in kind is before anything is set, as the server's Go types have it: fields that are never
 * left out have their zero value. An update that creates the object therefore does not own `spec`, only what it set in it.
 */
export function zeroObject(
  kind: { readonly apiVersion: string; readonly kind: string },
  schema: JsonSchema,
  definitions: { readonly [name: string]: JsonSchema },
): ManagedObject {
  const zero = zeroStruct(schema, kind.kind, definitions);
  return { ...zero, apiVersion: kind.apiVersion, kind: kind.kind, metadata: {} } as ManagedObject;
}

/**
 * The object with the fields that it would have in Go although they are not in its JSON. Returns the object itself when it
 * has them all.
 */
export function fillZero(zero: unknown, value: unknown): unknown {
  if (value === undefined) return zero;
  const map = asMap(value);
  const zeroMap = asMap(zero);
  if (map === undefined || zeroMap === undefined) return value;
  let out: Record<string, unknown> | undefined;
  for (const name in zeroMap) {
    const filled = fillZero(zeroMap[name], map[name]);
    if (filled === map[name]) continue;
    out ??= { ...map };
    out[name] = filled;
  }
  return out ?? value;
}

/** Optional fields that are structs in Go, not pointers, so that they are there although empty. Source: k8s.io/api types. */
const optionalStructs: ReadonlySet<string> = new Set([
  "AllocationResult.devices",
  "DaemonSetSpec.updateStrategy",
  "DeploymentSpec.strategy",
  "Event.deprecatedSource",
  "Event.regarding",
  "Event.source",
  "IngressStatus.loadBalancer",
  "NetworkPolicySpec.podSelector",
  "NodeDaemonEndpoints.kubeletEndpoint",
  "NodeStatus.daemonEndpoints",
  "NodeStatus.nodeInfo",
  "PersistentVolumeClaimSpec.resources",
  "PodTemplate.template",
  "ReplicaSetSpec.template",
  "ResourceClaimSpec.devices",
  "ServiceStatus.loadBalancer",
  "StatefulSetSpec.updateStrategy",
]);

/** Fields that are structs in every type that has them. */
const structFields: ReadonlySet<string> = new Set(["metadata", "spec", "status"]);

function zeroStruct(
  schema: JsonSchema,
  typeName: string,
  definitions: { readonly [name: string]: JsonSchema },
): JsonObject {
  const out: JsonObject = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const field = `${typeName}.${name}`;
    const required = schema.required?.includes(name) === true;
    const reference = refName(property);
    if (reference === undefined) {
      if (required) out[name] = zeroOf(property);
    } else if (required || structFields.has(name) || optionalStructs.has(field)) {
      out[name] = zeroReference(reference, definitions);
    }
  }
  return out;
}

function zeroReference(name: string, definitions: { readonly [name: string]: JsonSchema }): Json {
  const definition = definitions[name];
  if (definition?.properties === undefined) return null;
  return zeroStruct(definition, name.slice(name.lastIndexOf(".") + 1), definitions);
}

function refName(schema: JsonSchema): string | undefined {
  return schema.$ref?.slice(schema.$ref.lastIndexOf("/") + 1);
}

function zeroOf(schema: JsonSchema): Json {
  if (schema.type === "string") return "";
  if (schema.type === "integer" || schema.type === "number") return 0;
  return schema.type === "boolean" ? false : null;
}
