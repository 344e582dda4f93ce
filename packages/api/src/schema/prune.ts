/** Drops fields that a schema does not know. Source: apiextensions-apiserver pkg/apiserver/schema/pruning. */
import type { Json } from "../object/object.ts";
import { compareCodePoints } from "../status/go-text.ts";
import { mapFields, mapItems } from "./copy-on-write.ts";
import type { SchemaNode } from "./schema-node.ts";

export interface Pruned<T> {
  /** The same reference when nothing was dropped. */
  readonly value: T;
  /** Paths of what was dropped, sorted; empty when they were not asked for. */
  readonly unknownFields: readonly string[];
}

export interface PruneOptions {
  /** The value is a whole resource, whose apiVersion, kind and metadata stay whatever the schema says. */
  readonly resource: boolean;
  /** True: list the paths of what is dropped. Default false. */
  readonly unknownFields?: boolean;
}

export function prune<T extends Json>(node: SchemaNode, value: T, options: PruneOptions): Pruned<T> {
  const unknown: string[] | undefined = options.unknownFields === true ? [] : undefined;
  const root = options.resource ? asResource(node) : node;
  const pruned = pruneValue(root, value, "", unknown) as T;
  return { value: pruned, unknownFields: unknown?.sort(compareCodePoints) ?? [] };
}

/** A node as the root of a resource, made once per schema. */
const resources = new WeakMap<SchemaNode, SchemaNode>();

function asResource(node: SchemaNode): SchemaNode {
  if (node.embedded) return node;
  let resource = resources.get(node);
  if (resource === undefined) {
    resource = { ...node, embedded: true };
    resources.set(node, resource);
  }
  return resource;
}

/** Whether a field belongs to every resource. */
export function isMetaField(name: string): boolean {
  return name === "apiVersion" || name === "kind" || name === "metadata";
}

/** @param node undefined when nothing is known about the value: then all its fields go */
function pruneValue(
  node: SchemaNode | undefined,
  value: Json,
  path: string,
  unknown: string[] | undefined,
): Json {
  if (typeof value !== "object" || value === null) return value;
  if (node?.preserveUnknown === true) return keepUnknown(node, value, path, unknown);
  if (Array.isArray(value)) {
    return mapItems(value, (item, i) => pruneValue(node?.items, item, itemPath(path, i, unknown), unknown));
  }
  return mapFields(value, (name, field) => {
    if (node?.embedded === true && isMetaField(name)) return field;
    const property = node?.properties.get(name);
    const extra = node?.additional;
    if (property !== undefined || extra !== undefined) {
      const child = property ?? (extra === "anything" ? undefined : extra);
      return pruneValue(child, field, fieldPath(path, name, unknown), unknown);
    }
    if (node === undefined || !isMetaField(name) || path !== "")
      unknown?.push(fieldPath(path, name, unknown));
    return undefined;
  });
}

/** Unknown fields stay here, but what is known is pruned below. */
function keepUnknown(
  node: SchemaNode | undefined,
  value: Json,
  path: string,
  unknown: string[] | undefined,
): Json {
  if (node === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    return mapItems(value, (item, i) => keepUnknown(node.items, item, itemPath(path, i, unknown), unknown));
  }
  return mapFields(value, (name, field) => {
    if (node.embedded && isMetaField(name)) return field;
    const property = node.properties.get(name);
    const extra = node.additional;
    if (property === undefined && extra === undefined) return field;
    const child = property ?? (extra === "anything" ? undefined : extra);
    return pruneValue(child, field, fieldPath(path, name, unknown), unknown);
  });
}

function fieldPath(path: string, name: string, unknown: string[] | undefined): string {
  return unknown === undefined ? "" : path === "" ? name : `${path}.${name}`;
}

function itemPath(path: string, index: number, unknown: string[] | undefined): string {
  return unknown === undefined ? "" : `${path}[${index}]`;
}

/** Drops nulls of fields that may not be null and have no default. Source: schema/defaulting/prunenulls.go. */
export function dropNulls(node: SchemaNode | undefined, value: Json): Json {
  if (node === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, (item) => dropNulls(node.items, item));
  return mapFields(value, (name, field) => {
    const property = node.properties.get(name);
    const extra = node.additional;
    const child = property ?? (typeof extra === "object" ? extra : undefined);
    if (child === undefined) return field;
    if (field === null) return child.nullable || child.defaultValue !== undefined ? null : undefined;
    return dropNulls(child, field);
  });
}
