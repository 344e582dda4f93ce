/** URLs as Go's net/url reads them. */
import { isRequestUri } from "../schema/format-uri.ts";
import { quote } from "../status/field-error.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

export interface ParsedUrl {
  readonly scheme: string;
  /** With the port. */
  readonly host: string;
  /** As it must be written in a URL. */
  readonly escapedPath: string;
  readonly rawQuery: string;
  /** The whole text, for comparison. */
  readonly text: string;
}

/** Why a text cannot stand in a request line, in Go's words; undefined when it can. */
export function requestUriProblem(text: string): string | undefined {
  if (isRequestUri(text)) return undefined;
  return `parse ${quote(text)}: ${reasonOf(text)}`;
}

function reasonOf(text: string): string {
  if (text === "") return "empty url";
  if ([...text].some((c) => c < " " || c === "\u007f")) return "net/url: invalid control character in URL";
  if (text.startsWith(":")) return "missing protocol scheme";
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text)?.[0];
  const [rest = ""] = text.slice(scheme?.length ?? 0).split("?");
  if (scheme === undefined && !rest.startsWith("/")) return "invalid URI for request";
  const authority = scheme !== undefined && rest.startsWith("//") ? (rest.slice(2).split("/")[0] ?? "") : "";
  return (
    authorityReason(authority.slice(authority.lastIndexOf("@") + 1)) ??
    escapeReason(rest) ??
    "invalid URI for request"
  );
}

function authorityReason(host: string): string | undefined {
  const afterBracket = host.startsWith("[") ? host.slice(host.lastIndexOf("]") + 1) : host;
  if (host.startsWith("[") && !host.includes("]")) return "missing ']' in host";
  const colon = afterBracket.indexOf(":");
  const port = colon < 0 ? "" : afterBracket.slice(colon);
  if (!/^(?::\d*)?$/.test(port)) return `invalid port ${quote(port)} after host`;
  const odd = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host)?.[0];
  return odd === undefined ? undefined : `invalid character ${quote(odd)} in host name`;
}

function escapeReason(text: string): string | undefined {
  const at = /%(?![0-9a-fA-F]{2})/.exec(text)?.index;
  return at === undefined ? undefined : `invalid URL escape ${quote(text.slice(at, at + 3))}`;
}

/** The parts of a text of which `requestUriProblem` knows no problem. */
export function parseUrl(text: string): ParsedUrl {
  const [beforeFragment = ""] = text.split("#", 1);
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(beforeFragment)?.[1] ?? "";
  const rest = scheme === "" ? beforeFragment : beforeFragment.slice(scheme.length + 1);
  const question = rest.indexOf("?");
  const beforeQuery = question < 0 ? rest : rest.slice(0, question);
  const rawQuery = question < 0 ? "" : rest.slice(question + 1);
  const hasAuthority = beforeQuery.startsWith("//") && (scheme !== "" || !beforeQuery.startsWith("///"));
  const slash = beforeQuery.indexOf("/", 2);
  const authority = !hasAuthority ? "" : slash < 0 ? beforeQuery.slice(2) : beforeQuery.slice(2, slash);
  const path = !hasAuthority ? beforeQuery : slash < 0 ? "" : beforeQuery.slice(slash);
  const isOpaque = scheme !== "" && !beforeQuery.startsWith("/");
  return {
    scheme: scheme.toLowerCase(),
    host: unescapeText(authority.slice(authority.lastIndexOf("@") + 1), false),
    escapedPath: isOpaque ? "" : escapePath(path),
    rawQuery,
    text,
  };
}

/** The host without brackets and port. */
export function hostnameOf(host: string): string {
  const end = host.lastIndexOf("]");
  if (host.startsWith("[") && end >= 0) return host.slice(1, end);
  const colon = host.lastIndexOf(":");
  return colon >= 0 && /^\d*$/.test(host.slice(colon + 1)) ? host.slice(0, colon) : host;
}

export function portOf(host: string): string {
  const afterBracket = host.slice(host.lastIndexOf("]") + 1);
  return /:(\d+)$/.exec(afterBracket)?.[1] ?? "";
}

/** The values of each key, in order. Pairs that are not written correctly are left out. */
export function queryOf(rawQuery: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const pair of rawQuery.split("&")) {
    if (pair === "" || pair.includes(";") || /%(?![0-9a-fA-F]{2})/.test(pair)) continue;
    const equals = pair.indexOf("=");
    const key = unescapeText(equals < 0 ? pair : pair.slice(0, equals), true);
    const value = equals < 0 ? "" : unescapeText(pair.slice(equals + 1), true);
    query.set(key, [...(query.get(key) ?? []), value]);
  }
  return query;
}

function unescapeText(text: string, plusIsSpace: boolean): string {
  const spaced = plusIsSpace ? text.replaceAll("+", " ") : text;
  if (!spaced.includes("%")) return spaced;
  const bytes: number[] = [];
  for (let i = 0; i < spaced.length; ) {
    if (spaced[i] === "%") {
      bytes.push(Number.parseInt(spaced.slice(i + 1, i + 3), 16));
      i += 3;
      continue;
    }
    const character = String.fromCodePoint(spaced.codePointAt(i) ?? 0);
    bytes.push(...encodeUtf8(character));
    i += character.length;
  }
  return decodeUtf8(Uint8Array.from(bytes)) ?? spaced;
}

/** A path that is written correctly stays; otherwise it is read and written anew. */
function escapePath(path: string): string {
  if (/^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9a-fA-F]{2})*$/.test(path)) return path;
  let escaped = "";
  for (const byte of encodeUtf8(unescapeText(path, false))) {
    const character = String.fromCharCode(byte);
    const plain = /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character);
    escaped += plain ? character : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return escaped;
}
