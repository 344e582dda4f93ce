/** The syntax of cron schedules, in the words of the real server's parser. Source: github.com/robfig/cron v3 (parser.go). */

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: Readonly<Record<string, number>>;
}

const numbered = (names: readonly string[], first: number): Record<string, number> =>
  Object.fromEntries(names.map((name, i) => [name, i + first]));

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const bounds: readonly Bounds[] = [
  { min: 0, max: 59, names: {} },
  { min: 0, max: 23, names: {} },
  { min: 1, max: 31, names: {} },
  { min: 1, max: 12, names: numbered(months, 1) },
  { min: 0, max: 6, names: numbered(days, 0) },
];

const descriptors: ReadonlySet<string> = new Set([
  "@yearly",
  "@annually",
  "@monthly",
  "@weekly",
  "@daily",
  "@midnight",
  "@hourly",
]);
const every = "@every ";
const durationPattern =
  /^[-+]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))*$/;

/** What is wrong with the schedule; undefined when it is in order. */
export function scheduleError(schedule: string): string | undefined {
  if (schedule === "") return "empty spec string";
  let spec = schedule;
  if (/^(CRON_)?TZ=/.test(spec)) spec = spec.slice(spec.indexOf(" ") + 1).trim();
  if (spec.startsWith("@")) return descriptorError(spec);
  const fields = spec.trim().split(/\s+/);
  if (fields.length !== bounds.length)
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
  for (const [i, field] of fields.entries()) {
    for (const part of field.split(",").filter((p) => p !== "")) {
      const error = rangeError(part, bounds[i] as Bounds);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

function descriptorError(spec: string): string | undefined {
  if (descriptors.has(spec)) return undefined;
  if (!spec.startsWith(every)) return `unrecognized descriptor: ${spec}`;
  const duration = spec.slice(every.length);
  if (durationPattern.test(duration) || duration === "0") return undefined;
  return `failed to parse duration ${spec}: time: invalid duration ${JSON.stringify(duration)}`;
}

function rangeError(expression: string, { min, max, names }: Bounds): string | undefined {
  const [range = "", step, ...moreSteps] = expression.split("/");
  const [low = "", high, ...moreEnds] = range.split("-");
  let start = min;
  let end = max;
  if (low !== "*" && low !== "?") {
    const first = numberIn(low, names);
    if (typeof first === "string") return first;
    start = first;
    end = first;
    if (moreEnds.length > 0) return `too many hyphens: ${expression}`;
    if (high !== undefined) {
      const last = numberIn(high, names);
      if (typeof last === "string") return last;
      end = last;
    }
  }
  if (moreSteps.length > 0) return `too many slashes: ${expression}`;
  if (step !== undefined) {
    const stepSize = nonNegative(step);
    if (typeof stepSize === "string") return stepSize;
    if (high === undefined) end = max;
    if (stepSize === 0) return `step of range should be a positive number: ${expression}`;
  }
  if (start < min) return `beginning of range (${start}) below minimum (${min}): ${expression}`;
  if (end > max) return `end of range (${end}) above maximum (${max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  return undefined;
}

function numberIn(text: string, names: Readonly<Record<string, number>>): number | string {
  return names[text.toLowerCase()] ?? nonNegative(text);
}

function nonNegative(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text))
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
