/** A schedule as one text (v1) and as one field for each of its parts (v2). */

/** Absent is every one, as `*` is. */
export interface ScheduleFields {
  readonly minute?: string | undefined;
  readonly hour?: string | undefined;
  readonly dayOfMonth?: string | undefined;
  readonly month?: string | undefined;
  readonly dayOfWeek?: string | undefined;
}

const parts = ["minute", "hour", "dayOfMonth", "month", "dayOfWeek"] as const;

const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** `{ minute: "0", hour: "4" }` of `0 4 * * *`. What has more parts keeps them in the last, so that it stays as wrong as it was. */
export function splitSchedule(schedule: string): ScheduleFields {
  const words = (nicknames[schedule.trim().toLowerCase()] ?? schedule.trim()).split(/\s+/);
  const texts = [...words.slice(0, parts.length - 1), words.slice(parts.length - 1).join(" ")];
  return Object.fromEntries(
    parts.flatMap((part, i) => {
      const text = texts[i] ?? "";
      return text === "" || text === "*" ? [] : [[part, text]];
    }),
  );
}

/** `0 4 * * *` of `{ minute: "0", hour: "4" }`. */
export function joinSchedule(fields: ScheduleFields): string {
  return parts.map((part) => fields[part] ?? "*").join(" ");
}
