import { readFileSync } from "node:fs";

/** Cases whose recorded answer holds an accident of its recording, with the reason: `{ "topic/case.json": "why" }`. */
export type Exceptions = Readonly<Record<string, string>>;

/** Most exceptions that a corpus may have, as a share of its cases. */
export const exceptionsShareMax = 0.01;

export function readExceptions(file: string): Exceptions {
  return JSON.parse(readFileSync(file, "utf8")) as Exceptions;
}

/** What is wrong with a list of exceptions for these cases, or undefined. */
export function exceptionsProblem(exceptions: Exceptions, caseNames: readonly string[]): string | undefined {
  const names = Object.keys(exceptions);
  const unknown = names.filter((name) => !caseNames.includes(name));
  if (unknown.length > 0) return `exceptions for cases that do not exist: ${unknown.join(", ")}`;
  const limit = Math.floor(caseNames.length * exceptionsShareMax);
  if (names.length > limit)
    return `${names.length} exceptions, and at most ${limit} of ${caseNames.length} cases may be`;
  return undefined;
}
