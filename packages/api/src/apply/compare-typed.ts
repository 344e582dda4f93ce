import {
  type FieldSet,
  type FieldSetBuilder,
  emptySet,
  insertNode,
  recursiveDifference,
} from "./field-set.ts";
import { listItemElement } from "./list-item.ts";
import { type ListType, type MapType, type MergeType, noType } from "./merge-type.ts";
import { addedNode } from "./owned-set.ts";
import type { PathElement } from "./path-element.ts";
import {
  asList,
  asMap,
  entryOf,
  equalValues,
  formOf,
  handledForm,
  isEmptyMap,
  sameForm,
} from "./value-kind.ts";

/** How one value became another; no field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** The comparison without some fields and what is below them. */
export function excludeFromComparison(comparison: Comparison, fields: FieldSet | undefined): Comparison {
  if (fields === undefined) return comparison;
  return {
    added: recursiveDifference(comparison.added, fields),
    modified: recursiveDifference(comparison.modified, fields),
    removed: recursiveDifference(comparison.removed, fields),
  };
}

/**
 * Compares two values that fit the type. Throws ListItemError when a list item cannot be told from others.
 * Source: structured-merge-diff typed (compare.go).
 */
export function compareTyped(type: MergeType, left: unknown, right: unknown): Comparison {
  const walk: Walk = { added: {}, modified: {}, removed: {}, path: [] };
  compare(walk, type, left, right);
  return { added: walk.added, modified: walk.modified, removed: walk.removed };
}

interface Walk {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
  /** The place that is compared; one array, pushed and popped. */
  readonly path: PathElement[];
}

function compare(walk: Walk, type: MergeType, left: unknown, right: unknown): void {
  if (left === right) return;
  const leftForm = formOf(type, left);
  const rightForm = formOf(type, right);
  // A value that changed its form is compared in both: what it was may go and what it is may come.
  if (!sameForm(type, leftForm, rightForm)) compareAs(walk, type, handledForm(type, leftForm), left, right);
  compareAs(walk, type, handledForm(type, rightForm), left, right);
}

function compareAs(
  walk: Walk,
  type: MergeType,
  form: "map" | "scalar" | "list" | "none",
  left: unknown,
  right: unknown,
): void {
  if (form === "map" && type.map !== undefined) return compareMaps(walk, type.map, left, right);
  if (form === "list" && type.list !== undefined) return compareLists(walk, type.list, left, right);
  if (form === "scalar") compareLeaves(walk, left, right);
}

function compareLeaves(walk: Walk, left: unknown, right: unknown): void {
  if (!equalValues(left, right)) insertNode(walk.modified, walk.path, emptySet);
}

function compareMaps(walk: Walk, type: MapType, leftValue: unknown, rightValue: unknown): void {
  const left = asMap(leftValue);
  const right = asMap(rightValue);
  const bothEmpty = (left === undefined || isEmptyMap(left)) && (right === undefined || isEmptyMap(right));
  if (type.atomic || bothEmpty) return compareLeaves(walk, leftValue, rightValue);
  for (const name in left) {
    const other = entryOf(right, name);
    if (left[name] !== other) compareField(walk, type, name, left[name], other);
  }
  for (const name in right) {
    if (entryOf(left, name) === undefined) compareField(walk, type, name, undefined, right[name]);
  }
}

function compareField(walk: Walk, type: MapType, name: string, left: unknown, right: unknown): void {
  const field = type.fields.get(name);
  compareChild(walk, field?.element ?? `f:${name}`, field?.type ?? type.others ?? noType, left, right);
}

function compareChild(
  walk: Walk,
  element: PathElement,
  type: MergeType,
  left: unknown,
  right: unknown,
): void {
  walk.path.push(element);
  if (left === undefined) insertNode(walk.added, walk.path, addedNode(type, right));
  else if (right === undefined) insertNode(walk.removed, walk.path, addedNode(type, left));
  else compare(walk, type, left, right);
  walk.path.pop();
}

function compareLists(walk: Walk, type: ListType, leftValue: unknown, rightValue: unknown): void {
  const left = asList(leftValue) ?? [];
  const right = asList(rightValue) ?? [];
  if (type.atomic || (left.length === 0 && right.length === 0))
    return compareLeaves(walk, leftValue, rightValue);
  const leftItems = groupItems(type, left);
  const rightItems = groupItems(type, right);
  for (const [element, items] of leftItems)
    compareItems(walk, type, element, items, rightItems.get(element) ?? []);
  for (const [element, items] of rightItems) {
    if (!leftItems.has(element)) compareItems(walk, type, element, [], items);
  }
}

function groupItems(type: ListType, list: readonly unknown[]): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = listItemElement(type, item);
    const group = groups.get(element);
    if (group === undefined) groups.set(element, [item]);
    else group.push(item);
  }
  return groups;
}

/** Compares what two lists hold under one element. Doubled items are one value each time, whatever is in them. */
function compareItems(
  walk: Walk,
  type: ListType,
  element: PathElement,
  left: readonly unknown[],
  right: readonly unknown[],
): void {
  if (left.length <= 1 && right.length <= 1)
    return compareChild(walk, element, type.items, left[0], right[0]);
  if (left.length > 1 && right.length > 1) {
    if (!equalValues(left, right)) insertNode(walk.modified, [...walk.path, element], emptySet);
  } else if (left.length > 1) {
    if (right.length === 1) compareChild(walk, element, type.items, undefined, right[0]);
    insertNode(walk.removed, [...walk.path, element], emptySet);
  } else {
    if (left.length === 1) compareChild(walk, element, type.items, left[0], undefined);
    insertNode(walk.added, [...walk.path, element], emptySet);
  }
}
