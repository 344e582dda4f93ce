/**
 * Reads a query string as Go does: a pair with a broken escape or a semicolon is left out, the rest counts.
 * Source: net/url ParseQuery, whose error the API server does not look at.
 */
export function parseQuery(text: string): URLSearchParams {
  const query = new URLSearchParams();
  for (const pair of text.split("&")) {
    if (pair === "" || pair.includes(";")) continue;
    const equals = pair.indexOf("=");
    const name = unescaped(equals < 0 ? pair : pair.slice(0, equals));
    const value = unescaped(equals < 0 ? "" : pair.slice(equals + 1));
    if (name !== undefined && value !== undefined) query.append(name, value);
  }
  return query;
}

function unescaped(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  if (!/[%+]/.test(text)) return text;
  const bytes = Buffer.from(
    text
      .replace(/\+/g, " ")
      .replace(/%([0-9a-fA-F]{2})/g, (_m, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return bytes.toString("utf8");
}
