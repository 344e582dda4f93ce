import type { Impersonation } from "../config/connection.ts";

/** The headers that make a request act as somebody else. Source: client-go transport/round_trippers.go. */
export function impersonationHeaders(
  as: Impersonation | undefined,
): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {};
  if (as?.user) headers["impersonate-user"] = as.user;
  if (as?.uid) headers["impersonate-uid"] = as.uid;
  if (as?.groups?.length) headers["impersonate-group"] = as.groups;
  for (const [key, values] of Object.entries(as?.extra ?? {})) {
    headers[`impersonate-extra-${escapeHeaderKey(key)}`] = values;
  }
  return headers;
}

/** Header names hold few characters; the server undoes percent escapes and reads names in lower case. */
function escapeHeaderKey(key: string): string {
  return Array.from(Buffer.from(key.toLowerCase(), "utf8"), (byte) => {
    const char = String.fromCharCode(byte);
    if (/[a-z0-9!#$&'*+.^_`|~-]/.test(char)) return char;
    return `%${byte.toString(16).padStart(2, "0")}`;
  }).join("");
}

/** `?a=b&c=d` with what is undefined left out; `""` for nothing. */
export function queryText(
  query: Readonly<Record<string, string | readonly string[] | undefined>> | undefined,
): string {
  const parts: string[] = [];
  for (const name in query) {
    const value = query[name];
    if (value === undefined) continue;
    for (const one of typeof value === "string" ? [value] : value) {
      parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(one)}`);
    }
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
