/** Which definitions a part of a document refers to. */
import { definitionOfRef } from "../builtin/definitions.ts";

const found = new WeakMap<object, readonly string[]>();

/** The names in all `$ref`s inside. Kept per value: schemas are shared between documents. */
export function referencesOf(value: object): readonly string[] {
  const known = found.get(value);
  if (known !== undefined) return known;
  const names = new Set<string>();
  collect(value, names);
  const list = [...names];
  found.set(value, list);
  return list;
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === "$ref" && typeof child === "string") names.add(definitionOfRef(child));
    else collect(child, names);
  }
}

/**
 * Adds to the schemas every definition that they or the roots refer to, and so on. Names sorted in the answer.
 * @param lookUp gives a definition that is not among the schemas
 */
export function closeOverReferences<T extends object>(
  schemas: ReadonlyMap<string, T>,
  roots: Iterable<string>,
  lookUp: (name: string) => T | undefined,
): Record<string, T> {
  const all = new Map(schemas);
  const pending = [...roots, ...[...schemas.values()].flatMap((schema) => referencesOf(schema))];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (all.has(name)) continue;
    const schema = lookUp(name);
    if (schema === undefined) continue;
    all.set(name, schema);
    pending.push(...referencesOf(schema));
  }
  return Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
}
