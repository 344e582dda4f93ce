/** `find` and `findAll`. Source: Kubernetes' apiserver pkg/cel/library/regex.go. */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload } from "../function.ts";
import { compilePattern } from "../pattern.ts";
import { celTypes, listType } from "../type.ts";
import type { CelValue } from "../value.ts";

const { int, string } = celTypes;

/** At most `count` matches, all when it is negative. */
function matchesOf(text: string, pattern: string, count: number): string[] {
  const matcher = compilePattern(pattern).matcher(text);
  const found: string[] = [];
  while (found.length !== count && matcher.find()) found.push(matcher.group() ?? "");
  return found;
}

const text = (value: CelValue | undefined): string => value as string;

export const regexLibrary: CelLibrary = {
  functions: [
    declare(
      "find",
      memberOverload(
        "string_find_string",
        [string, string],
        string,
        (s, pattern) => matchesOf(text(s), text(pattern), 1)[0] ?? "",
      ),
    ),
    declare(
      "findAll",
      memberOverload("string_find_all_string", [string, string], listType(string), (s, pattern) =>
        matchesOf(text(s), text(pattern), -1),
      ),
      memberOverload(
        "string_find_all_string_int",
        [string, string, int],
        listType(string),
        (s, pattern, count) => matchesOf(text(s), text(pattern), Number(count)),
      ),
    ),
  ],
};
