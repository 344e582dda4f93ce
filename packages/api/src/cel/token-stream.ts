/**
 * The parser's view of the tokens, with the error reports and the recovery of the parser generator that cel-go uses, so
 * that a mistake is described in the same words and later mistakes are found too.
 * Source: antlr4 DefaultErrorStrategy; cel-go parser/parser.go for the limits.
 */
import { type Token, type TokenKind, tokenKinds } from "./lexer.ts";
import type { CelIssue } from "./source.ts";

/** A rule of the grammar could not go on; the rule that catches it reports and skips. */
export class RecognitionError {
  readonly message: string;
  readonly token: Token;
  constructor(message: string, token: Token) {
    this.message = message;
    this.token = token;
  }
}

/** Parsing stops: too deep, or too many mistakes. */
export class ParseAbort {}

/** Where parsing gives up. */
export interface ParserLimits {
  /** How deep rules of the grammar, and operators in the tree, may be nested. */
  readonly depth: number;
  /** How many mistakes are recovered from. */
  readonly recoveries: number;
  /** How many tokens one recovery may skip. */
  readonly skippedTokens: number;
}

/** Those of cel-go. */
export const defaultLimits: ParserLimits = { depth: 250, recoveries: 30, skippedTokens: 256 };

const reportLimit = 100;

export type TokenSet = ReadonlySet<TokenKind>;

export function tokenSet(...kinds: TokenKind[]): TokenSet {
  return new Set(kinds);
}

/** After these may come what may come after the rules that they end. */
const brackets: TokenSet = tokenSet("']'", "'}'", "')'");

/** Tokens that must come where they can: nothing outside of what they close can come instead. */
const closing: TokenSet = tokenSet("']'", "'}'", "')'", "':'", "<EOF>");

export class TokenStream {
  readonly #tokens: readonly Token[];
  readonly #issues: CelIssue[];
  readonly #limits: ParserLimits;
  readonly #follow: TokenSet[] = [];
  readonly #depths = new Map<string, number>();
  #at = 0;
  #recovering = false;
  #recoveries = 0;
  #reports = 0;
  #lastRecovery = { at: -1, states: new Set<string>() };

  constructor(tokens: readonly Token[], issues: CelIssue[], limits: ParserLimits) {
    this.#tokens = tokens;
    this.#issues = issues;
    this.#limits = limits;
  }

  peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)] as Token;
  }

  is(kind: TokenKind, ahead = 0): boolean {
    return this.peek(ahead).kind === kind;
  }

  in(kinds: TokenSet, ahead = 0): boolean {
    return kinds.has(this.peek(ahead).kind);
  }

  /** Takes the current token, whatever it is. */
  take(): Token {
    const token = this.peek();
    if (token.kind !== "<EOF>") this.#at++;
    this.#recovering = false;
    return token;
  }

  takeIf(kind: TokenKind): Token | undefined {
    return this.is(kind) ? this.take() : undefined;
  }

  /** Takes a token of this kind, or reports; a missing one is made up when `next` shows that it was only forgotten. */
  match(kind: TokenKind, next: TokenSet): Token {
    if (this.is(kind)) return this.take();
    this.#countRecovery();
    if (this.is(kind, 1)) {
      this.#unwanted([kind]);
      return this.take();
    }
    if (this.in(next) || (brackets.has(kind) && this.#mayFollow(this.peek().kind))) {
      this.#begin(`missing ${kind} at ${shown(this.peek())}`, this.peek());
      return { kind, text: "", offset: this.peek().offset };
    }
    throw this.mismatch([kind]);
  }

  /** Whether a token can come after the rules that would be finished here. */
  #mayFollow(kind: TokenKind): boolean {
    for (let i = this.#follow.length - 1; i >= 0; i--) {
      const set = this.#follow[i] as TokenSet;
      if (set.has(kind)) return true;
      for (const end of closing) if (set.has(end)) return false;
    }
    return false;
  }

  /** Before a choice: a token that fits none is skipped when the one after it fits, and reported. */
  sync(expected: TokenSet): void {
    if (this.#recovering || this.in(expected)) return;
    if (this.in(expected, 1)) {
      this.#unwanted([...expected]);
      return;
    }
    throw this.mismatch([...expected]);
  }

  /** Before another round of a loop that must go on: tokens that fit neither it nor what may follow are skipped. */
  syncLoop(expected: TokenSet): void {
    if (this.#recovering || this.in(expected)) return;
    this.#begin(`extraneous input ${shown(this.peek())} expecting ${shownSet([...expected])}`, this.peek());
    this.#skipTo((kind) => expected.has(kind) || this.#follow.some((set) => set.has(kind)));
  }

  mismatch(expected: readonly TokenKind[]): RecognitionError {
    const token = this.peek();
    return new RecognitionError(`mismatched input ${shown(token)} expecting ${shownSet(expected)}`, token);
  }

  /** No alternative fits the `count` tokens from here. */
  noAlternative(count: number): RecognitionError {
    const tokens = Array.from({ length: count }, (_, i) => this.peek(i));
    const last = tokens[tokens.length - 1] as Token;
    const text = this.#textOf(tokens);
    const reserved = /^.(true|false|null)$/.exec(text)?.[1];
    if (reserved !== undefined)
      return new RecognitionError(`mismatched input '${reserved}' expecting IDENTIFIER`, last);
    return new RecognitionError(`no viable alternative at input ${quoted(text)}`, last);
  }

  /** Runs one rule of the grammar; `follow` is what may come after it here. A mistake in it gives `fallback`. */
  rule<T>(name: string, follow: TokenSet, body: () => T, fallback: () => T): T {
    this.#enter(name);
    this.#follow.push(follow);
    try {
      return body();
    } catch (error) {
      if (!(error instanceof RecognitionError)) throw error;
      this.#begin(error.message, error.token);
      this.#recover(name);
      return fallback();
    } finally {
      this.#follow.pop();
      this.#depths.set(name, (this.#depths.get(name) ?? 0) - 1);
    }
  }

  #enter(name: string): void {
    const depth = (this.#depths.get(name) ?? 0) + 1;
    this.#depths.set(name, depth);
    if (depth <= this.#limits.depth) return;
    this.#issues.push({ message: `expression recursion limit exceeded: ${this.#limits.depth}`, offset: -1 });
    throw new ParseAbort();
  }

  #unwanted(expected: readonly TokenKind[]): void {
    this.#begin(`extraneous input ${shown(this.peek())} expecting ${shownSet(expected)}`, this.peek());
    this.#at++;
    this.#recovering = false;
  }

  /** Reports, unless a report was made and no token was taken since. */
  #begin(message: string, token: Token): void {
    if (this.#recovering) return;
    this.#recovering = true;
    if (this.#reports++ >= reportLimit) {
      this.#issues.push({
        message: `Syntax error: More than ${reportLimit} syntax errors`,
        offset: token.offset,
      });
      throw new ParseAbort();
    }
    this.#issues.push({ message: `Syntax error: ${message}`, offset: token.offset });
  }

  #recover(state: string): void {
    this.#countRecovery();
    if (this.#lastRecovery.at === this.#at && this.#lastRecovery.states.has(state)) this.#skipOne();
    if (this.#lastRecovery.at !== this.#at) this.#lastRecovery = { at: this.#at, states: new Set() };
    this.#lastRecovery.states.add(state);
    this.#skipTo((kind) => this.#follow.some((set) => set.has(kind)));
  }

  #countRecovery(): void {
    if (this.#recoveries++ < this.#limits.recoveries) return;
    const message = `Syntax error: error recovery attempt limit exceeded: ${this.#limits.recoveries}`;
    this.#issues.push({ message, offset: this.peek().offset });
    throw new ParseAbort();
  }

  #skipOne(): void {
    if (!this.is("<EOF>")) this.#at++;
  }

  #skipTo(stop: (kind: TokenKind) => boolean): void {
    for (let skipped = 0; !this.is("<EOF>") && !stop(this.peek().kind); skipped++) {
      if (skipped >= this.#limits.skippedTokens) {
        const message = `error recovery token lookahead limit exceeded: ${this.#limits.skippedTokens}`;
        this.#issues.push({ message, offset: -1 });
        throw new ParseAbort();
      }
      this.#at++;
    }
  }

  #textOf(tokens: readonly Token[]): string {
    const texts = tokens.filter((token) => token.kind !== "<EOF>").map((token) => token.text);
    return texts.length === 0 ? "<EOF>" : texts.join("");
  }
}

function shown(token: Token): string {
  return quoted(token.text);
}

function quoted(text: string): string {
  return `'${text.replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t")}'`;
}

function shownSet(kinds: readonly TokenKind[]): string {
  const sorted = [...kinds].sort((a, b) => tokenKinds.indexOf(a) - tokenKinds.indexOf(b));
  return sorted.length === 1 ? (sorted[0] as string) : `{${sorted.join(", ")}}`;
}
