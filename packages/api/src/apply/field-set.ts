import { type PathElement, comparePathElements, compareText, pathElementText } from "./path-element.ts";

/**
 * A set of field paths in its wire form (FieldsV1): `{"f:spec": {".": {}, "f:replicas": {}}}` holds `.spec` and
 * `.spec.replicas`. A node is a member of the set when it is empty or has `"."`. The root is no member of itself, so `{}` is
 * the empty set. Immutable, and every operation returns its argument itself when it changes nothing.
 * Source of the operations: structured-merge-diff fieldpath (set.go).
 */
export interface FieldSet {
  readonly [element: PathElement]: FieldSet;
}

/** A set under construction, owned by one function. */
export interface FieldSetBuilder {
  [element: PathElement]: FieldSet;
}

/** The empty set, and as a node the mark of a member without children. */
export const emptySet: FieldSet = Object.freeze({});
const leaf: FieldSet = emptySet;

/** The set of these paths of field names: `fieldSetOf([["metadata"], ["spec", "replicas"]])`. */
export function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  return fieldSetOfPaths(paths.map((path) => path.map((name) => `f:${name}`)));
}

/** The set of these paths. */
export function fieldSetOfPaths(paths: readonly (readonly PathElement[])[]): FieldSet {
  const builder: FieldSetBuilder = {};
  for (const path of paths) insertNode(builder, path, leaf);
  return builder;
}

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether a node below the root is itself in the set. */
export function isMember(node: FieldSet): boolean {
  return "." in node || isEmptySet(node);
}

export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

/**
 * Adds a node (a member, a subtree, or both) at a path; the node becomes the builder's own. The root itself is never a
 * member: an empty path adds nothing.
 */
export function insertNode(builder: FieldSetBuilder, path: readonly PathElement[], node: FieldSet): void {
  const last = path.length - 1;
  let at = builder;
  for (let i = 0; i < last; i++) at = descend(at, path[i] ?? "");
  const element = path[last];
  if (element === undefined) return;
  const found = at[element];
  at[element] = found === undefined ? node : unionNodes(found, node);
}

function descend(builder: FieldSetBuilder, element: PathElement): FieldSetBuilder {
  const found = builder[element];
  if (found !== undefined && !isEmptySet(found) && !Object.isFrozen(found)) return found as FieldSetBuilder;
  // An empty node is a member, which it must still say once it has children.
  const next: FieldSetBuilder = found === undefined ? {} : isEmptySet(found) ? { ".": leaf } : { ...found };
  builder[element] = next;
  return next;
}

export function unionSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  return unionChildren(a, b);
}

function unionNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (isEmptySet(a)) return "." in b || isEmptySet(b) ? b : { ".": leaf, ...b };
  if (isEmptySet(b)) return "." in a ? a : { ".": leaf, ...a };
  return unionChildren(a, b);
}

function unionChildren(a: FieldSet, b: FieldSet): FieldSet {
  let out: FieldSetBuilder | undefined;
  for (const element in b) {
    const right = b[element] ?? leaf;
    const left = a[element];
    const both = left === undefined ? right : element === "." ? leaf : unionNodes(left, right);
    if (both === left || (element === "." && left !== undefined)) continue;
    out ??= { ...a };
    out[element] = both;
  }
  return out ?? a;
}

/** What is in `a` but not in `b`; removing a parent keeps its children and the other way round. */
export function differenceOfSets(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** What is in `a`, neither in `b` nor below a member of `b`. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (!shareElements(a, b)) return a;
  let changed = false;
  const out: FieldSetBuilder = {};
  for (const element in a) {
    const left = a[element] ?? leaf;
    const right = element === "." ? undefined : b[element];
    const rest = right === undefined ? left : subtractNode(left, right, recursive);
    if (rest !== left) changed = true;
    if (rest !== undefined) out[element] = rest;
  }
  return changed ? out : a;
}

function shareElements(a: FieldSet, b: FieldSet): boolean {
  for (const element in b) if (element !== "." && element in a) return true;
  return false;
}

function subtractNode(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet | undefined {
  const removed = isMember(b);
  if (recursive && removed) return undefined;
  const rest = subtract(a, b, recursive);
  if (rest === a && !removed) return a;
  const self = isMember(a) && !removed;
  if (!hasChildren(rest)) return self ? leaf : undefined;
  return self || !("." in rest) ? rest : withoutSelf(rest);
}

function hasChildren(node: FieldSet): boolean {
  for (const element in node) if (element !== ".") return true;
  return false;
}

function withoutSelf(node: FieldSet): FieldSet {
  const { ".": _, ...children } = node;
  return children;
}

/** What is in both. */
export function intersectionOfSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  let changed = false;
  const out: FieldSetBuilder = {};
  for (const element in a) {
    if (element === ".") continue;
    const left = a[element] ?? leaf;
    const right = b[element];
    const both = right === undefined ? undefined : intersectNodes(left, right);
    if (both !== left) changed = true;
    if (both !== undefined) out[element] = both;
  }
  return changed || "." in a ? out : a;
}

function intersectNodes(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return a;
  const children = intersectionOfSets(a, b);
  const member = isMember(a) && isMember(b);
  if (isEmptySet(children)) return member ? leaf : undefined;
  return member ? { ".": leaf, ...children } : children;
}

/** The members that have no members below them. */
export function leavesOfSet(set: FieldSet): FieldSet {
  const out: FieldSetBuilder = {};
  for (const element in set) {
    if (element !== ".") out[element] = leavesOfSet(set[element] ?? leaf);
  }
  return out;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  let count = 0;
  for (const element in a) {
    const right = b[element];
    if (right === undefined || !equalSets(a[element] ?? leaf, right)) return false;
    count++;
  }
  for (const _ in b) count--;
  return count === 0;
}

/** The paths of the set: at each level first its members, then what is below, both in canonical order. */
export function pathsOfSet(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = [];
  collectPaths(sortedSet(set), [], paths);
  return paths;
}

function collectPaths(set: FieldSet, prefix: readonly PathElement[], paths: PathElement[][]): void {
  for (const element in set) {
    if (element !== "." && isMember(set[element] ?? leaf)) paths.push([...prefix, element]);
  }
  for (const element in set) {
    if (element !== ".") collectPaths(set[element] ?? leaf, [...prefix, element], paths);
  }
}

/** A path as messages print it: `.spec.ports[port=80].name`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(pathElementText).join("");
}

/** The set with its elements in canonical order, which is how it is stored. */
export function sortedSet(set: FieldSet): FieldSet {
  let previous: string | undefined;
  let inOrder = true;
  let out: FieldSetBuilder | undefined;
  for (const element in set) {
    if (previous !== undefined && inOrder) inOrder = compareStored(previous, element) < 0;
    previous = element;
    const node = set[element] ?? leaf;
    const sorted = isEmptySet(node) ? node : sortedSet(node);
    if (sorted === node) continue;
    out ??= { ...set };
    out[element] = sorted;
  }
  return inOrder ? (out ?? set) : reordered(out ?? set);
}

function reordered(set: FieldSet): FieldSet {
  const out: FieldSetBuilder = {};
  for (const element of Object.keys(set).sort(compareStored)) out[element] = set[element] ?? leaf;
  return out;
}

function compareStored(a: string, b: string): number {
  if (a === "." || b === ".") return a === b ? 0 : a === "." ? -1 : 1;
  return a.startsWith("f:") && b.startsWith("f:") ? compareText(a, b) : comparePathElements(a, b);
}
