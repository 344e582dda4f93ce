/** The clauses of `"...".format([...])`: `%s`, `%d`, `%.2f`. Source: cel-go ext/formatting.go (parseFormatString). */

export interface FormatClause {
  /** Text before the clause. */
  readonly before: string;
  readonly verb: "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";
  readonly precision: number | undefined;
}

/** A format string as clauses and the text after the last, or what is wrong at the clause with that index. */
export type ParsedFormat =
  | { readonly clauses: readonly FormatClause[]; readonly rest: string }
  | { readonly error: string; readonly clauses: readonly FormatClause[] };

/** Reads a format string as far as it is right. */
export function parseFormat(text: string): ParsedFormat {
  const clauses: FormatClause[] = [];
  let before = "";
  let at = 0;
  while (at < text.length) {
    if (text[at] !== "%") {
      before += text[at++];
      continue;
    }
    if (text[at + 1] === "%") {
      before += "%";
      at += 2;
      continue;
    }
    const clause = readClause(text, at + 1);
    if (typeof clause === "string") return { error: clause, clauses };
    clauses.push({ before, verb: clause.verb, precision: clause.precision });
    before = "";
    at = clause.end;
  }
  return { clauses, rest: before };
}

function readClause(
  text: string,
  from: number,
): { verb: FormatClause["verb"]; precision: number | undefined; end: number } | string {
  if (from >= text.length) return "unexpected end of string";
  let at = from;
  let precision: number | undefined;
  if (text[at] === ".") {
    const digits = /^\d*/.exec(text.slice(at + 1))?.[0] ?? "";
    at += 1 + digits.length;
    if (at >= text.length) return precisionError("could not find end of precision specifier");
    if (digits === "") {
      const reason = 'strconv.Atoi: parsing "": invalid syntax';
      return precisionError(`error while converting precision to integer: ${reason}`);
    }
    precision = Number(digits);
  }
  const verb = text[at] as string;
  if (!"sdfebxXo".includes(verb))
    return `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
  return { verb: verb as FormatClause["verb"], precision, end: at + 1 };
}

function precisionError(reason: string): string {
  return `could not parse formatting clause: error while parsing precision: ${reason}`;
}

/** Why a value of a type cannot be formatted with a verb. */
export function verbError(verb: FormatClause["verb"], typeName: string): string {
  switch (verb) {
    case "b":
      return `only integers and bools can be formatted as binary, was given ${typeName}`;
    case "d":
      return `decimal clause can only be used on integers, was given ${typeName}`;
    case "f":
      return `fixed-point clause can only be used on doubles, was given ${typeName}`;
    case "x":
    case "X":
      return `only integers, byte buffers, and strings can be formatted as hex, was given ${typeName}`;
    case "o":
      return `octal clause can only be used on integers, was given ${typeName}`;
    case "e":
      return `scientific clause can only be used on doubles, was given ${typeName}`;
    default:
      return `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${typeName}`;
  }
}
