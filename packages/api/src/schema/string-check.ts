import type { JsonSchema } from "./json-schema.ts";
import { type Pattern, compilePattern } from "./pattern.ts";
import { type SchemaError, addError, invalidError } from "./schema-error.ts";

/** Lengths and pattern, of which only the first failure is reported. Undefined when the schema has none of them. */
export function stringCheck(
  schema: JsonSchema,
): ((value: string, path: string, errors: SchemaError[]) => void) | undefined {
  const { maxLength, minLength, pattern } = schema;
  const compiled = pattern === undefined || pattern === "" ? undefined : tryPattern(pattern);
  if (maxLength === undefined && minLength === undefined && compiled === undefined) return undefined;
  return (value, path, errors) => {
    if (maxLength !== undefined && value.length > maxLength && codePointCount(value) > maxLength) {
      addError(errors, tooLong(path, maxLength));
    } else if (minLength !== undefined && codePointCount(value) < minLength) {
      const message = `${path} in body should be at least ${minLength} chars long`;
      addError(errors, invalidError(path, value, message));
    } else if (compiled instanceof Error) {
      const why = `${pattern}, but pattern is invalid: ${compiled.message}`;
      addError(errors, invalidError(path, value, `${path} in body should match '${why}'`));
    } else if (compiled !== undefined && !compiled.matches(value)) {
      addError(errors, invalidError(path, value, `${path} in body should match '${pattern}'`));
    }
  };
}

function tryPattern(pattern: string): Pattern | Error {
  try {
    return compilePattern(pattern);
  } catch (error) {
    return error as Error;
  }
}

/** The limit counts code points, though the server's sentence speaks of bytes. */
function tooLong(path: string, max: number): SchemaError {
  const message = `${path} in body should be at most ${max} chars long`;
  const detail =
    max < 0 ? "value is too long" : `may not be more than ${max} ${max === 1 ? "byte" : "bytes"}`;
  return { message, type: "TooLong", path, detail };
}

function codePointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0xd800 && code < 0xdc00) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        count--;
        i++;
      }
    }
  }
  return count;
}
