/** Pieces of cells that several built-in kinds share. */
import type { Container } from "../../builtin/core/v1.ts";
import type { LabelSelector } from "../../builtin/meta/v1.ts";
import { compileLabelSelector } from "../../object/label-selector.ts";
import type { DeepReadonly } from "../../object/object.ts";
import { wideColumn } from "../column.ts";
import type { TableColumn } from "../table.ts";

export const containersColumn: TableColumn = wideColumn(
  "Containers",
  "string",
  "Names of the template's containers.",
);
export const imagesColumn: TableColumn = wideColumn(
  "Images",
  "string",
  "Images of the template's containers.",
);
export const selectorColumn: TableColumn = wideColumn(
  "Selector",
  "string",
  "Which pods belong to it, by their labels.",
);

type Containers = readonly DeepReadonly<Container>[] | undefined;

/** The cells of `containersColumn` and `imagesColumn`. */
export function containerCells(containers: Containers): [names: string, images: string] {
  const list = containers ?? [];
  return [list.map((c) => c.name).join(","), list.map((c) => c.image ?? "").join(",")];
}

/** `app=web,tier=front`, sorted; `<none>` without labels. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? "<none>" : pairs.sort().join(",");
}

/** A selector as its query text; `<none>` when it selects all or nothing. */
export function selectorText(selector: DeepReadonly<LabelSelector> | undefined): string {
  try {
    const text = compileLabelSelector(selector).toString();
    return text === "" ? "<none>" : text;
  } catch {
    return "<error>";
  }
}

/** `True`, `False`, or `<unset>`. */
export function boolText(value: boolean | undefined): string {
  if (value === undefined) return "<unset>";
  return value ? "True" : "False";
}

/** The first few joined by commas, and how many more there are: `a,b,c + 2 more...`. */
export function someOf(items: readonly string[], limit: number, separator = ","): string {
  const shown = items.slice(0, limit).join(separator);
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown;
}

/** The text, or the placeholder when there is none. */
export function orElse(text: string | undefined, placeholder: string): string {
  return text === undefined || text === "" ? placeholder : text;
}
