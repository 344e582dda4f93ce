/** The string formats that expressions see as other types. Source: kube-openapi pkg/validation/strfmt. */
import { parseDuration, parseTimestamp } from "./time.ts";
import { CelDuration, CelTimestamp } from "./value.ts";

const second = 1_000_000_000n;
/** Units of loose durations, by how they begin. */
const looseUnits: readonly (readonly [pattern: RegExp, nanos: bigint])[] = [
  [/^(?:ns|nano.*)$/, 1n],
  [/^(?:us|µs|micro.*)$/, 1000n],
  [/^(?:ms|milli.*)$/, 1_000_000n],
  [/^(?:s|sec.*)$/, second],
  [/^(?:m|min.*)$/, 60n * second],
  [/^(?:h|hr|hour.*)$/, 3600n * second],
  [/^(?:d|day.*)$/, 86_400n * second],
  [/^(?:w|wk|week.*)$/, 604_800n * second],
];

/** Reads Go's durations and `2 days`, `1h 30m`; undefined for other text. */
export function parseFormatDuration(text: string): CelDuration | undefined {
  const plain = parseDuration(text);
  if (plain !== undefined) return plain;
  let total = 0n;
  let found = false;
  for (const match of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const nanos = spanOf(match[2] as string);
    if (nanos === undefined) continue;
    total += BigInt(match[1] as string) * nanos;
    found = true;
  }
  return found ? new CelDuration(total) : undefined;
}

function spanOf(word: string): bigint | undefined {
  const unit = word.toLowerCase();
  return looseUnits.find(([pattern]) => pattern.test(unit))?.[1];
}

/** Reads RFC 3339, with a space for the T and without seconds fractions or colon too; undefined for other text. */
export function parseFormatDateTime(text: string): CelTimestamp | undefined {
  if (text === "") return new CelTimestamp(0, 0);
  const normal = text
    .replace(/^(\d{4}-\d\d-\d\d) /, "$1T")
    .replace(/t/, "T")
    .replace(/z$/, "Z");
  return (
    parseTimestamp(normal) ??
    parseTimestamp(normal.replace(/([+-]\d\d)(\d\d)$/, "$1:$2")) ??
    parseTimestamp(`${normal}Z`)
  );
}
