/** Lists and maps by how server-side apply merges them, and limits that Zod has no method for. */
import * as z from "zod";
import { markCheck } from "./zod/schema-mark.ts";

/**
 * A list whose items are told apart by some of their fields, as containers are by name: no two may agree in all of them, and
 * several managers can own different items.
 *
 * ```ts
 * ports: k8s.listMap(z.object({ name: z.string(), port: z.int32() }), "name")
 * ```
 * @param keys fields of the item; each a scalar that is required or has a default
 */
export function listMap<Item extends z.ZodType<object>>(
  item: Item,
  ...keys: readonly [KeyOf<Item>, ...KeyOf<Item>[]]
): z.ZodArray<Item> {
  return z.array(item).check(
    markCheck<unknown[]>(
      {
        say: "keywords",
        keywords: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [...keys] },
      },
      (list) => repeated(list.map((entry) => keys.map((key) => (entry as Record<string, unknown>)[key]))),
    ),
  );
}

type KeyOf<Item extends z.ZodType> = keyof z.output<Item> & string;

/** A list without repeated values, whose items several managers can own. Items are scalars. */
export function set<Item extends z.ZodType<string | number | boolean>>(item: Item): z.ZodArray<Item> {
  return z
    .array(item)
    .check(
      markCheck<unknown[]>({ say: "keywords", keywords: { "x-kubernetes-list-type": "set" } }, repeated),
    );
}

/** One manager owns the whole list or object: `z.array(...).check(k8s.atomic())`. A list without this is atomic anyway. */
export function atomic(): z.core.$ZodCheck<unknown> {
  return markCheck({ say: "atomic" });
}

/** At least so many entries in a record or object. */
export function minProperties(count: number): z.core.$ZodCheck<object> {
  return markCheck({ say: "keywords", keywords: { minProperties: count } }, (value: object) =>
    Object.keys(value).length < count ? `must have at least ${count} entries` : undefined,
  );
}

/** At most so many entries in a record or object. Rules over all entries need it, to bound their cost. */
export function maxProperties(count: number): z.core.$ZodCheck<object> {
  return markCheck({ say: "keywords", keywords: { maxProperties: count } }, (value: object) =>
    Object.keys(value).length > count ? `must have at most ${count} entries` : undefined,
  );
}

function repeated(values: readonly unknown[]): string | undefined {
  const seen = new Set<string>();
  for (const value of values) {
    const text = JSON.stringify(value);
    if (seen.has(text)) return `Duplicate value: ${text}`;
    seen.add(text);
  }
  return undefined;
}
