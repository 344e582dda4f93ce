/**
 * Durations and timestamps: text, arithmetic, calendar fields. Years 1 to 9999; the calendar is computed here, because
 * this package has no clock and no Date. Source: Go time, cel-go common/types (duration.go, timestamp.go).
 */
import { formatDoublePlain } from "./number-text.ts";
import { CelDuration, CelError, CelTimestamp, durationValue } from "./value.ts";

const minSeconds = -62135596800;
const maxSeconds = 253402300799;
const nanosPerSecond = 1_000_000_000n;
const units = new Map<string, bigint>([
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", nanosPerSecond],
  ["m", 60n * nanosPerSecond],
  ["h", 3600n * nanosPerSecond],
]);

/** Reads what Go's `time.ParseDuration` reads: `1h30m`, `-1.5s`; undefined for other text. */
export function parseDuration(text: string): CelDuration | undefined {
  const sign = text[0] === "-" || text[0] === "+" ? text[0] : "";
  let rest = text.slice(sign.length);
  if (rest === "0") return new CelDuration(0n);
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const match = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)(?![a-zµμ])/.exec(rest);
    if (match === null) return undefined;
    const [whole, digits = "", fraction = "", unit = ""] = match;
    if (digits === "" && fraction === "") return undefined;
    const scale = units.get(unit) as bigint;
    total += BigInt(digits === "" ? "0" : digits) * scale;
    if (fraction !== "") total += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
    rest = rest.slice(whole.length);
  }
  const nanos = sign === "-" ? -total : total;
  return nanos > 9223372036854775807n || nanos < -9223372036854775808n ? undefined : new CelDuration(nanos);
}

/** Milliseconds of a duration as Go reads it (`1h30m`, `-1.5s`), with fractions; undefined for other text. */
export function goDurationMs(text: string): number | undefined {
  const duration = parseDuration(text);
  return duration === undefined ? undefined : Number(duration.nanos) / 1e6;
}

/** Seconds as the shortest decimal of a float64, as Go has it: `5400s`, `1.5s`. */
export function formatDuration(duration: CelDuration): string {
  const seconds = Number(duration.nanos / nanosPerSecond) + Number(duration.nanos % nanosPerSecond) / 1e9;
  return `${formatDoublePlain(seconds)}s`;
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[T](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/;

/** Reads RFC 3339 as Go does, the year 0000 included; undefined for other text. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", zone = "Z"] = match;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  if (!isDate(date) || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const offset = parseOffset(zone);
  if (offset === undefined) return undefined;
  const seconds =
    daysFromDate(date) * 86400 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset * 60;
  return new CelTimestamp(seconds, Number(fraction.slice(0, 9).padEnd(9, "0")), offset);
}

function parseOffset(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(4));
  if (hours > 23 || minutes > 59) return undefined;
  return (zone[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** Whether an instant lies in the years that CEL allows. */
export function isInRange(timestamp: CelTimestamp): boolean {
  return timestamp.seconds >= minSeconds && timestamp.seconds <= maxSeconds;
}

/** The instant if it is in range; throws "timestamp overflow" otherwise. */
export function checkRange(timestamp: CelTimestamp): CelTimestamp {
  if (!isInRange(timestamp)) throw new CelError("timestamp overflow");
  return timestamp;
}

/** RFC 3339 with as many decimals as needed, in the offset in which the timestamp was written. */
export function formatTimestamp(timestamp: CelTimestamp): string {
  const fields = calendar(timestamp, timestamp.offsetMinutes);
  const two = (value: number): string => String(value).padStart(2, "0");
  const date = `${String(fields.year).padStart(4, "0")}-${two(fields.month)}-${two(fields.day)}`;
  const time = `${two(fields.hour)}:${two(fields.minute)}:${two(fields.second)}`;
  const fraction = String(timestamp.nanos).padStart(9, "0").replace(/0+$/, "");
  const offset = Math.abs(timestamp.offsetMinutes);
  const sign = timestamp.offsetMinutes < 0 ? "-" : "+";
  const zone = offset === 0 ? "Z" : `${sign}${two(Math.floor(offset / 60))}:${two(offset % 60)}`;
  return `${date}T${time}${fraction === "" ? "" : `.${fraction}`}${zone}`;
}

/** Throws "timestamp overflow" outside the years 1 to 9999. */
export function addDuration(timestamp: CelTimestamp, nanos: bigint): CelTimestamp {
  const total = BigInt(timestamp.nanos) + nanos;
  let seconds = total / nanosPerSecond;
  let rest = total % nanosPerSecond;
  if (rest < 0n) {
    rest += nanosPerSecond;
    seconds -= 1n;
  }
  return checkRange(
    new CelTimestamp(timestamp.seconds + Number(seconds), Number(rest), timestamp.offsetMinutes),
  );
}

/** Throws "integer overflow" when the span does not fit a duration. */
export function timestampDifference(a: CelTimestamp, b: CelTimestamp): CelDuration {
  const seconds = BigInt(a.seconds) - BigInt(b.seconds);
  return durationValue(seconds * nanosPerSecond + BigInt(a.nanos - b.nanos));
}

export interface CalendarFields {
  readonly year: number;
  /** 1..12. */
  readonly month: number;
  /** 1..31. */
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** 0 is the first of January. */
  readonly dayOfYear: number;
}

/** The fields of an instant on a clock that many minutes east of UTC. */
export function calendar(timestamp: CelTimestamp, offsetMinutes: number): CalendarFields {
  const local = timestamp.seconds + Math.round(offsetMinutes * 60);
  const days = Math.floor(local / 86400);
  const second = local - days * 86400;
  const date = dateFromDays(days);
  return {
    ...date,
    hour: Math.floor(second / 3600),
    minute: Math.floor(second / 60) % 60,
    second: second % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
    dayOfYear: days - daysFromDate({ year: date.year, month: 1, day: 1 }),
  };
}

interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate({ year, month, day }: CalendarDate): boolean {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const length = month === 2 && leap ? 29 : monthLengths[month - 1];
  return length !== undefined && day >= 1 && day <= length;
}

/** Days since 1970-01-01 of a date of the Gregorian calendar. */
function daysFromDate({ year, month, day }: CalendarDate): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719468
  );
}

function dateFromDays(days: number): CalendarDate {
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  };
}

/** Reads `2024-05-06`; undefined for other text. */
export function parseDate(text: string): CelTimestamp | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (match === null) return undefined;
  const date = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  return isDate(date) ? new CelTimestamp(daysFromDate(date) * 86400, 0) : undefined;
}
