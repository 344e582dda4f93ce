import { jsonEqual } from "@bowline/api";

/** Whether a JSON merge patch would change the value. Members that are undefined count as not given. Source: RFC 7386. */
export function wouldChange(value: unknown, patch: unknown): boolean {
  if (!isObject(patch)) return !jsonEqual(value, withoutUndefined(patch));
  if (!isObject(value)) return true;
  return Object.entries(patch).some(([key, part]) => {
    if (part === undefined) return false;
    if (part === null) return value[key] !== undefined;
    return value[key] === undefined || wouldChange(value[key], part);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(entries.map(([key, part]) => [key, withoutUndefined(part)]));
}
