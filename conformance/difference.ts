/**
 * The first difference between a recorded answer and one of now, as text for people; null when the answer meets the record.
 * `{"$any": true}` in the record matches anything, `{"$absent": true}` demands absence.
 */
export function difference(want: unknown, got: unknown, at = ""): string | null {
  if (isObject(want) && want["$any"]) return null;
  if (Array.isArray(want)) return listDifference(want, got, at);
  if (isObject(want)) return objectDifference(want, got, at);
  return want === got ? null : `${at || "/"}: want ${JSON.stringify(want)}, got ${shown(got, 300)}`;
}

function objectDifference(want: Record<string, unknown>, got: unknown, at: string): string | null {
  if (!isObject(got)) return `${at || "/"}: want ${shown(want)}, got ${shown(got)}`;
  for (const key of new Set([...Object.keys(want), ...Object.keys(got)])) {
    if (!(key in want)) return `${at}/${key}: unexpected ${shown(got[key])}`;
    const wanted = want[key];
    if (!(key in got)) {
      if (isObject(wanted) && wanted["$absent"]) continue;
      return `${at}/${key}: missing, want ${shown(wanted)}`;
    }
    const found = difference(wanted, got[key], `${at}/${key}`);
    if (found !== null) return found;
  }
  return null;
}

function listDifference(wantList: readonly unknown[], gotList: unknown, at: string): string | null {
  const want = inStableOrder(wantList, at);
  const got = Array.isArray(gotList) ? inStableOrder(gotList, at) : gotList;
  if (!Array.isArray(got)) return `${at}: want a list, got ${shown(got)}`;
  for (let index = 0; index < Math.max(want.length, got.length); index++) {
    if (index >= want.length) return `${at}/${index}: unexpected ${shown(got[index])}`;
    if (index >= got.length) return `${at}/${index}: missing, want ${shown(want[index])}`;
    const found = difference(want[index], got[index], `${at}/${index}`);
    if (found !== null) return found;
  }
  return null;
}

/** The real server orders managers by time in whole seconds, and finds conflicts in the order of a Go map. */
function inStableOrder(list: readonly unknown[], at: string): readonly unknown[] {
  if (at.endsWith("/managedFields")) return sortedBy(list, managerKey);
  return at.endsWith("/causes") ? sortedBy(list, (entry) => JSON.stringify(entry)) : list;
}

function managerKey(entry: unknown): string {
  const { operation, manager, apiVersion, subresource } = (entry ?? {}) as Record<string, unknown>;
  return [operation, manager, apiVersion, subresource].join("\0");
}

function sortedBy(list: readonly unknown[], key: (entry: unknown) => string): unknown[] {
  return list
    .map((entry) => [key(entry), entry] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry);
}

function shown(value: unknown, length = 200): string | undefined {
  return JSON.stringify(value)?.slice(0, length);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
