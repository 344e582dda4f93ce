/** IP addresses and prefixes as Go's net/netip reads and prints them, with its error texts. */
import { quote } from "../status/field-error.ts";

export interface IpAddress {
  /** 32 or 128. */
  readonly bits: 32 | 128;
  readonly value: bigint;
  /** Empty for none. */
  readonly zone: string;
}

export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
}

/** The text is no address; the message is Go's. */
export class IpError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function addressError(text: string, message: string, at = ""): IpError {
  return new IpError(`ParseAddr(${quote(text)}): ${message}${at === "" ? "" : ` (at ${quote(at)})`}`);
}

/** @throws IpError */
export function parseIpAddress(text: string): IpAddress {
  const kind = /[.:%]/.exec(text)?.[0];
  switch (kind) {
    case ".":
      return { bits: 32, value: parseIpv4(text, text), zone: "" };
    case ":":
      return parseIpv6(text);
    case "%":
      throw addressError(text, "missing IPv6 address");
    default:
      throw addressError(text, "unable to parse IP");
  }
}

function parseIpv4(text: string, part: string): bigint {
  let value = 0n;
  let octet = "";
  let octets = 0;
  for (let i = 0; i < part.length; i++) {
    const c = part[i] as string;
    if (c >= "0" && c <= "9") {
      if (octet === "0") throw addressError(text, "IPv4 field has octet with leading zero");
      octet += c;
      if (Number(octet) > 255) throw addressError(text, "IPv4 field has value >255");
    } else if (c === ".") {
      if (octet === "" || i === part.length - 1) {
        throw addressError(text, "IPv4 field must have at least one digit", part.slice(i));
      }
      if (octets === 3) throw addressError(text, "IPv4 address too long");
      value = (value << 8n) | BigInt(octet);
      octets++;
      octet = "";
    } else throw addressError(text, "unexpected character", part.slice(i));
  }
  if (octets < 3) throw addressError(text, "IPv4 address too short");
  return (value << 8n) | BigInt(octet);
}

/** 16-bit groups; an address in IPv4 notation at the end is two of them. */
function parseIpv6(text: string): IpAddress {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw addressError(text, "zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);
  const groups: number[] = [];
  let gap = -1;
  if (rest.startsWith("::")) {
    gap = 0;
    rest = rest.slice(2);
  }
  while (rest !== "" && groups.length < 8) {
    const digits = hexGroup(text, rest);
    if (rest[digits.length] === ".") {
      groups.push(...embeddedIpv4(text, rest, groups.length, gap));
      rest = "";
      break;
    }
    groups.push(Number.parseInt(digits, 16));
    rest = afterColon(text, rest.slice(digits.length));
    if (!rest.startsWith(":")) continue;
    if (gap >= 0) throw addressError(text, "multiple :: in address", rest);
    gap = groups.length;
    rest = rest.slice(1);
  }
  if (rest !== "") throw addressError(text, "trailing garbage after address", rest);
  return { bits: 128, value: joinGroups(text, groups, gap), zone };
}

function hexGroup(text: string, rest: string): string {
  const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? "";
  if (digits.length > 4) throw addressError(text, "each group must have 4 or less digits", rest);
  if (digits === "")
    throw addressError(text, "each colon-separated field must have at least one digit", rest);
  return digits;
}

/** What follows the colon after a group: another group, a colon, or nothing at the end of the text. */
function afterColon(text: string, rest: string): string {
  if (rest === "") return rest;
  if (!rest.startsWith(":")) throw addressError(text, "unexpected character, want colon", rest);
  if (rest.length === 1) throw addressError(text, "colon must be followed by more characters", rest);
  return rest.slice(1);
}

function embeddedIpv4(text: string, rest: string, groups: number, gap: number): number[] {
  if (gap < 0 && groups !== 6) {
    throw addressError(text, "embedded IPv4 address must replace the final 2 fields of the address", rest);
  }
  if (groups > 6) {
    throw addressError(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest);
  }
  const value = parseIpv4(text, rest);
  return [Number(value >> 16n), Number(value & 0xffffn)];
}

function joinGroups(text: string, groups: readonly number[], gap: number): bigint {
  const missing = 8 - groups.length;
  if (missing > 0 && gap < 0) throw addressError(text, "address string too short");
  if (missing === 0 && gap >= 0)
    throw addressError(text, "the :: must expand to at least one field of zeros");
  const all =
    gap < 0 ? groups : [...groups.slice(0, gap), ...Array<number>(missing).fill(0), ...groups.slice(gap)];
  return all.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** `::ffff:1.2.3.4` and the like. */
export function isIpv4InIpv6({ bits, value }: IpAddress): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

/** The canonical text: IPv6 in lower case, its longest run of zeros as `::`. */
export function formatIpAddress({ bits, value, zone }: IpAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(":");
  const text =
    length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
  return zone === "" ? text : `${text}%${zone}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (groups[end] === 0) end++;
    if (end - i > best.length) best = { start: i, length: end - i };
  }
  return best;
}

/** @throws IpError */
export function parseIpPrefix(text: string): IpPrefix {
  const fail = (message: string): IpError => new IpError(`netip.ParsePrefix(${quote(text)}): ${message}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) throw fail("no '/'");
  const address = addressOfPrefix(text.slice(0, slash), fail);
  if (address.zone !== "") throw fail("IPv6 zones cannot be present in a prefix");
  const digits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d+)$/.test(digits)) throw fail(`bad bits after slash: ${quote(digits)}`);
  const length = Number(digits);
  if (length > address.bits) throw fail("prefix length out of range");
  return { address, length };
}

function addressOfPrefix(text: string, fail: (message: string) => IpError): IpAddress {
  try {
    return parseIpAddress(text);
  } catch (error) {
    if (error instanceof IpError) throw fail(error.message);
    throw error;
  }
}

/** The prefix with all bits beyond its length cleared. */
export function maskPrefix({ address, length }: IpPrefix): IpPrefix {
  const free = BigInt(address.bits - length);
  return { address: { ...address, value: (address.value >> free) << free }, length };
}

export function prefixContains({ address, length }: IpPrefix, other: IpAddress): boolean {
  if (other.bits !== address.bits || other.zone !== "") return false;
  const free = BigInt(address.bits - length);
  return address.value >> free === other.value >> free;
}
