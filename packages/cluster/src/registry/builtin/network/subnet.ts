import { isIP } from "node:net";

/** Whether `inner` is a smaller part of `outer`; both are valid CIDR texts. */
export function isStrictSubnet(inner: string, outer: string): boolean {
  const a = parse(inner);
  const b = parse(outer);
  if (a.bits !== b.bits || a.length <= b.length) return false;
  const shift = BigInt(b.bits - b.length);
  return a.address >> shift === b.address >> shift;
}

function parse(cidr: string): { address: bigint; length: number; bits: number } {
  const [ip = "", length = ""] = cidr.split("/");
  const address = isIP(ip) === 4 ? ipv4(ip) : ipv6(ip);
  return { address, length: Number(length), bits: isIP(ip) === 4 ? 32 : 128 };
}

function ipv4(ip: string): bigint {
  return ip.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function ipv6(ip: string): bigint {
  const [head = "", tail] = ip.split("::");
  const groups = (text: string): bigint[] =>
    text === ""
      ? []
      : text.split(":").flatMap((g) => (g.includes(".") ? halves(ipv4(g)) : [BigInt(`0x${g}`)]));
  const first = groups(head);
  const last = tail === undefined ? [] : groups(tail);
  const middle = Array.from({ length: 8 - first.length - last.length }, () => 0n);
  return [...first, ...middle, ...last].reduce((sum, group) => (sum << 16n) | group, 0n);
}

function halves(value: bigint): bigint[] {
  return [value >> 16n, value & 0xffffn];
}
