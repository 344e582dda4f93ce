/** Regular expressions in RE2's syntax, compiled once each. */
import { RE2JS } from "re2js";
import { CelError } from "./value.ts";

const patterns = new Map<string, RE2JS>();
const patternLimit = 1000;

/** The compiled pattern. Throws a `CelError` with the syntax error. */
export function compilePattern(pattern: string): RE2JS {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const compiled = tryCompile(pattern);
  if (typeof compiled === "string") throw new CelError(compiled);
  if (patterns.size >= patternLimit) patterns.clear();
  patterns.set(pattern, compiled);
  return compiled;
}

/** What is wrong with a pattern, undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  if (patterns.has(pattern)) return undefined;
  const compiled = tryCompile(pattern);
  return typeof compiled === "string" ? compiled : undefined;
}

function tryCompile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Whether some part of the text matches. Throws a `CelError` for an invalid pattern. */
export function matchesPattern(pattern: string, text: string): boolean {
  return compilePattern(pattern).matcher(text).find();
}
