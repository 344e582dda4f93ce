/** The few forms of ASN.1 DER that an X.509 certificate is made of. Source: ITU-T X.690. */

/** One element: tag, length, content. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), length(body.length), body]);
}

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits: number[] = [];
  for (let rest = bytes; rest > 0; rest >>>= 8) digits.unshift(rest & 0xff);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return element(0x31, ...parts);
}

/** A positive integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  const padded = ((bytes[0] ?? 0) & 0x80) === 0 ? bytes : Buffer.concat([Buffer.from([0]), bytes]);
  return element(0x02, padded);
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octetString(content: Uint8Array): Buffer {
  return element(0x04, content);
}

/** @param unusedBits how many of the last byte's low bits do not count */
export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), content);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

/** An object identifier from its dotted form: `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) digits.unshift(0x80 | (high & 0x7f));
    bytes.push(...digits);
  }
  return element(0x06, Buffer.from(bytes));
}

/** A point in time, milliseconds since 1970: UTCTime before 2050, GeneralizedTime after. */
export function time(milliseconds: number): Buffer {
  const date = new Date(milliseconds);
  const text = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(text.slice(2)))
    : element(0x18, Buffer.from(text));
}

function header(element: Buffer): { start: number; end: number } {
  const first = element[1] ?? 0;
  if (first < 0x80) return { start: 2, end: 2 + first };
  const count = first & 0x7f;
  const size = element.readUIntBE(2, count);
  return { start: 2 + count, end: 2 + count + size };
}

/** What is inside an element. */
export function content(element: Buffer): Buffer {
  const { start, end } = header(element);
  return element.subarray(start, end);
}

/** The elements that follow one another in some bytes. @throws RangeError when they end too early */
export function children(body: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let rest = body; rest.length > 0; ) {
    const { end } = header(rest);
    found.push(rest.subarray(0, end));
    rest = rest.subarray(end);
  }
  return found;
}
