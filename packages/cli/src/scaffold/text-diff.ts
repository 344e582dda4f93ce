/** The difference of two texts by lines, for people. */

const contextLines = 2;
/** Above this many cells of the table the texts are shown as wholly different: nobody reads such a diff. */
const cellsMax = 4_000_000;

type Line = readonly [mark: " " | "-" | "+", text: string];

/** Lines with ` `, `-` and `+`, unchanged stretches shortened. Empty when the texts are equal. */
export function textDiff(before: string, after: string): string {
  if (before === after) return "";
  const lines = differences(before.split("\n"), after.split("\n"));
  const shown = lines.map((_, i) =>
    lines.slice(Math.max(0, i - contextLines), i + contextLines + 1).some(([mark]) => mark !== " "),
  );
  const out: string[] = [];
  lines.forEach(([mark, text], i) => {
    if (shown[i]) out.push(`${mark}${text}`);
    else if (i === 0 || shown[i - 1]) out.push("...");
  });
  return `${out.join("\n")}\n`;
}

function differences(a: readonly string[], b: readonly string[]): Line[] {
  if (a.length * b.length > cellsMax) {
    return [...a.map((text): Line => ["-", text]), ...b.map((text): Line => ["+", text])];
  }
  // common[i][j] is the length of the longest common subsequence of a[i..] and b[j..]
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    const [row, below] = [common[i] as Uint32Array, common[i + 1] as Uint32Array];
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([" ", a[i++] as string]);
      j++;
    } else if (j >= b.length || (i < a.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))) {
      lines.push(["-", a[i++] as string]);
    } else lines.push(["+", b[j++] as string]);
  }
  return lines;
}
