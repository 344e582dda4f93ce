import { isIpv6 } from "./format-network.ts";

/**
 * An absolute URI or an absolute path, as it may stand in a request line. Source: Go's net/url ParseRequestURI.
 */
export function isRequestUri(text: string): boolean {
  if (text === "" || hasControl(text)) return false;
  if (text === "*") return true;
  const scheme = schemeOf(text);
  if (scheme === undefined) return false;
  let rest = scheme === "" ? text : text.slice(scheme.length + 1);
  const query = rest.indexOf("?");
  if (query >= 0) rest = rest.slice(0, query);
  // An opaque URI such as `mailto:x` is taken as it is; without a scheme a path must be absolute.
  if (!rest.startsWith("/")) return scheme !== "";
  if (scheme !== "" && rest.startsWith("//")) {
    const slash = rest.indexOf("/", 2);
    const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    if (!isAuthority(authority, scheme.toLowerCase())) return false;
    rest = slash < 0 ? "" : rest.slice(slash);
  }
  return hasValidEscapes(rest);
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** "" without a scheme; undefined when the text starts with a colon. */
function schemeOf(text: string): string | undefined {
  if (text.startsWith(":")) return undefined;
  return /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
}

function hasValidEscapes(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(authority: string, scheme: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at < 0) return isHost(authority, scheme);
  const user = authority.slice(0, at);
  return (
    /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) &&
    hasValidEscapes(user) &&
    isHost(authority.slice(at + 1), scheme)
  );
}

function isHost(host: string, scheme: string): boolean {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return false;
  if (bracket === 0) {
    const end = host.lastIndexOf("]");
    return end >= 0 && isOptionalPort(host.slice(end + 1)) && isBracketedAddress(host.slice(1, end));
  }
  // Several colons are only tolerated where lists of hosts are usual.
  const strict = scheme === "http" || scheme === "https";
  const colon = strict ? host.indexOf(":") : host.lastIndexOf(":");
  if (colon >= 0 && !isOptionalPort(host.slice(colon))) return false;
  return isHostText(host);
}

/** IPv6, with a zone behind `%25`. */
function isBracketedAddress(text: string): boolean {
  const zone = text.indexOf("%25");
  if (zone < 0) return isIpv6(text);
  const name = text.slice(zone + 3);
  return name !== "" && hostCharacters.test(name) && hasValidEscapes(name) && isIpv6(text.slice(0, zone));
}

function isOptionalPort(port: string): boolean {
  return port === "" || /^:\d*$/.test(port);
}

/** Host characters; escapes only of bytes beyond ASCII, and `%25`. */
function isHostText(host: string): boolean {
  if (!hasValidEscapes(host) || /%(?!25)[0-7]/.test(host)) return false;
  return hostCharacters.test(host);
}

const hostCharacters = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]*$/;
