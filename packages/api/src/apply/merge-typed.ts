import { listItemElement } from "./list-item.ts";
import { type ListType, type MapType, type MergeType, noType } from "./merge-type.ts";
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

/**
 * Lays an applied value over the live one: what it mentions wins, the rest stays; nothing is removed. Parts that do not
 * change are the live ones, so a merge that changes nothing returns `live` itself. Both must fit the type.
 * Source: structured-merge-diff typed (merge.go).
 */
export function mergeTyped(type: MergeType, live: unknown, applied: unknown): unknown {
  if (applied === undefined || applied === live) return live;
  if (live === undefined) return applied;
  const appliedForm = formOf(type, applied);
  // The live value counts only in the form that the applied one takes.
  const form = handledForm(type, appliedForm);
  const sameKind = sameForm(type, formOf(type, live), appliedForm);
  if (form === "map" && type.map !== undefined) return mergeMaps(type.map, live, applied);
  if (form === "list" && type.list !== undefined) return mergeLists(type.list, live, applied);
  return sameKind && equalValues(live, applied) ? live : applied;
}

function mergeMaps(type: MapType, liveValue: unknown, appliedValue: unknown): unknown {
  const live = asMap(liveValue);
  const applied = asMap(appliedValue);
  const liveEmpty = live === undefined || isEmptyMap(live);
  if (type.atomic || liveEmpty) return equalValues(liveValue, appliedValue) ? liveValue : appliedValue;
  if (applied === undefined) return live;
  let out: Record<string, unknown> | undefined;
  for (const name in applied) {
    const before = entryOf(live, name);
    const after = mergeTyped(fieldType(type, name), before, applied[name]);
    if (after === before && before !== undefined) continue;
    out ??= { ...live };
    out[name] = after;
  }
  return out ?? live;
}

function fieldType(type: MapType, name: string): MergeType {
  return type.fields.get(name)?.type ?? type.others ?? noType;
}

function mergeLists(type: ListType, liveValue: unknown, appliedValue: unknown): unknown {
  const live = asList(liveValue);
  const applied = asList(appliedValue);
  const liveEmpty = live === undefined || live.length === 0;
  if (type.atomic || liveEmpty) return equalValues(liveValue, appliedValue) ? liveValue : appliedValue;
  if (applied === undefined || applied.length === 0) return live;
  const merged = new ListMerge(type, live, applied).run();
  const same = merged.length === live.length && merged.every((item, index) => item === live[index]);
  return same ? live : merged;
}

/**
 * Merges two lists of separate items. The applied order rules: items that only the live list has stay before the applied
 * item that followed them, or at the end. A doubled live item counts as unknown content where it is applied too.
 */
class ListMerge {
  readonly #type: ListType;
  readonly #live: readonly unknown[];
  readonly #applied: readonly unknown[];
  readonly #liveItems = new Map<PathElement, unknown>();
  readonly #appliedElements: PathElement[];
  /** Elements of both lists in applied order; those before `#nextShared` are placed. */
  readonly #shared: PathElement[];
  #nextShared = 0;
  #nextApplied = 0;
  readonly #out: unknown[] = [];

  constructor(type: ListType, live: readonly unknown[], applied: readonly unknown[]) {
    this.#type = type;
    this.#live = live;
    this.#applied = applied;
    this.#appliedElements = applied.map((item) => listItemElement(type, item));
    for (const item of live) {
      const element = listItemElement(type, item);
      this.#liveItems.set(element, this.#liveItems.has(element) ? null : item);
    }
    this.#shared = this.#appliedElements.filter((element) => this.#liveItems.has(element));
  }

  run(): unknown[] {
    const inApplied = new Set(this.#appliedElements);
    const placed = new Set<PathElement>();
    for (const item of this.#live) {
      const element = listItemElement(this.#type, item);
      if (!inApplied.has(element)) {
        this.#out.push(item);
      } else if (element === this.#shared[this.#nextShared]) {
        this.#placeAppliedThrough(element);
        placed.add(element);
      } else if (placed.has(element) && this.#nextShared >= this.#shared.length) {
        // A doubled item whose place is taken: its turn goes to the next applied item.
        this.#placeApplied();
      }
    }
    while (this.#nextApplied < this.#applied.length) this.#placeApplied();
    return this.#out;
  }

  #placeAppliedThrough(element: PathElement): void {
    while (this.#nextApplied < this.#applied.length) {
      if (this.#placeApplied() === element) return;
    }
  }

  #placeApplied(): PathElement | undefined {
    const element = this.#appliedElements[this.#nextApplied];
    if (element === undefined) return undefined;
    const live = this.#liveItems.get(element);
    this.#out.push(mergeTyped(this.#type.items, live, this.#applied[this.#nextApplied]));
    if (element === this.#shared[this.#nextShared]) this.#nextShared++;
    this.#nextApplied++;
    return element;
  }
}
