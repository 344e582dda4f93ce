/** The offset of a time zone at an instant: IANA names and `+hh:mm`. Source: cel-go common/stdlib (inTimeZone). */
import { CelError, type CelTimestamp } from "./value.ts";

/** Minutes east of UTC. Throws a `CelError` for an unknown zone. */
export function zoneOffsetMinutes(zone: string, timestamp: CelTimestamp): number {
  const colon = zone.indexOf(":");
  if (colon >= 0) return fixedOffset(zone, colon);
  if (zone === "" || zone === "UTC" || zone === "Local") return 0;
  return namedOffset(zone, timestamp);
}

function fixedOffset(zone: string, colon: number): number {
  const hours = goInt(zone.slice(0, colon));
  const minutes = goInt(zone.slice(colon + 1));
  if (Math.abs(hours) > 23) throw new CelError(`timezone offset hours out of range [-23, 23]: ${zone}`);
  if (minutes < 0 || minutes > 59)
    throw new CelError(`timezone offset minutes out of range [0, 59]: ${zone}`);
  return zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes;
}

function goInt(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const formatLimit = 100;

function namedOffset(zone: string, timestamp: CelTimestamp): number {
  const parts = formatOf(zone).formatToParts(timestamp.seconds * 1000);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "GMT";
  const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name);
  if (match === null || match[1] === undefined) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3]) + Number(match[4] ?? 0) / 60;
  return match[1] === "-" ? -minutes : minutes;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    if (formats.size >= formatLimit) formats.clear();
    formats.set(zone, format);
    return format;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}
