import { quote } from "../status/field-error.ts";
import type { ListType } from "./merge-type.ts";
import { type PathElement, keyElement, valueElement } from "./path-element.ts";
import { asMap } from "./value-kind.ts";

/** An item that cannot be told from others; the message is what the server says. */
export class ListItemError extends Error {
  override readonly name: string = "ListItemError";
}

/**
 * The element of an item of a list with separate items. Throws ListItemError.
 * Source: structured-merge-diff typed (helpers.go).
 */
export function listItemElement(list: ListType, item: unknown): PathElement {
  return list.keys.length > 0 ? keyedItemElement(list, item) : setItemElement(item);
}

function keyedItemElement(list: ListType, item: unknown): PathElement {
  if (item === null) throw new ListItemError("associative list with keys may not have a null element");
  const map = asMap(item);
  if (map === undefined) throw new ListItemError("associative list with keys may not have non-map elements");
  const found: [string, unknown][] = [];
  for (const key of sortedKeys(list)) {
    const value = map[key] === undefined ? list.items.map?.fields.get(key)?.default : map[key];
    if (value !== undefined) found.push([key, value]);
  }
  if (found.length === 0) {
    throw new ListItemError(
      "associative list with keys has an element that omits all key fields " +
        `[${list.keys.map(quote).join(" ")}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(found);
}

const keyOrders = new WeakMap<readonly string[], readonly string[]>();

function sortedKeys(list: ListType): readonly string[] {
  if (list.keys.length === 1) return list.keys;
  let sorted = keyOrders.get(list.keys);
  if (sorted === undefined) {
    sorted = [...list.keys].sort();
    keyOrders.set(list.keys, sorted);
  }
  return sorted;
}

function setItemElement(item: unknown): PathElement {
  if (item === null)
    throw new ListItemError("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new ListItemError("not supported: associative list with lists as elements");
  if (typeof item === "object") {
    throw new ListItemError("associative list without keys has an element that's a map type");
  }
  return valueElement(item);
}
