import { type FieldSet, type FieldSetBuilder, emptySet, insertNode, isEmptySet } from "./field-set.ts";
import { PathElementError, readPathElement } from "./path-element.ts";

/** Sets that were read before, by the frozen wire value: entries of stored objects are read over and over. */
const known = new WeakMap<object, FieldSet>();

/**
 * Reads the `fieldsV1` of an entry. Elements of unknown kinds are dropped, others brought to canonical form. Throws
 * PathElementError. Source: structured-merge-diff fieldpath (serialize.go).
 */
export function readFieldSet(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  if (!isMap(fields)) throw new PathElementError("expected a map of path elements");
  const cached = known.get(fields);
  if (cached !== undefined) return cached;
  const set = readChildren(fields) ?? emptySet;
  const root = "." in set ? withoutSelf(set) : set;
  if (Object.isFrozen(fields)) known.set(fields, root);
  return root;
}

function withoutSelf(set: FieldSet): FieldSet {
  const { ".": _, ...rest } = set;
  return rest;
}

/** The children of a node, the same object when it was canonical; undefined when there are none. */
function readChildren(node: { readonly [element: string]: unknown }): FieldSet | undefined {
  const out: FieldSetBuilder = {};
  let same = true;
  for (const key in node) {
    if (key === ".") {
      out["."] = emptySet;
      same &&= isMap(node["."]) && isEmptySet(node["."] as FieldSet);
      continue;
    }
    const element = readPathElement(key);
    const value = node[key];
    if (value !== null && !isMap(value))
      throw new PathElementError(`expected a map of path elements at ${key}`);
    if (element === undefined) {
      same = false;
      continue;
    }
    const child = readNode(value);
    if (element !== key || child !== value) same = false;
    insertNode(out, [element], child);
  }
  if (same) return node as FieldSet;
  return isEmptySet(out) ? undefined : out;
}

function readNode(value: { readonly [element: string]: unknown } | null): FieldSet {
  if (value === null) return emptySet;
  if (isEmptySet(value as FieldSet)) return value as FieldSet;
  const children = readChildren(value) ?? emptySet;
  // A node with only "." is a member without children, like an empty one.
  for (const element in children) if (element !== ".") return children;
  return emptySet;
}

function isMap(value: unknown): value is { readonly [element: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
