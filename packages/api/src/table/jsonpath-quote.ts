const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const escape = /\\(?:([abfnrtv\\])|(['"])|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/y;

/**
 * The text of a Go string literal in single or double quotes; undefined when it is none.
 * Source: strconv.UnquoteChar, which lets a string hold only its own quote escaped.
 */
export function unquoteText(quoted: string): string | undefined {
  const quote = quoted[0] ?? "";
  const inside = quoted.slice(1, -1);
  if (quoted.length < 2 || !quoted.endsWith(quote)) return undefined;
  let text = "";
  for (let at = 0; at < inside.length; ) {
    const char = inside[at] ?? "";
    if (char === quote) return undefined;
    if (char !== "\\") {
      text += char;
      at++;
      continue;
    }
    escape.lastIndex = at;
    const match = escape.exec(inside);
    if (match === null) return undefined;
    const [whole, simple, own, ...codes] = match;
    if (own !== undefined && own !== quote) return undefined;
    text += own ?? (simple === undefined ? characterOf(codes) : (simpleEscapes[simple] ?? ""));
    at += whole.length;
  }
  return text;
}

function characterOf([hex2, hex4, hex8, octal]: readonly (string | undefined)[]): string {
  const hex = hex2 ?? hex4 ?? hex8;
  const code = hex === undefined ? Number.parseInt(octal ?? "0", 8) : Number.parseInt(hex, 16);
  return code > 0x10ffff ? "\uFFFD" : String.fromCodePoint(code);
}
