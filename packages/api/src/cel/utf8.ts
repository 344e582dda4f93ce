/** UTF-8, by hand: this package may not use TextEncoder, which is no part of the language. */

/** The UTF-8 bytes of a string; a lone surrogate becomes the replacement character. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const char of text) {
    let code = char.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    else {
      bytes.push(
        0xf0 | (code >> 18),
        0x80 | ((code >> 12) & 63),
        0x80 | ((code >> 6) & 63),
        0x80 | (code & 63),
      );
    }
  }
  return Uint8Array.from(bytes);
}

/** The string of UTF-8 bytes; undefined when they are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  let text = "";
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i] as number;
    if (first < 0x80) {
      text += String.fromCharCode(first);
      i++;
      continue;
    }
    const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    const code = decodeOne(bytes, i, length);
    if (code === undefined) return undefined;
    text += String.fromCodePoint(code);
    i += length;
  }
  return text;
}

const smallest = [0, 0, 0x80, 0x800, 0x10000];

function decodeOne(bytes: Uint8Array, at: number, length: number): number | undefined {
  const first = bytes[at] as number;
  if (first < 0xc2 || first > 0xf4 || at + length > bytes.length) return undefined;
  let code = first & (0xff >> (length + 1));
  for (let i = 1; i < length; i++) {
    const next = bytes[at + i] as number;
    if ((next & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (next & 63);
  }
  const valid = code >= (smallest[length] as number) && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return valid ? code : undefined;
}
