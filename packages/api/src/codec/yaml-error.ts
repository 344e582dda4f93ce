import type { LineCounter, YAMLError } from "yaml";

/**
 * The words of Kubernetes' parser for what our parser finds wrong, as far as the two can be matched; what is not in the
 * table is `did not find expected key`. Its scanner counts lines from one, its parser from zero, and neither names the
 * first. Source: go.yaml.in/yaml/v2 (decode.go fail, scannerc.go, parserc.go).
 */
export function syntaxErrorText(error: YAMLError, text: string, lines: LineCounter): string {
  const { message, kind, offset } = wording(error, text);
  const { line } = lines.linePos(offset ?? error.pos[0]);
  const named = lineNamed(kind, line, offset === undefined && error.pos[0] >= text.length, text);
  return named === 0 ? `yaml: ${message}` : `yaml: line ${named}: ${message}`;
}

/** Who says it: the scanner, the scanner when it has seen the next line, or the parser. */
type Kind = "scanner" | "next line" | "parser";

interface Wording {
  readonly message: string;
  readonly kind: Kind;
  /** Where the other parser notices it, if not where ours does. */
  readonly offset?: number;
}

function lineNamed(kind: Kind, line: number, atEnd: boolean, text: string): number {
  if (kind === "next line") return line + 1;
  if (kind === "scanner") return line === 1 ? 0 : line;
  // The end of the text counts as the start of another line.
  return atEnd && !text.endsWith("\n") ? line : line - 1;
}

function wording(error: YAMLError, text: string): Wording {
  const [at] = error.pos;
  if (error.code === "BLOCK_AS_IMPLICIT_KEY" || error.code === "MULTILINE_IMPLICIT_KEY")
    return misplacedKey(at, text);
  if (error.code === "TAB_AS_INDENT") return misplacedTab(at, text);
  const found = table.find(([code, part]) => error.code === code && error.message.includes(part));
  if (found !== undefined) return { message: found[2], kind: found[3] };
  if (error.message.includes("at node end") && /^\s*-/.test(text) && (at === 0 || text[at - 1] === "\n")) {
    return { message: "did not find expected '-' indicator", kind: "parser" };
  }
  const afterIndicator = /(?:^|[:\-,[{])\s*$/.test(text.slice(0, at));
  const missing = afterIndicator || error.message.includes("Unexpected ,") ? "node content" : "key";
  return { message: `did not find expected ${missing}`, kind: "parser" };
}

function misplacedKey(at: number, text: string): Wording {
  if (text.startsWith("?", at))
    return { message: "mapping keys are not allowed in this context", kind: "scanner" };
  if (/^-\s/.test(text.slice(at))) return { message: "did not find expected key", kind: "parser" };
  const colon = at + Math.max(0, text.slice(at).search(/:(?:\s|$)/));
  return { message: "mapping values are not allowed in this context", kind: "scanner", offset: colon };
}

/** A tab may not start a token; behind a plain scalar it would continue that. */
function misplacedTab(at: number, text: string): Wording {
  const continues = /[^\s:-]\s*$/.test(text.slice(0, at));
  const message = continues ? "found a tab character that violates indentation" : cannotStart;
  return { message, kind: "scanner" };
}

const cannotStart = "found character that cannot start any token";
const noName = "did not find expected alphabetic or numeric character";

/** Code and part of the message of our parser, the wording, and who says it. */
const table: readonly (readonly [string, string, string, Kind])[] = [
  ["BAD_SCALAR_START", "flow indicator", "did not find expected node content", "parser"],
  ["BAD_SCALAR_START", "", cannotStart, "scanner"],
  ["BAD_DQ_ESCAPE", "", "found unknown escape character", "scanner"],
  ["BAD_ALIAS", "", noName, "scanner"],
  ["MISSING_CHAR", "quote", "found unexpected end of stream", "scanner"],
  ["MISSING_CHAR", "map values", "could not find expected ':'", "next line"],
  ["BAD_INDENT", "end with a ]", "did not find expected ',' or ']'", "parser"],
  ["BAD_INDENT", "end with a }", "did not find expected ',' or '}'", "parser"],
  ["MISSING_CHAR", "end with a ]", "did not find expected ',' or ']'", "parser"],
  ["MISSING_CHAR", "end with a }", "did not find expected ',' or '}'", "parser"],
  ["TAG_RESOLVE_FAILED", "Verbatim", "did not find the expected '>'", "scanner"],
  ["UNEXPECTED_TOKEN", "block-seq-ind", "block sequence entries are not allowed in this context", "scanner"],
  ["UNEXPECTED_TOKEN", "Not a YAML token", "did not find expected comment or line break", "scanner"],
  ["UNEXPECTED_TOKEN", "in flow", "did not find expected node content", "parser"],
];
