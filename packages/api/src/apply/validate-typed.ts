import { goSyntax, goTypeName, goValue } from "./go-text.ts";
import { ListItemError, listItemElement } from "./list-item.ts";
import type { ListType, MapType, MergeType, ScalarType } from "./merge-type.ts";
import { type PathElement, pathElementText } from "./path-element.ts";
import { type TypedProblem, TypedError } from "./typed-error.ts";
import { asList, asMap, formOf, handledForm } from "./value-kind.ts";

/**
 * Checks that a value fits its type: known fields, right kinds of values, list items with keys, and no doubled items unless
 * `allowDuplicates` (stored objects may have them). Throws TypedError. Null fits every type.
 * Source: structured-merge-diff typed (validate.go).
 */
export function validateTyped(type: MergeType, value: unknown, allowDuplicates: boolean): void {
  const walk: Walk = { allowDuplicates, problems: undefined };
  check(walk, type, value, undefined);
  if (walk.problems !== undefined) throw new TypedError(walk.problems);
}

interface Walk {
  readonly allowDuplicates: boolean;
  problems: TypedProblem[] | undefined;
}

/** Where the walk is; undefined at the root. Becomes text only in a problem. */
type Place = { readonly parent: Place; readonly element: PathElement } | undefined;

function placeText(place: Place): string {
  return place === undefined ? "" : placeText(place.parent) + pathElementText(place.element);
}

function report(walk: Walk, place: Place, message: string): void {
  walk.problems ??= [];
  walk.problems.push({ path: placeText(place), message });
}

function check(walk: Walk, type: MergeType, value: unknown, place: Place): void {
  switch (handledForm(type, formOf(type, value))) {
    case "map":
      if (type.map !== undefined) checkMap(walk, type.map, value, place);
      break;
    case "list":
      if (type.list !== undefined) checkList(walk, type.list, value, place);
      break;
    case "scalar": {
      const message = scalarProblem(type.scalar ?? "untyped", value);
      if (message !== undefined) report(walk, place, message);
      break;
    }
    default:
      report(walk, place, "schema error: invalid atom: inlined");
  }
}

/** What is wrong with a scalar, or undefined. */
function scalarProblem(type: ScalarType, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const kind = typeof value;
  const numeric = kind === "number" || kind === "bigint";
  switch (type) {
    case "numeric":
      return numeric ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case "string":
      return kind === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case "boolean":
      return kind === "boolean" ? undefined : `expected boolean, got &{${goValue(value)}}`;
    default:
      return numeric || kind === "string" || kind === "boolean"
        ? undefined
        : `expected any scalar, got &{${goValue(value)}}`;
  }
}

function checkMap(walk: Walk, type: MapType, value: unknown, place: Place): void {
  if (value === null || value === undefined) return;
  const map = asMap(value);
  if (map === undefined) return report(walk, place, `expected map, got &{${goValue(value)}}`);
  for (const name in map) {
    const field = type.fields.get(name);
    const fieldType = field?.type ?? type.others;
    const item = map[name];
    if (fieldType !== undefined && fitsPlainly(fieldType, item)) continue;
    const at = { parent: place, element: field?.element ?? `f:${name}` };
    if (fieldType === undefined) return report(walk, at, "field not declared in schema");
    check(walk, fieldType, item, at);
  }
}

/** A scalar that fits, the commonest case, told without making its place. */
function fitsPlainly(type: MergeType, value: unknown): boolean {
  return (
    typeof value !== "object" && type.scalar !== undefined && scalarProblem(type.scalar, value) === undefined
  );
}

function checkList(walk: Walk, type: ListType, value: unknown, place: Place): void {
  if (value === null || value === undefined) return;
  const list = asList(value);
  if (list === undefined) return report(walk, place, `expected list, got &{${goValue(value)}}`);
  const seen = new Set<PathElement>();
  for (let index = 0; index < list.length; index++) {
    const element = type.atomic ? `i:${index}` : itemElement(walk, type, list, index, place);
    // Without its element nothing in the item, and nothing after it, can be named.
    if (element === undefined) return;
    if (seen.has(element) && !walk.allowDuplicates) {
      report(walk, place, `duplicate entries for key ${pathElementText(element)}`);
    }
    seen.add(element);
    if (!fitsPlainly(type.items, list[index])) {
      check(walk, type.items, list[index], { parent: place, element });
    }
  }
}

function itemElement(
  walk: Walk,
  type: ListType,
  list: readonly unknown[],
  index: number,
  place: Place,
): PathElement | undefined {
  try {
    return listItemElement(type, list[index]);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    report(walk, place, `element ${index}: ${error.message}`);
    return undefined;
  }
}
