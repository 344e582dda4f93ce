import type { LabelOperator, LabelRequirement } from "./label-selector.ts";
import { SelectorError } from "./selector-error.ts";

/**
 * Reads the query text of a label selector. Which texts are errors, and in which words, is what clients of the API server
 * see, including its oddities: `in ()` holds one empty value, and a word that is a keyword may also be a key or a value.
 * Source: k8s.io/apimachinery pkg/labels (selector.go).
 */
export function parseRequirements(
  text: string,
  checkKey: (key: string) => void,
  check: (requirement: LabelRequirement) => LabelRequirement,
): LabelRequirement[] {
  const tokens = new TokenStream(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const start = tokens.peek();
    if (start.kind === "end") return requirements;
    if (start.kind !== "word" && start.text !== "!") {
      throw new SelectorError(`found '${start.text}', expected: !, identifier, or 'end of string'`);
    }
    requirements.push(parseRequirement(tokens, checkKey, check));
    const separator = tokens.next();
    if (separator.kind === "end") return requirements;
    if (separator.text !== ",") {
      throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
    }
    const after = tokens.peek();
    if (after.kind !== "word" && after.text !== "!") {
      throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
    }
  }
}

function parseRequirement(
  tokens: TokenStream,
  checkKey: (key: string) => void,
  check: (requirement: LabelRequirement) => LabelRequirement,
): LabelRequirement {
  try {
    const negated = tokens.peek().text === "!";
    if (negated) tokens.next();
    const word = tokens.next();
    if (word.kind !== "word") throw new SelectorError(`found '${word.text}', expected: identifier`);
    const key = word.text;
    checkKey(key);
    if (negated) return check({ key, operator: "!", values: [] });
    const after = tokens.peek();
    if (after.kind === "end" || after.text === ",") return check({ key, operator: "exists", values: [] });
    const operator = parseOperator(tokens);
    const values =
      operator === "in" || operator === "notin" ? parseValues(tokens) : [parseExactValue(tokens)];
    return check({ key, operator, values });
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`unable to parse requirement: ${error.message}`);
  }
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["in", "in"],
  ["notin", "notin"],
  ["=", "="],
  ["==", "=="],
  ["!=", "!="],
  [">", "gt"],
  ["<", "lt"],
]);

function parseOperator(tokens: TokenStream): LabelOperator {
  const { text } = tokens.next();
  const operator = operators.get(text);
  if (operator === undefined)
    throw new SelectorError(`found '${text}', expected: in, notin, =, ==, !=, gt, lt`);
  return operator;
}

/** The sorted set in parentheses: an empty place between commas is an empty value. */
function parseValues(tokens: TokenStream): string[] {
  const open = tokens.next();
  if (open.text !== "(") throw new SelectorError(`found '${open.text}' expected: '('`);
  const first = tokens.peek();
  if (first.text === ")") {
    tokens.next();
    return [""];
  }
  if (first.kind !== "word" && first.text !== ",") {
    throw new SelectorError(`found '${first.text}', expected: ',', ')' or identifier`);
  }
  const values = parseValueList(tokens);
  tokens.next();
  return [...values].sort();
}

function parseValueList(tokens: TokenStream): Set<string> {
  const values = new Set<string>();
  for (;;) {
    const token = tokens.next();
    const after = tokens.peek();
    if (token.kind === "word") {
      values.add(token.text);
      if (after.text === ")") return values;
      if (after.text !== ",") throw new SelectorError(`found '${after.text}', expected: ',' or ')'`);
    } else if (token.text === ",") {
      if (values.size === 0 || after.text === "," || after.text === ")") values.add("");
      if (after.text === ")") return values;
    } else {
      throw new SelectorError(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}

function parseExactValue(tokens: TokenStream): string {
  const ahead = tokens.peek();
  if (ahead.kind === "end" || ahead.text === ",") return "";
  const token = tokens.next();
  if (token.kind !== "word") throw new SelectorError(`found '${token.text}', expected: identifier`);
  return token.text;
}

interface Token {
  readonly kind: "word" | "symbol" | "end";
  readonly text: string;
}

const end: Token = { kind: "end", text: "" };
/** Blank, then a symbol or a word; a NUL separates, and ends the text where a token should start. */
const tokenPattern = /[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^=!(),<> \t\r\n\0]+))\0?/y;

class TokenStream {
  readonly #tokens: Token[] = [];
  #position = 0;

  constructor(text: string) {
    tokenPattern.lastIndex = 0;
    for (let match = tokenPattern.exec(text); match !== null; match = tokenPattern.exec(text)) {
      const [, symbol, word] = match;
      this.#tokens.push(
        symbol === undefined ? { kind: "word", text: word ?? "" } : { kind: "symbol", text: symbol },
      );
    }
  }

  peek(): Token {
    return this.#tokens[this.#position] ?? end;
  }

  next(): Token {
    const token = this.peek();
    this.#position++;
    return token;
  }
}
