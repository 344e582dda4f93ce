import { type FieldSet, type FieldSetBuilder, emptySet, isEmptySet } from "./field-set.ts";
import { type MapType, type MergeType, noType } from "./merge-type.ts";

/** Sets that were found to fit a type: entries are reconciled on every write and the schema hardly ever changes. */
const fitting = new WeakMap<FieldSet, MergeType>();

/**
 * Brings a set in line with a schema that changed since it was written: what was owned inside a container that is atomic now
 * becomes the container itself. A container that was atomic and is not any more stays owned as it is. Returns the set itself
 * when it fits. Source: structured-merge-diff typed (reconcile_schema.go).
 */
export function reconcileSet(type: MergeType, set: FieldSet): FieldSet {
  if (fitting.get(set) === type) return set;
  const reconciled = reconcileChildren(type, set);
  fitting.set(reconciled, type);
  return reconciled;
}

function reconcileChildren(type: MergeType, node: FieldSet): FieldSet {
  let out: FieldSetBuilder | undefined;
  for (const element in node) {
    if (element === ".") continue;
    const child = node[element] ?? emptySet;
    const next = isEmptySet(child) ? child : reconcileNode(childType(type, element), child);
    if (next === child) continue;
    out ??= { ...node };
    out[element] = next;
  }
  return out ?? node;
}

function reconcileNode(type: MergeType | undefined, node: FieldSet): FieldSet {
  if (type === undefined) return node;
  if (type.map !== undefined) {
    if (isUntypedMap(type.map)) return node;
    return type.map.atomic ? emptySet : reconcileChildren(type, node);
  }
  if (type.scalar !== undefined || type.list === undefined) return node;
  return type.list.atomic ? emptySet : reconcileChildren(type, node);
}

/** The type below an element; undefined for fields that the schema does not know. */
function childType(type: MergeType, element: string): MergeType | undefined {
  if (type.map !== undefined) {
    if (isUntypedMap(type.map)) return undefined;
    return element.startsWith("f:")
      ? (type.map.fields.get(element.slice(2))?.type ?? type.map.others)
      : type.map.others;
  }
  return type.scalar === undefined ? type.list?.items : undefined;
}

/** Maps of which the schema says nothing cannot have become atomic. */
function isUntypedMap(type: MapType): boolean {
  if (type.fields.size > 0 || type.others?.scalar !== "untyped") return false;
  return type.others.map?.atomic !== true;
}

/**
 * The set with the declared fields that have members below them as members too: removing all of a struct's fields then
 * counts as removing the struct. Source: structured-merge-diff fieldpath (set.go).
 */
export function withNamedFields(type: MergeType, set: FieldSet): FieldSet {
  let out: FieldSetBuilder | undefined;
  for (const element in set) {
    if (element === ".") continue;
    const child = set[element] ?? emptySet;
    if (isEmptySet(child)) continue;
    const isField = element.startsWith("f:");
    const field = isField ? type.map?.fields.get(element.slice(2)) : undefined;
    const below = isField
      ? (field?.type ?? type.map?.others)
      : element.startsWith("k:")
        ? type.list?.items
        : undefined;
    let next = withNamedFields(below ?? noType, child);
    if (field !== undefined && !("." in next)) next = { ".": emptySet, ...next };
    if (next === child) continue;
    out ??= { ...set };
    out[element] = next;
  }
  return out ?? set;
}
