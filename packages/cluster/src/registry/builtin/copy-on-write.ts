/**
 * Changes of frozen objects that copy only what changes. Each function returns its argument itself when nothing does.
 */

export type Fields = Readonly<Record<string, unknown>>;

/** `fields` with those of `defaults` that it lacks. */
export function fill<T extends object>(fields: T, defaults: Fields): T {
  return fillWhere(fields, defaults, isMissing);
}

/**
 * As `fill`, for fields that Go holds by value: an empty text, 0 or false cannot be told from a missing field there and gets
 * the default too.
 */
export function fillZero<T extends object>(fields: T, defaults: Fields): T {
  return fillWhere(fields, defaults, isZero);
}

function fillWhere<T extends object>(fields: T, defaults: Fields, lacks: (value: unknown) => boolean): T {
  let filled: Record<string, unknown> | undefined;
  const given = fields as Fields;
  for (const key in defaults) {
    if (!lacks(given[key])) continue;
    filled ??= { ...given };
    filled[key] = defaults[key];
  }
  return (filled ?? given) as T;
}

function isMissing(value: unknown): boolean {
  return value === undefined;
}

function isZero(value: unknown): boolean {
  return value === undefined || value === "" || value === 0 || value === false;
}

/** `fields` with one field set, or removed where the value is undefined. */
export function setField<T extends object>(fields: T, key: string, value: unknown): T {
  const given = fields as Fields;
  if (given[key] === value) return fields;
  if (value !== undefined) return { ...given, [key]: value } as T;
  const { [key]: _removed, ...rest } = given;
  return rest as T;
}

/** `fields` with one nested object mapped, if it is there. */
export function mapField<T extends object>(fields: T, key: string, change: (value: never) => unknown): T {
  const value = (fields as Fields)[key];
  if (typeof value !== "object" || value === null) return fields;
  const changed = change(value as never);
  return changed === value ? fields : ({ ...fields, [key]: changed } as T);
}

/** `fields` with every item of one nested list mapped, if it is there. */
export function mapItems<T extends object>(fields: T, key: string, change: (item: never) => unknown): T {
  const list = (fields as Fields)[key];
  if (!Array.isArray(list)) return fields;
  const changed = mapList(list, change);
  return changed === list ? fields : ({ ...fields, [key]: changed } as T);
}

function mapList(list: readonly unknown[], change: (item: never) => unknown): readonly unknown[] {
  let out: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const changed = change(list[i] as never);
    if (changed === list[i]) continue;
    out ??= list.slice();
    out[i] = changed;
  }
  return out ?? list;
}
