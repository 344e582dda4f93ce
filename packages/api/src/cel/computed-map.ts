import { equals } from "./equality.ts";
import { CelMap, type CelValue, noSuchOverload } from "./value.ts";

/** An object whose fields are values of CEL already, each computed by its getter when it is asked for. */
export class ComputedMap extends CelMap {
  readonly #fields: Readonly<Record<string, CelValue>>;

  constructor(fields: Readonly<Record<string, CelValue>>) {
    super();
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.#fields).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") throw noSuchOverload();
    return Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined;
  }

  keys(): CelValue[] {
    return Object.keys(this.#fields);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof CelMap)) throw noSuchOverload();
    if (other.size !== this.size) return false;
    return Object.keys(this.#fields).every((key) => {
      const theirs = other.get(key);
      return theirs !== undefined && equals(this.#fields[key] as CelValue, theirs);
    });
  }
}
