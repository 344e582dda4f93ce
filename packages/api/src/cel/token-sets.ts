/** Which tokens can stand where: the sets of the grammar, as its errors list them. Source: cel-go parser/gen/CEL.g4. */
import type { TokenKind } from "./lexer.ts";
import { type TokenSet, tokenSet } from "./token-stream.ts";

export const none: TokenSet = tokenSet();
export const operand: TokenSet = tokenSet(
  "'['",
  "'{'",
  "'('",
  "'.'",
  "'-'",
  "'!'",
  "'true'",
  "'false'",
  "'null'",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
);
export const primaryStart: TokenSet = new Set([...operand].filter((kind) => kind !== "'!'"));
export const optionalOperand: TokenSet = new Set<TokenKind>([...operand, "'?'"]);
export const argumentsStart: TokenSet = new Set<TokenKind>([...operand, "')'"]);
export const listStart: TokenSet = new Set<TokenKind>([...optionalOperand, "','", "']'"]);
export const mapStart: TokenSet = new Set<TokenKind>([...optionalOperand, "','", "'}'"]);
export const name: TokenSet = tokenSet("IDENTIFIER", "ESC_IDENTIFIER");
export const optionalName: TokenSet = tokenSet("'?'", "IDENTIFIER", "ESC_IDENTIFIER");
export const fieldsStart: TokenSet = tokenSet("'}'", "','", "'?'", "IDENTIFIER", "ESC_IDENTIFIER");
export const relations: TokenSet = tokenSet("'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'");
export const multiplications: TokenSet = tokenSet("'*'", "'/'", "'%'");
const additions: TokenSet = tokenSet("'+'", "'-'");
export const calculations: TokenSet = new Set([...multiplications, ...additions]);
export const memberOperators: TokenSet = tokenSet("'.'", "'['");
