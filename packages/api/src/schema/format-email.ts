/**
 * An address of RFC 5322 as Go reads it: `a@b`, `"a b"@c.d`, `Name <a@b>`, with comments; a group of exactly one address
 * counts too. Source: Go's net/mail ParseAddress.
 */
import { isIpv6, isPlainIpv4 } from "./format-network.ts";

export function isEmail(text: string): boolean {
  const scanner = new Scanner(text);
  return scanner.mailbox({ group: true }) && scanner.skipComments() && scanner.atEnd();
}

/** Consumes parts of an address; each method says whether the part was there. */
class Scanner {
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  atEnd(): boolean {
    return this.at >= this.text.length;
  }

  mailbox({ group }: { group: boolean }): boolean {
    this.skipSpace();
    if (this.atEnd()) return false;
    const start = this.at;
    if (this.addressSpec()) {
      this.skipSpace();
      return this.peek() !== "(" || this.comment();
    }
    this.at = start;
    if (this.peek() !== "<" && !this.phrase()) return false;
    this.skipSpace();
    if (group && this.take(":")) return this.groupOfOne();
    return this.take("<") && this.addressSpec() && this.take(">");
  }

  private groupOfOne(): boolean {
    this.skipSpace();
    if (!this.mailbox({ group: false }) || !this.skipComments()) return false;
    return this.take(";") && this.skipComments();
  }

  private addressSpec(): boolean {
    this.skipSpace();
    if (this.atEnd()) return false;
    if (this.peek() === '"') {
      const start = this.at;
      if (!this.quotedText() || this.at === start + 2) return false;
    } else if (!this.dotAtom()) return false;
    if (!this.take("@")) return false;
    this.skipSpace();
    return this.peek() === "[" ? this.domainLiteral() : this.dotAtom();
  }

  private domainLiteral(): boolean {
    const end = this.text.indexOf("]", this.at);
    if (end < 0) return false;
    const address = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return isIpv6(address) || isPlainIpv4(address);
  }

  /** One or more words; whatever follows the first is not this phrase's business. */
  private phrase(): boolean {
    for (let words = 0; ; words++) {
      if (words > 0 && !this.skipComments()) return false;
      this.skipSpace();
      if (this.atEnd()) return words > 0;
      const found = this.peek() === '"' ? this.quotedText() : this.atom() !== "";
      if (!found) return words > 0;
    }
  }

  private quotedText(): boolean {
    for (let i = this.at + 1; i < this.text.length; i++) {
      const char = this.text.charAt(i);
      if (char === '"') {
        this.at = i + 1;
        return true;
      }
      if (char === "\\") i++;
      if (!isVisible(this.text.charAt(i)) && !isBlank(this.text.charAt(i))) return false;
    }
    return false;
  }

  private dotAtom(): boolean {
    const atom = this.atom();
    return atom !== "" && !atom.startsWith(".") && !atom.endsWith(".") && !atom.includes("..");
  }

  /** Characters that need no quotes, with dots. */
  private atom(): string {
    const start = this.at;
    while (!this.atEnd() && isVisible(this.peek()) && !'()<>[]:;@\\,"'.includes(this.peek())) this.at++;
    return this.text.slice(start, this.at);
  }

  /** Blanks and comments; false when a comment does not end. */
  skipComments(): boolean {
    this.skipSpace();
    while (this.peek() === "(") {
      if (!this.comment()) return false;
      this.skipSpace();
    }
    return true;
  }

  private comment(): boolean {
    let depth = 0;
    for (; !this.atEnd(); this.at++) {
      const char = this.peek();
      if (char === "\\" && this.at + 1 < this.text.length) this.at++;
      else if (char === "(") depth++;
      else if (char === ")" && --depth === 0) {
        this.at++;
        return true;
      }
    }
    return false;
  }

  private skipSpace(): void {
    while (isBlank(this.peek())) this.at++;
  }

  private peek(): string {
    return this.text.charAt(this.at);
  }

  private take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.at++;
    return true;
  }
}

function isBlank(char: string): boolean {
  return char === " " || char === "\t";
}

function isVisible(char: string): boolean {
  return (char > " " && char <= "~") || char >= "\u0080";
}
