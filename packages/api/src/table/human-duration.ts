/**
 * Ages as kubectl shows them: two units at most, coarser the older. Source: apimachinery pkg/util/duration (HumanDuration).
 */

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** `95s`, `5m30s`, `3h12m`, `6d4h`, `400d`, `3y20d`. `<invalid>` when more than a second in the future. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / secondMs);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(milliseconds / minuteMs);
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s");
  if (minutes < 3 * 60) return `${minutes}m`;
  const hours = Math.trunc(milliseconds / hourMs);
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m");
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 8 * 24) return twoUnits(days, "d", hours % 24, "h");
  if (hours < 2 * 365 * 24) return `${days}d`;
  const years = Math.trunc(days / 365);
  return hours < 8 * 365 * 24 ? twoUnits(years, "y", days % 365, "d") : `${years}y`;
}

function twoUnits(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}

/** The time since an RFC 3339 timestamp of an object; `<unknown>` without one. */
export function ageSince(timestamp: string | undefined, nowMs: number): string {
  const time = timestampMs(timestamp);
  return time === undefined ? "<unknown>" : humanDuration(nowMs - time);
}

const zeroTimeMs = -62135596800000;

/** Milliseconds since 1970; undefined for none and for Go's zero time. */
export function timestampMs(timestamp: string | undefined): number | undefined {
  if (timestamp === undefined || timestamp === "") return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) || time === zeroTimeMs ? undefined : time;
}
