/** Timestamps as Go's metav1.Time reads and writes them. */

/** Times that are in order as they are, but for the day of the month. */
const canonical = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

function isRealDay(text: string): boolean {
  return Number(text.slice(8, 10)) <= daysOf(Number(text.slice(0, 4)), Number(text.slice(5, 7)));
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * An RFC 3339 time in UTC with whole seconds: `2026-12-01T10:00:00.5+01:00` is `2026-12-01T09:00:00Z`.
 * @throws Error with Go's words: `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`
 */
export function goTimeText(text: string): string {
  if (canonical.test(text) && isRealDay(text)) return text;
  const date = new Reader(text);
  const year = date.digits("2006", 4);
  date.literal("-");
  const month = date.range("month", date.digits("01", 2), 1, 12);
  date.literal("-");
  const day = date.digits("02", 2);
  date.literal("T");
  const hour = date.range("hour", date.digits("15", 1, 2), 0, 23);
  date.literal(":");
  const minute = date.range("minute", date.digits("04", 2), 0, 59);
  date.literal(":");
  const second = date.range("second", date.digits("05", 2), 0, 59);
  date.fraction();
  const offsetMinutes = date.zone();
  date.end();
  date.range("day", day, 1, daysOf(year, month));
  const ms = Date.UTC(2000, month - 1, day, hour, minute - offsetMinutes, second);
  // Years below 100 mean other centuries to Date.UTC, so the year is set afterwards.
  const shifted = new Date(ms);
  shifted.setUTCFullYear(shifted.getUTCFullYear() - 2000 + year);
  return `${shifted.toISOString().slice(0, 19)}Z`;
}

function daysOf(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (monthDays[month - 1] ?? 31) + (leap ? 1 : 0);
}

class Reader {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  digits(layout: string, min: number, max = min): number {
    const found = new RegExp(`^\\d{${min},${max}}`).exec(this.text.slice(this.at))?.[0];
    if (found === undefined) throw this.mismatch(layout);
    this.at += found.length;
    return Number(found);
  }

  literal(layout: string): void {
    if (!this.text.startsWith(layout, this.at)) throw this.mismatch(layout);
    this.at += layout.length;
  }

  range(what: string, value: number, min: number, max: number): number {
    if (value < min || value > max)
      throw new Error(`parsing time ${JSON.stringify(this.text)}: ${what} out of range`);
    return value;
  }

  /** A fraction may follow the seconds though the layout has none. */
  fraction(): void {
    this.at += /^[.,]\d+/.exec(this.text.slice(this.at))?.[0].length ?? 0;
  }

  /** Minutes east of UTC. */
  zone(): number {
    if (this.text.startsWith("Z", this.at)) {
      this.at++;
      return 0;
    }
    const found = /^([+-])(\d\d):(\d\d)/.exec(this.text.slice(this.at));
    if (found === null) throw this.mismatch("Z07:00");
    this.at += found[0].length;
    const hours = this.range("time zone offset hour", Number(found[2]), 0, 24);
    const minutes = this.range("time zone offset minute", Number(found[3]), 0, 60);
    return (found[1] === "-" ? -1 : 1) * (hours * 60 + minutes);
  }

  end(): void {
    const rest = this.text.slice(this.at);
    if (rest === "") return;
    throw new Error(`parsing time ${JSON.stringify(this.text)}: extra text: ${JSON.stringify(rest)}`);
  }

  private mismatch(layout: string): Error {
    const quoted = JSON.stringify(this.text);
    const rest = JSON.stringify(this.text.slice(this.at));
    return new Error(
      `parsing time ${quoted} as "2006-01-02T15:04:05Z07:00": cannot parse ${rest} as "${layout}"`,
    );
  }
}
