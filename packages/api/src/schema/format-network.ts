/** Addresses. Source: Go's net package, k8s.io/utils/net (ParseIPSloppy, ParseCIDRSloppy). */

/** An address with a dot in it: IPv4, leading zeros allowed, or IPv6 that ends in IPv4. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && isSloppyIp(text);
}

function isSloppyIp(text: string): boolean {
  return text.includes(":") ? isIpv6Text(text, { sloppy: true }) : isIpv4Text(text, { sloppy: true });
}

/** An address with a colon in it and no zone. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpv6Text(text, { sloppy: false });
}

/** An IPv4 address without leading zeros. */
export function isPlainIpv4(text: string): boolean {
  return isIpv4Text(text, { sloppy: false });
}

export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const mask = text.slice(slash + 1);
  if (!/^\d+$/.test(mask)) return false;
  const v4 = isIpv4Text(address, { sloppy: true });
  if (!v4 && !isIpv6Text(address, { sloppy: true })) return false;
  return Number(mask) <= (v4 ? 32 : 128);
}

interface Strictness {
  /** True: leading zeros are ignored. */
  readonly sloppy: boolean;
}

function isIpv4Text(text: string, { sloppy }: Strictness): boolean {
  const parts = text.split(".");
  if (parts.length !== 4) return false;
  return parts.every((part) => {
    if (!/^\d+$/.test(part) || Number(part) > 255) return false;
    return sloppy || part === "0" || !part.startsWith("0");
  });
}

/** Eight groups, of which one run of zeros may be `::`, and the last two may be an IPv4 address. */
function isIpv6Text(text: string, strictness: Strictness): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const elided = halves.length === 2;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  if (halves.length === 1 && text === "") return false;
  const last = groups.at(-1);
  let count = groups.length;
  if (last?.includes(".")) {
    // Behind a final `::` there is no room for an address that was written before it.
    if (text.endsWith("::") || !isIpv4Text(last, strictness)) return false;
    groups.pop();
    count++;
  }
  const group = strictness.sloppy ? /^0*[0-9a-fA-F]{1,4}$/ : /^[0-9a-fA-F]{1,4}$/;
  return groups.every((g) => group.test(g)) && (elided ? count < 8 : count === 8);
}

const hexGroup = /^[0-9a-fA-F]+$/;

/** EUI-48, EUI-64 or 20 bytes: groups of two digits with `:` or `-`, of four with `.`, or all digits in one. */
export function isMac(text: string): boolean {
  const separator = text[2] === ":" || text[2] === "-" ? text[2] : text[4] === "." ? "." : "";
  const groups = separator === "" ? [text] : text.split(separator);
  const width = separator === "" ? text.length : separator === "." ? 4 : 2;
  const bytes = (groups.length * width) / 2;
  if (bytes !== 6 && bytes !== 8 && bytes !== 20) return false;
  return groups.every((group) => group.length === width && hexGroup.test(group));
}
