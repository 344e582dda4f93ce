import { type FieldSet, emptySet, isEmptySet, isMember } from "./field-set.ts";
import { listItemElement } from "./list-item.ts";
import { type ListType, type MapType, type MergeType, noType } from "./merge-type.ts";
import { asList, asMap, formOf, handledForm, isEmptyMap } from "./value-kind.ts";

/**
 * The value without the fields and items of a set. A container that loses its last entry becomes null, an atomic one too
 * when the set has something in it: that is what the server stores, for defaulting and validation to judge. Returns the
 * value itself when nothing goes. Source: structured-merge-diff typed (remove.go).
 */
export function removeFields(type: MergeType, value: unknown, fields: FieldSet): unknown {
  const form = handledForm(type, formOf(type, value));
  if (form === "map") return type.map === undefined ? null : removeFromMap(type.map, value, fields);
  if (form === "list") return type.list === undefined ? null : removeFromList(type.list, value, fields);
  return form === "scalar" ? value : null;
}

function removeFromMap(type: MapType, value: unknown, fields: FieldSet): unknown {
  const map = asMap(value);
  if (map === undefined || type.atomic || isEmptyMap(map)) return null;
  let out: Record<string, unknown> | undefined;
  for (const name in map) {
    const field = type.fields.get(name);
    const node = fields[field?.element ?? `f:${name}`];
    if (node === undefined) continue;
    if (isMember(node)) {
      out ??= { ...map };
      delete out[name];
      continue;
    }
    const rest = removeFields(field?.type ?? type.others ?? noType, map[name], node);
    if (rest === map[name]) continue;
    out ??= { ...map };
    out[name] = rest;
  }
  return out === undefined ? map : isEmptyMap(out) ? null : out;
}

function removeFromList(type: ListType, value: unknown, fields: FieldSet): unknown {
  const list = asList(value);
  if (list === undefined || type.atomic || list.length === 0) return null;
  const out: unknown[] = [];
  let changed = false;
  for (const item of list) {
    const node = fields[listItemElement(type, item)];
    if (node !== undefined && isMember(node)) {
      changed = true;
      continue;
    }
    const rest = node === undefined ? item : removeFields(type.items, item, node);
    if (rest !== item) changed = true;
    out.push(rest);
  }
  return !changed ? list : out.length === 0 ? null : out;
}

/** Only the fields and items of a set, and the containers they are in; null when there are none. */
export function extractFields(type: MergeType, value: unknown, fields: FieldSet): unknown {
  const form = handledForm(type, formOf(type, value));
  if (form === "map") return type.map === undefined ? null : extractFromMap(type.map, value, fields);
  if (form === "list") return type.list === undefined ? null : extractFromList(type.list, value, fields);
  return form === "scalar" ? value : null;
}

function extractFromMap(type: MapType, value: unknown, fields: FieldSet): unknown {
  const map = asMap(value);
  if (map === undefined) return null;
  if (type.atomic || isEmptyMap(map)) return map;
  const out: Record<string, unknown> = {};
  for (const name in map) {
    const field = type.fields.get(name);
    const node = fields[field?.element ?? `f:${name}`];
    if (node === undefined) continue;
    // A field that is itself in the set brings what the same set has of it one level up; that is how the server does it.
    const below = isMember(node) ? fields : node;
    out[name] = extractFields(field?.type ?? type.others ?? noType, map[name], below);
  }
  return isEmptyMap(out) ? null : out;
}

function extractFromList(type: ListType, value: unknown, fields: FieldSet): unknown {
  const list = asList(value);
  if (list === undefined) return null;
  if (type.atomic || list.length === 0) return list;
  const out: unknown[] = [];
  for (const item of list) {
    const node = fields[listItemElement(type, item)];
    if (node === undefined) continue;
    const children = withoutSelf(node);
    out.push(isEmptySet(children) ? item : extractFields(type.items, item, children));
  }
  return out.length === 0 ? null : out;
}

function withoutSelf(node: FieldSet): FieldSet {
  if (!("." in node)) return node;
  const { ".": _, ...children } = node;
  return isEmptySet(children) ? emptySet : children;
}
