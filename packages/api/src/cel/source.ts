/** An expression's text, and errors that point into it. Source: cel-go common (source.go, error.go, errors.go). */

/** One thing wrong with an expression. */
export interface CelIssue {
  readonly message: string;
  /** Code points from the start; -1 when it is about no place. */
  readonly offset: number;
}

const shownErrorLimit = 100;
const snippetByteLimit = 16384;

/** The text of an expression with its lines, counted in code points as cel-go does. */
export class CelSource {
  readonly text: string;
  readonly description: string;
  /** The characters, one code point each. */
  readonly characters: readonly string[];
  readonly #lineStarts: number[] = [0];

  constructor(text: string, description = "<input>") {
    this.text = text;
    this.description = description;
    this.characters = Array.from(text);
    this.characters.forEach((c, i) => {
      if (c === "\n") this.#lineStarts.push(i + 1);
    });
  }

  /** Line from 1 and column from 0 of an offset. */
  position(offset: number): { line: number; column: number } {
    if (offset < 0) return { line: -1, column: -1 };
    let line = 1;
    while (line < this.#lineStarts.length && (this.#lineStarts[line] as number) <= offset) line++;
    return { line, column: offset - (this.#lineStarts[line - 1] as number) };
  }

  /** All issues as the server's messages show them: sorted by place, each with its line and a caret. */
  display(issues: readonly CelIssue[]): string {
    const sorted = [...issues.slice(0, shownErrorLimit)].sort((a, b) => a.offset - b.offset);
    const texts = sorted.map((issue) => this.#displayOne(issue));
    if (issues.length > shownErrorLimit)
      texts.push(`${issues.length - shownErrorLimit} more errors were truncated`);
    return texts.join("\n");
  }

  #displayOne(issue: CelIssue): string {
    const { line, column } = this.position(issue.offset);
    const head = `ERROR: ${this.description}:${line}:${column + 1}: ${issue.message}`;
    const snippet = this.#line(line);
    if (snippet === undefined) return head;
    const characters = Array.from(snippet.replaceAll("\t", " "));
    const indent = characters.slice(0, Math.max(column, 0)).map((c) => (isWide(c) ? "．" : "."));
    const caret = isWide(characters[column]) ? "＾" : "^";
    return `${head}\n | ${characters.join("")}\n | ${indent.join("")}${caret}`;
  }

  #line(line: number): string | undefined {
    if (line < 1) return undefined;
    const start = this.#lineStarts[line - 1];
    if (start === undefined) return undefined;
    const next = this.#lineStarts[line];
    const text = this.characters.slice(start, next === undefined ? undefined : next - 1).join("");
    return utf8Length(text) > snippetByteLimit ? undefined : text;
  }
}

function isWide(character: string | undefined): boolean {
  return character !== undefined && (character.codePointAt(0) ?? 0) > 0x7f;
}

/** Bytes that a string takes in UTF-8. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      bytes += 4;
      i++;
    } else bytes += 3;
  }
  return bytes;
}
