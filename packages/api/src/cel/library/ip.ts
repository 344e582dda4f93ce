/** IP addresses and CIDR ranges. Source: Kubernetes' apiserver pkg/cel/library (ip.go, cidr.go), pkg/cel (ip.go, cidr.go). */
import { quote } from "../../status/field-error.ts";
import type { CelLibrary } from "../environment.ts";
import { declare, memberOverload, overload } from "../function.ts";
import {
  formatIpAddress,
  type IpAddress,
  IpError,
  type IpPrefix,
  isIpv4InIpv6,
  maskPrefix,
  parseIpAddress,
  parseIpPrefix,
  prefixContains,
} from "../ip-address.ts";
import { type CelType, celTypes, opaqueType } from "../type.ts";
import { CelError, CelObject, type CelValue, noSuchOverload } from "../value.ts";

const { bool, int, string } = celTypes;
const ipType: CelType = opaqueType("net.IP");
const cidrType: CelType = opaqueType("net.CIDR");

class CelIp extends CelObject {
  readonly address: IpAddress;
  constructor(address: IpAddress) {
    super();
    this.address = address;
  }
  get type(): CelType {
    return ipType;
  }
  override get costSize(): number {
    return this.address.bits / 8;
  }
  equals(other: CelValue): boolean {
    if (!(other instanceof CelIp)) throw noSuchOverload();
    return this.address.bits === other.address.bits && this.address.value === other.address.value;
  }
}

class CelCidr extends CelObject {
  readonly prefix: IpPrefix;
  constructor(prefix: IpPrefix) {
    super();
    this.prefix = prefix;
  }
  get type(): CelType {
    return cidrType;
  }
  override get costSize(): number {
    return Math.ceil(this.prefix.length / 8);
  }
  equals(other: CelValue): boolean {
    if (!(other instanceof CelCidr)) throw noSuchOverload();
    const { address, length } = this.prefix;
    const theirs = other.prefix;
    return (
      length === theirs.length &&
      address.bits === theirs.address.bits &&
      address.value === theirs.address.value
    );
  }
}

function parse<T>(parser: () => T, message: (reason: string) => string): T {
  try {
    return parser();
  } catch (error) {
    if (error instanceof IpError) throw new CelError(message(error.message));
    throw error;
  }
}

