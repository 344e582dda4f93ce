/** A map made in CEL. Numeric keys are equal across int, uint and double. Source: cel-go common/types/map.go. */
import { equals, isNumeric } from "./equality.ts";
import { CelDouble, CelError, CelMap, CelUint, type CelValue } from "./value.ts";
import { valueText } from "./value-text.ts";

type Entry = readonly [key: CelValue, value: CelValue];

export class NativeMap extends CelMap {
  readonly #entries: Map<string, Entry>;

  constructor(entries: Iterable<Entry> = []) {
    super();
    this.#entries = new Map();
    for (const entry of entries) this.#entries.set(hashOf(entry[0]), entry);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(hashOf(key))?.[1];
  }

  keys(): CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelMap) || other.size !== this.size) return false;
    for (const [key, value] of this.#entries.values()) {
      const found = other.get(key);
      if (found === undefined || !equals(value, found)) return false;
    }
    return true;
  }

  /** Adds an entry to a map that nobody else has seen yet. Throws a `CelError` when the key is there. */
  insert(key: CelValue, value: CelValue): void {
    const hash = hashOf(key);
    if (this.#entries.has(hash)) throw new CelError(`insert failed: key ${valueText(key)} already exists`);
    this.#entries.set(hash, [key, value]);
  }
}

/** Equal keys have equal hashes; values that cannot be keys have none that a key has. */
function hashOf(key: CelValue): string {
  if (typeof key === "string") return `s${key}`;
  if (typeof key === "boolean") return `b${key}`;
  if (!isNumeric(key)) return "?";
  if (key instanceof CelUint) return `n${key.value}`;
  if (!(key instanceof CelDouble)) return `n${key}`;
  return Number.isInteger(key.value) ? `n${BigInt(key.value)}` : `n${key.value}`;
}
