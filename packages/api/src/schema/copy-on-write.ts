import type { Json, JsonObject } from "../object/object.ts";

/** The object with each field mapped, `undefined` dropping it; the same reference when nothing changed. */
export function mapFields(
  object: JsonObject,
  map: (name: string, value: Json) => Json | undefined,
): JsonObject {
  let copy: JsonObject | undefined;
  for (const name in object) {
    const value = object[name] as Json;
    const mapped = map(name, value);
    if (mapped === value) {
      if (copy !== undefined) setField(copy, name, value);
      continue;
    }
    copy ??= fieldsBefore(object, name);
    if (mapped !== undefined) setField(copy, name, mapped);
  }
  return copy ?? object;
}

function fieldsBefore(object: JsonObject, end: string): JsonObject {
  const copy: JsonObject = {};
  for (const name in object) {
    if (name === end) break;
    setField(copy, name, object[name] as Json);
  }
  return copy;
}

/** Sets a field even when it is called `__proto__`, as a parsed body may have it. */
export function setField(object: JsonObject, name: string, value: Json): void {
  if (name !== "__proto__") object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The list with each item mapped; the same reference when nothing changed. */
export function mapItems(items: readonly Json[], map: (item: Json, index: number) => Json): Json[] {
  let copy: Json[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Json;
    const mapped = map(item, i);
    if (mapped !== item) copy ??= items.slice(0, i) as Json[];
    copy?.push(mapped);
  }
  return copy ?? (items as Json[]);
}