function parseIp(value: CelValue | undefined): CelIp {
  const text = value as string;
  const shown = quote(text);
  const address = parse(
    () => parseIpAddress(text),
    (reason) => `IP Address ${shown} parse error during conversion from string: ${reason}`,
  );
  if (address.zone !== "") throw new CelError(`IP address ${shown} with zone value is not allowed`);
  if (isIpv4InIpv6(address)) throw new CelError(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  return new CelIp(address);
}

function parseCidr(value: CelValue | undefined): CelCidr {
  const text = value as string;
  const prefixed = "network address parse error during conversion from string: ";
  const prefix = parse(
    () => parseIpPrefix(text),
    (reason) => prefixed + prefixed + reason,
  );
  if (isIpv4InIpv6(prefix.address)) {
    throw new CelError(`${prefixed}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return new CelCidr(prefix);
}

function succeeds(parser: (value: CelValue | undefined) => unknown, value: CelValue | undefined): boolean {
  try {
    parser(value);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

const ip = (value: CelValue | undefined): IpAddress => (value as CelIp).address;
const cidr = (value: CelValue | undefined): IpPrefix => (value as CelCidr).prefix;

/** The first bits of an address, as a number. */
function head(address: IpAddress, bits: number): bigint {
  return address.value >> BigInt(address.bits - bits);
}

function isUnspecified(address: IpAddress): boolean {
  return address.value === 0n;
}

function isLoopback(address: IpAddress): boolean {
  return address.bits === 32 ? head(address, 8) === 127n : address.value === 1n;
}

function isMulticast(address: IpAddress): boolean {
  return address.bits === 32 ? head(address, 4) === 0xen : head(address, 8) === 0xffn;
}

function isLinkLocalMulticast(address: IpAddress): boolean {
  return address.bits === 32 ? head(address, 24) === 0xe00000n : (head(address, 16) & 0xff0fn) === 0xff02n;
}

function isLinkLocalUnicast(address: IpAddress): boolean {
  return address.bits === 32 ? head(address, 16) === 0xa9fen : head(address, 10) === 0x3fan;
}

function isGlobalUnicast(address: IpAddress): boolean {
  const isBroadcast = address.bits === 32 && address.value === 0xffffffffn;
  const isSpecial = isUnspecified(address) || isBroadcast || isLoopback(address) || isMulticast(address);
  return !isSpecial && !isLinkLocalUnicast(address);
}

function test(
  name: string,
  id: string,
  holds: (address: IpAddress) => boolean,
): CelLibrary["functions"][number] {
  return declare(
    name,
    memberOverload(id, [ipType], bool, (value) => holds(ip(value))),
  );
}

export const ipLibrary: CelLibrary = {
  types: [ipType],
  functions: [
    declare("ip", overload("string_to_ip", [string], ipType, parseIp)),
    declare(
      "family",
      memberOverload("ip_family", [ipType], int, (value) => (ip(value).bits === 32 ? 4 : 6)),
    ),
    declare(
      "ip.isCanonical",
      overload("ip_is_canonical", [string], bool, (text) => formatIpAddress(parseIp(text).address) === text),
    ),
    test("isUnspecified", "ip_is_unspecified", isUnspecified),
    test("isLoopback", "ip_is_loopback", isLoopback),
    test("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    test("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    test("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    declare(
      "isIP",
      overload("is_ip", [string], bool, (text) => succeeds(parseIp, text)),
    ),
    declare(
      "string",
      overload("ip_to_string", [ipType], string, (value) => formatIpAddress(ip(value))),
    ),
  ],
};

function containsCidr(outer: CelValue | undefined, inner: IpPrefix): boolean {
  const range = cidr(outer);
  return range.length <= inner.length && prefixContains(range, inner.address);
}

/** Text that is no address is a wrong argument here, not a failed conversion. */
function containsText(range: Parameters<typeof prefixContains>[0], text: CelValue): boolean {
  let address: ReturnType<typeof parseIp>;
  try {
    address = parseIp(text);
  } catch (error) {
    throw error instanceof CelError ? noSuchOverload() : error;
  }
  return prefixContains(range, address.address);
}

export const cidrLibrary: CelLibrary = {
  types: [cidrType],
  functions: [
    declare("cidr", overload("string_to_cidr", [string], cidrType, parseCidr)),
    declare(
      "containsIP",
      memberOverload("cidr_contains_ip_string", [cidrType, string], bool, (range, text) =>
        containsText(cidr(range), text),
      ),
      memberOverload("cidr_contains_ip_ip", [cidrType, ipType], bool, (range, value) =>
        prefixContains(cidr(range), ip(value)),
      ),
    ),
    declare(
      "containsCIDR",
      memberOverload("cidr_contains_cidr_string", [cidrType, string], bool, (outer, text) =>
        containsCidr(outer, parseCidr(text).prefix),
      ),
      memberOverload("cidr_contains_cidr", [cidrType, cidrType], bool, (outer, inner) =>
        containsCidr(outer, cidr(inner)),
      ),
    ),
    declare(
      "ip",
      memberOverload("cidr_ip", [cidrType], ipType, (range) => new CelIp(cidr(range).address)),
    ),
    declare(
      "prefixLength",
      memberOverload("cidr_prefix_length", [cidrType], int, (range) => cidr(range).length),
    ),
    declare(
      "masked",
      memberOverload("cidr_masked", [cidrType], cidrType, (range) => new CelCidr(maskPrefix(cidr(range)))),
    ),
    declare(
      "isCIDR",
      overload("is_cidr", [string], bool, (text) => succeeds(parseCidr, text)),
    ),
    declare(
      "string",
      overload("cidr_to_string", [cidrType], string, (range) => {
        const { address, length } = cidr(range);
        return `${formatIpAddress(address)}/${length}`;
      }),
    ),
  ],
};
