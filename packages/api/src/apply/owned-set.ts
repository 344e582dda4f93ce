import { type FieldSet, type FieldSetBuilder, emptySet, isEmptySet, unionSets } from "./field-set.ts";
import { listItemElement } from "./list-item.ts";
import { type ListType, type MapType, type MergeType, noType } from "./merge-type.ts";
import { asList, asMap, formOf, handledForm, isEmptyMap } from "./value-kind.ts";

/**
 * Every leaf and every list item that a value mentions: what an applied object claims to own. The value must fit the type
 * (`validateTyped`). Source: structured-merge-diff typed (tofieldset.go).
 */
export function ownedSet(type: MergeType, value: unknown): FieldSet {
  return owned(type, value).below ?? emptySet;
}

interface Owned {
  /** Whether the place itself is owned. */
  readonly self: boolean;
  readonly below?: FieldSet;
}

const itself: Owned = { self: true };
const nothing: Owned = { self: false };

function owned(type: MergeType, value: unknown): Owned {
  switch (handledForm(type, formOf(type, value))) {
    case "map":
      return type.map === undefined ? nothing : ownedInMap(type.map, value);
    case "list":
      return type.list === undefined ? nothing : ownedInList(type.list, value);
    case "scalar":
      return itself;
    default:
      return nothing;
  }
}

function ownedInMap(type: MapType, value: unknown): Owned {
  if (type.atomic) return itself;
  const map = asMap(value);
  if (map === undefined) return nothing;
  const below: FieldSetBuilder = {};
  for (const name in map) {
    const field = type.fields.get(name);
    const item = map[name];
    const found = owned(field?.type ?? type.others ?? noType, item);
    const self = found.self || field === undefined || isNullOrEmptyMap(item);
    const node = nodeOf(self, found.below);
    if (node !== undefined) below[field?.element ?? `f:${name}`] = node;
  }
  return { self: false, below };
}

function isNullOrEmptyMap(value: unknown): boolean {
  if (value === null) return true;
  const map = asMap(value);
  return map !== undefined && isEmptyMap(map);
}

function nodeOf(self: boolean, below: FieldSet | undefined): FieldSet | undefined {
  if (below === undefined || isEmptySet(below)) return self ? emptySet : undefined;
  return self ? { ".": emptySet, ...below } : below;
}

function ownedInList(type: ListType, value: unknown): Owned {
  if (type.atomic) return itself;
  const list = asList(value);
  if (list === undefined) return nothing;
  const below: FieldSetBuilder = {};
  const seen = new Set<string>();
  for (const item of list) {
    const element = listItemElement(type, item);
    // A doubled item is owned as a whole: which of them a field is in cannot be told.
    below[element] = seen.has(element) ? emptySet : (nodeOf(true, owned(type.items, item).below) ?? emptySet);
    seen.add(element);
  }
  return { self: false, below };
}

/**
 * The set that a value makes when it is new: like what is owned, but every container is in it too. This is what an update
 * owns of a value that it added. `type` has a map, which is the root and itself not in the set.
 */
export function addedSet(type: MergeType, value: unknown): FieldSet {
  const { ".": _, ...below } = addedNode(type, value);
  return below;
}

/** The node of an added (or removed) value: always a member. Source: structured-merge-diff typed (compare.go). */
export function addedNode(type: MergeType, value: unknown): FieldSet {
  if (typeof value !== "object" || value === null) return emptySet;
  const form = handledForm(type, formOf(type, value));
  if (form === "map" && type.map !== undefined) return addedMap(type.map, value);
  if (form === "list" && type.list !== undefined) return addedList(type.list, value);
  return emptySet;
}

function addedMap(type: MapType, value: unknown): FieldSet {
  const map = asMap(value);
  if (type.atomic || map === undefined || isEmptyMap(map)) return emptySet;
  const node: FieldSetBuilder = { ".": emptySet };
  for (const name in map) {
    const field = type.fields.get(name);
    node[field?.element ?? `f:${name}`] = addedNode(field?.type ?? type.others ?? noType, map[name]);
  }
  return node;
}

function addedList(type: ListType, value: unknown): FieldSet {
  const list = asList(value);
  if (type.atomic || list === undefined || list.length === 0) return emptySet;
  const node: FieldSetBuilder = { ".": emptySet };
  const seen = new Set<string>();
  for (const item of list) {
    const element = listItemElement(type, item);
    node[element] = seen.has(element) ? emptySet : addedNode(type.items, item);
    seen.add(element);
  }
  return node;
}

/** The union of several sets. */
export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  let all = emptySet;
  for (const set of sets) all = unionSets(all, set);
  return all;
}
