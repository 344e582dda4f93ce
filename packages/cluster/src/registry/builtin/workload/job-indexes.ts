/** Texts of indexes such as `1,3-5,7`. Source: kubernetes pkg/apis/batch/validation (validateIndexesFormat). */

export interface Indexes {
  readonly count: number;
  /** Both ends included, in order. */
  readonly intervals: readonly (readonly [first: number, last: number])[];
}

/** The indexes below `completions`, or what is wrong with the text. */
export function parseIndexes(text: string, completions: number): Indexes | string {
  if (text === "") return { count: 0, intervals: [] };
  const intervals: (readonly [number, number])[] = [];
  let count = 0;
  let last: number | undefined;
  for (const part of text.split(",")) {
    const parsed = parseInterval(part, completions);
    if (typeof parsed === "string") return parsed;
    const [from, to] = parsed;
    if (last !== undefined && last >= from)
      return `non-increasing order, previous: ${last}, current: ${from}`;
    intervals.push(parsed);
    count += to - from + 1;
    last = to;
  }
  return { count, intervals };
}

function parseInterval(text: string, completions: number): readonly [number, number] | string {
  const limits = text.split("-");
  if (limits.length > 2)
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?\d+$/.test(limit))
      return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    const number = Number(limit);
    if (number >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(number);
  }
  const [first = 0, second] = numbers;
  if (second === undefined) return [first, first];
  if (first >= second) return `non-increasing order, previous: ${first}, current: ${second}`;
  return [first, second];
}
