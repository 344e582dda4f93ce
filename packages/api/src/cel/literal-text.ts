/** The values of literals. Source: cel-go parser/parser.go (visit of literals). */
import type { LiteralValue } from "./ast.ts";
import type { TokenKind } from "./lexer.ts";
import { parseDouble } from "./number-text.ts";
import { unescapeBytes, unescapeString } from "./unescape.ts";
import { CelDouble, CelUint } from "./value.ts";

/** What a literal of a kind says, or what is wrong with it. `text` has its sign. */
export function literalValue(kind: TokenKind, text: string): LiteralValue | { error: string } {
  switch (kind) {
    case "NUM_INT":
      return parseInt64(text) ?? { error: "invalid int literal" };
    case "NUM_UINT":
      return parseUint64(text.slice(0, -1)) ?? { error: "invalid uint literal" };
    case "NUM_FLOAT": {
      const value = parseDouble(text);
      return value === undefined || !Number.isFinite(value)
        ? { error: "invalid double literal" }
        : new CelDouble(value);
    }
    case "STRING":
    case "BYTES":
      try {
        return kind === "STRING" ? unescapeString(text) : unescapeBytes(text.slice(1));
      } catch (error) {
        return { error: error instanceof Error ? error.message : String(error) };
      }
    case "'true'":
      return true;
    case "'false'":
      return false;
    default:
      return null;
  }
}

function parseInt64(text: string): number | bigint | undefined {
  const negative = text.startsWith("-");
  const magnitude = BigInt(negative ? text.slice(1) : text);
  const value = negative ? -magnitude : magnitude;
  if (value > 9223372036854775807n || value < -9223372036854775808n) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function parseUint64(text: string): CelUint | undefined {
  const value = BigInt(text);
  return value > 18446744073709551615n ? undefined : new CelUint(value);
}
