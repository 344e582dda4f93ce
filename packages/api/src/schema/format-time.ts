/** Dates, times and durations. Source: kube-openapi pkg/validation/strfmt (date.go, time.go, duration.go), Go's time. */

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const timePattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u;

/** A full date of RFC 3339: `2026-12-01`. */
export function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const [, year, month, day] = match.map(Number);
  return (
    month !== undefined &&
    month >= 1 &&
    month <= 12 &&
    Number(day) >= 1 &&
    Number(day) <= daysIn(Number(year), month)
  );
}

function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return leap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Date and time of RFC 3339, in either case; any one character may stand before the fraction; zones are not range-checked. */
export function isDateTime(text: string): boolean {
  if (text.length < 4) return false;
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = timePattern.exec(time);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

const goDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;
const goDurationPart = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;
const looseDuration = /(\d+)[\t\n\f\r ]*([A-Za-z\u00b5]+)/g;
const nanoseconds: Record<string, bigint> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
/** Units of loose durations: exact names, and the beginning of long ones. */
const looseUnits =
  /^(?:ns|nano.*|us|\u00b5s|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/s;

/** What Go parses (`1h30m`, `-1.5s`, `0`), or any text with a number and a unit in it (`3 days`, `P1D`). */
export function isDuration(text: string): boolean {
  if (goDuration.test(text) && !overflows(text)) return true;
  let found = false;
  for (const [, digits = "", unit = ""] of text.matchAll(looseDuration)) {
    if (BigInt(digits) > 2n ** 63n - 1n) return false;
    if (looseUnits.test(unit.toLowerCase())) found = true;
  }
  return found;
}

function overflows(text: string): boolean {
  const limit = text.startsWith("-") ? 2n ** 63n : 2n ** 63n - 1n;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(goDurationPart)) {
    const scale = nanoseconds[unit] ?? 0n;
    const digits = fraction.slice(0, 18);
    total += BigInt(whole || "0") * scale + (BigInt(digits || "0") * scale) / 10n ** BigInt(digits.length);
    if (total > limit) return true;
  }
  return false;
}
