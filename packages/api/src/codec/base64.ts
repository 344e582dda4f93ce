const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const valueOf: ReadonlyMap<string, number> = new Map(Array.from(digits, (digit, i) => [digit, i]));

/** Standard base64 with padding, as JSON holds bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b, c] = bytes.subarray(i, i + 3);
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    text += `${digits[bits >> 18]}${digits[(bits >> 12) & 63]}`;
    text += `${b === undefined ? "=" : digits[(bits >> 6) & 63]}${c === undefined ? "=" : digits[bits & 63]}`;
  }
  return text;
}

/** The bytes of standard base64; line breaks are skipped. Undefined when it is none. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const packed = text.replace(/[\r\n]/g, "");
  if (packed.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(packed)) return undefined;
  const length = packed.replace(/=+$/, "").length;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  let bits = 0;
  for (let i = 0, at = 0; i < length; i++) {
    bits = ((bits << 6) | (valueOf.get(packed[i] ?? "") ?? 0)) & 0xffffff;
    if (i % 4 > 0) bytes[at++] = (bits >> (6 - 2 * (i % 4))) & 0xff;
  }
  return bytes;
}
