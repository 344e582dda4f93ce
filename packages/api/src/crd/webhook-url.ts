/** The parts of a URL that rules look at. Source: Go's net/url Parse. */
import { quote } from "../status/field-error.ts";

export type ParsedUrl =
  | {
      readonly scheme: string;
      readonly host: string;
      /** Undefined without user information. */
      readonly user: string | undefined;
      readonly query: string;
      readonly fragment: string;
    }
  | { readonly error: string };

export function parseUrl(text: string): ParsedUrl {
  const hash = text.indexOf("#");
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  const whole = hash < 0 ? text : text.slice(0, hash);
  const failure = (why: string): ParsedUrl => ({ error: `parse ${quote(whole)}: ${why}` });
  for (let i = 0; i < whole.length; i++) {
    const code = whole.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return failure("net/url: invalid control character in URL");
  }
  if (whole.startsWith(":")) return failure("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(whole)?.[1] ?? "";
  let rest = scheme === "" ? whole : whole.slice(scheme.length + 1);
  const mark = rest.indexOf("?");
  const query = mark < 0 ? "" : rest.slice(mark + 1);
  if (mark >= 0) rest = rest.slice(0, mark);
  const parts = { scheme: scheme.toLowerCase(), query, fragment };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...parts, host: "", user: undefined };
    const [segment = ""] = rest.split("/");
    if (segment.includes(":")) return failure("first path segment in URL cannot contain colon");
  }
  if (!rest.startsWith("//") || (scheme === "" && rest.startsWith("///"))) {
    const escape = badEscape(rest);
    return escape === undefined ? { ...parts, host: "", user: undefined } : failure(escape);
  }
  const slash = rest.indexOf("/", 2);
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const error = hostError(host) ?? (slash < 0 ? undefined : badEscape(rest.slice(slash)));
  if (error !== undefined) return failure(error);
  return { ...parts, host, user: at < 0 ? undefined : authority.slice(0, at) };
}

function badEscape(text: string): string | undefined {
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/.exec(text)?.[0];
  return bad === undefined ? undefined : `invalid URL escape ${quote(bad)}`;
}

function hostError(host: string): string | undefined {
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    return end < 0 ? "missing ']' in host" : portError(host.slice(end + 1));
  }
  const colon = host.lastIndexOf(":");
  const error = colon < 0 ? undefined : portError(host.slice(colon));
  if (error !== undefined) return error;
  const bad = /[^A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host)?.[0];
  return bad === undefined ? badEscape(host) : `invalid character ${quote(bad)} in host name`;
}

function portError(port: string): string | undefined {
  return port === "" || /^:\d*$/.test(port) ? undefined : `invalid port ${quote(port)} after host`;
}
