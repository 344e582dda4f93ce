/** More functions of strings. Source: cel-go ext/strings.go, version 2. */
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import { formatString } from "../format-value.ts";
import { codePoints } from "../text.ts";
import { celTypes, listType } from "../type.ts";
import { CelError, type CelList, type CelValue, listItems } from "../value.ts";
import { valueText } from "../value-text.ts";

const { dyn, int, string } = celTypes;
const strings = listType(string);

type Index = number | bigint;

function outOfRange(index: Index): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: string, index: Index): string {
  const characters = codePoints(text);
  if (index < 0 || index > characters.length) throw outOfRange(index);
  return characters[Number(index)] ?? "";
}

function indexOf(text: string, part: string, from: Index): number {
  if (from < 0) throw outOfRange(from);
  const offset = Number(from);
  const characters = codePoints(text);
  if (part === "") return Math.min(offset, characters.length);
  if (offset >= characters.length) return -1;
  const wanted = codePoints(part);
  for (let i = offset; i <= characters.length - wanted.length; i++)
    if (startsAt(characters, wanted, i)) return i;
  return -1;
}

function lastIndexOf(text: string, part: string, offset?: Index): number {
  const characters = codePoints(text);
  if (part === "" && offset === undefined) return characters.length;
  const from = Number(offset ?? characters.length - 1);
  const wanted = codePoints(part);
  if (offset === undefined && characters.length < wanted.length) return -1;
  if (from < 0) throw outOfRange(offset ?? from);
  if (part === "") return Math.min(from, characters.length);
  if (from >= characters.length) return -1;
  for (let i = Math.min(from, characters.length - wanted.length); i >= 0; i--) {
    if (startsAt(characters, wanted, i)) return i;
  }
  return -1;
}

function startsAt(characters: readonly string[], wanted: readonly string[], at: number): boolean {
  return wanted.every((character, i) => characters[at + i] === character);
}

function substring(text: string, start: Index, end?: Index): string {
  const characters = codePoints(text);
  if (end !== undefined && start > end) {
    throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  }
  if (start < 0 || start > characters.length) throw outOfRange(start);
  if (end !== undefined && (end < 0 || end > characters.length)) throw outOfRange(end);
  return characters.slice(Number(start), end === undefined ? undefined : Number(end)).join("");
}

/** As Go's `strings.Replace`: an empty part stands before each character and at the end; a negative count is no limit. */
function replace(text: string, part: string, by: string, count: number): string {
  const limit = count < 0 ? Number.POSITIVE_INFINITY : count;
  if (part !== "") {
    const pieces = split(text, part, limit === Number.POSITIVE_INFINITY ? -1 : limit + 1);
    return limit === 0 ? text : pieces.join(by);
  }
  const characters = codePoints(text);
  let result = "";
  for (let i = 0; i <= characters.length; i++) result += (i < limit ? by : "") + (characters[i] ?? "");
  return result;
}

/** As Go's `strings.SplitN`: at most `count` pieces, the last holding the rest; a negative count is no limit. */
function split(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const pieces = separator === "" ? codePoints(text) : text.split(separator);
  if (count < 0 || pieces.length <= count) return pieces;
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)];
}

/** White space in Unicode's sense. */
function trim(text: string): string {
  return text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, (spaces) =>
    spaces.includes("\ufeff") ? trimMark(spaces) : "",
  );
}

/** The byte order mark is a space to JavaScript but not to Go. */
function trimMark(spaces: string): string {
  return spaces.slice(spaces.indexOf("\ufeff"), spaces.lastIndexOf("\ufeff") + 1);
}

function asciiCase(text: string, upper: boolean): string {
  return upper
    ? text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
    : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const quoted: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quoteText(text: string): string {
  let result = "";
  for (const character of text) result += quoted[character] ?? character;
  return `"${result}"`;
}

function join(list: CelValue, separator: string): string {
  const parts = listItems(list as CelList).map((item) => {
    if (typeof item !== "string") throw new CelError(`join: invalid input: ${valueText(item)}`);
    return item;
  });
  return parts.join(separator);
}

const text = (value: CelValue | undefined): string => value as string;
const index = (value: CelValue | undefined): Index => value as Index;
const number = (value: CelValue | undefined): number => Number(value);

export const stringsLibrary: CelLibrary = {
  functions: [
    declare(
      "charAt",
      memberOverload("string_char_at_int", [string, int], string, (s, i) => charAt(text(s), index(i))),
    ),
    declare(
      "indexOf",
      memberOverload("string_index_of_string", [string, string], int, (s, part) =>
        indexOf(text(s), text(part), 0),
      ),
      memberOverload("string_index_of_string_int", [string, string, int], int, (s, part, at) =>
        indexOf(text(s), text(part), index(at)),
      ),
    ),
    declare(
      "lastIndexOf",
      memberOverload("string_last_index_of_string", [string, string], int, (s, part) =>
        lastIndexOf(text(s), text(part)),
      ),
      memberOverload("string_last_index_of_string_int", [string, string, int], int, (s, part, at) =>
        lastIndexOf(text(s), text(part), index(at)),
      ),
    ),
    declare(
      "lowerAscii",
      memberOverload("string_lower_ascii", [string], string, (s) => asciiCase(text(s), false)),
    ),
    declare(
      "upperAscii",
      memberOverload("string_upper_ascii", [string], string, (s) => asciiCase(text(s), true)),
    ),
    declare(
      "replace",
      memberOverload("string_replace_string_string", [string, string, string], string, (s, part, by) =>
        replace(text(s), text(part), text(by), -1),
      ),
      memberOverload(
        "string_replace_string_string_int",
        [string, string, string, int],
        string,
        (s, part, by, n) => replace(text(s), text(part), text(by), number(n)),
      ),
    ),
    declare(
      "split",
      memberOverload("string_split_string", [string, string], strings, (s, by) =>
        split(text(s), text(by), -1),
      ),
      memberOverload("string_split_string_int", [string, string, int], strings, (s, by, n) =>
        split(text(s), text(by), number(n)),
      ),
    ),
    declare(
      "substring",
      memberOverload("string_substring_int", [string, int], string, (s, from) =>
        substring(text(s), index(from)),
      ),
      memberOverload("string_substring_int_int", [string, int, int], string, (s, from, to) =>
        substring(text(s), index(from), index(to)),
      ),
    ),
    declare(
      "trim",
      memberOverload("string_trim", [string], string, (s) => trim(text(s))),
    ),
    declare(
      "format",
      memberOverload("string_format", [string, listType(dyn)], string, (s, args) =>
        formatString(text(s), listItems(args as CelList)),
      ),
    ),
    declare(
      "strings.quote",
      overload("strings_quote", [string], string, (s) => quoteText(text(s))),
    ),
    declare(
      "join",
      memberOverload("list_join", [strings], string, (list) => join(list as CelValue, "")),
      memberOverload("list_join_string", [strings, string], string, (list, by) =>
        join(list as CelValue, text(by)),
      ),
    ),
  ],
};
