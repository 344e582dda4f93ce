/** The words in which Go's time.Parse refuses a text as RFC 3339. Source: time (format.go). */

const layout = "2006-01-02T15:04:05Z07:00";

/** The elements of the layout in order, what each takes, and the range that is checked at once. */
const elements: readonly { element: string; takes: RegExp; range?: readonly [number, number, string] }[] = [
  { element: "2006", takes: /^\d{4}/ },
  { element: "-", takes: /^-/ },
  { element: "01", takes: /^\d\d/, range: [1, 12, "month"] },
  { element: "-", takes: /^-/ },
  { element: "02", takes: /^\d\d/ },
  { element: "T", takes: /^T/ },
  { element: "15", takes: /^\d\d/, range: [0, 23, "hour"] },
  { element: ":", takes: /^:/ },
  { element: "04", takes: /^\d\d/, range: [0, 59, "minute"] },
  { element: ":", takes: /^:/ },
  { element: "05", takes: /^\d\d(?:[.,]\d+)?/, range: [0, 59, "second"] },
  { element: "Z07:00", takes: /^(?:Z|[+-]\d\d:\d\d)/ },
];

/** `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`. @param text is not valid RFC 3339 */
export function goTimeError(text: string): string {
  const quoted = JSON.stringify(text);
  let rest = text;
  for (const { element, takes, range } of elements) {
    const taken = takes.exec(rest)?.[0];
    if (taken === undefined) {
      return `parsing time ${quoted} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`;
    }
    rest = rest.slice(taken.length);
    if (
      range !== undefined &&
      (Number.parseInt(taken, 10) < range[0] || Number.parseInt(taken, 10) > range[1])
    ) {
      return `parsing time ${quoted}: ${range[2]} out of range`;
    }
  }
  return rest === ""
    ? `parsing time ${quoted}: day out of range`
    : `parsing time ${quoted}: extra text: ${JSON.stringify(rest)}`;
}
