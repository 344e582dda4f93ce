/** The lines in which two values differ, as messages about forbidden changes show them. */

const contextLines = 3;

/**
 * A unified diff of the two values as indented JSON: lines with ` `, `-` or `+` in front, parts that agree left out.
 * Ends with a newline; empty for equal values.
 */
export function jsonDiff(before: unknown, after: unknown): string {
  const a = JSON.stringify(sorted(before), undefined, 1).split("\n");
  const b = JSON.stringify(sorted(after), undefined, 1).split("\n");
  const lines = compareLines(a, b);
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - contextLines), i + contextLines + 1).some((l) => !l.startsWith(" ")),
  );
  const shown = lines.filter((_, i) => near[i]);
  return shown.length === 0 ? "" : `${shown.join("\n")}\n`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([x], [y]) => (x < y ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

/** Longest common subsequence of what is left between equal beginnings and ends. */
function compareLines(a: readonly string[], b: readonly string[]): string[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const middle = commonLines(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (line: string): string => ` ${line}`;
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function commonLines(a: readonly string[], b: readonly string[]): string[] {
  const length = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  const at = (i: number, j: number): number => length[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--)
      (length[i] as number[])[j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  const out: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push(` ${a[i++]}`);
      j++;
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) out.push(`-${a[i++]}`);
    else out.push(`+${b[j++]}`);
  }
  return out;
}
