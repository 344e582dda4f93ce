import { RE2JS } from "re2js";

/** A compiled pattern of the RE2 dialect, the one that the API server uses. */
export interface Pattern {
  /** Whether some part of the text matches. */
  matches(text: string): boolean;
}

/** Patterns come from schemas, so there are few; the limit only guards against a process that compiles schemas for ever. */
const cacheMaxCount = 4096;
const cache = new Map<string, Pattern | Error>();

/** Compiles a pattern once. @throws Error with Go's text: "error parsing regexp: missing closing ]: `[a`" */
export function compilePattern(pattern: string): Pattern {
  const known = cache.get(pattern);
  if (known instanceof Error) throw known;
  if (known !== undefined) return known;
  if (cache.size >= cacheMaxCount) cache.clear();
  const made = build(pattern);
  cache.set(pattern, made);
  if (made instanceof Error) throw made;
  return made;
}

function build(pattern: string): Pattern | Error {
  try {
    const compiled = RE2JS.compile(pattern);
    return { matches: (text) => compiled.test(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Go always quotes the place, which at the end of the pattern is empty.
    return new Error(message.includes("`") ? message : `${message}: \`\``);
  }
}
