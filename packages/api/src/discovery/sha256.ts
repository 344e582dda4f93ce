/**
 * SHA-256 without Node or a browser: this package has neither. Used for short texts (storage version hashes) and once per
 * published document. Source: FIPS 180-4.
 */

const roundConstants: Uint32Array = /* @__PURE__ */ fractions(64, 1 / 3);
const initialState: Uint32Array = /* @__PURE__ */ fractions(8, 1 / 2);

/** The 32 bytes of the digest of a text's UTF-8 form. */
export function sha256(text: string): Uint8Array {
  const message = padded(utf8(text));
  const state = initialState.slice();
  const schedule = new Uint32Array(64);
  for (let offset = 0; offset < message.length; offset += 64) compress(state, schedule, message, offset);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  state.forEach((word, index) => view.setUint32(index * 4, word));
  return digest;
}

/** The digest as upper-case hex, as the server's ETags and OpenAPI hashes are written. */
export function sha256Hex(text: string): string {
  return [...sha256(text)].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join("");
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Base64 of bytes, padded. */
export function base64(bytes: Uint8Array): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i] ?? 0, bytes[i + 1], bytes[i + 2]];
    const triple = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    out += `${base64Digits[triple >> 18]}${base64Digits[(triple >> 12) & 63]}`;
    out += b === undefined ? "=" : base64Digits[(triple >> 6) & 63];
    out += c === undefined ? "=" : base64Digits[triple & 63];
  }
  return out;
}

/** UTF-8 of a text; lone surrogates become U+FFFD. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (const char of text) {
    let code = char.codePointAt(0) ?? 0;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    if (code < 0x80) {
      bytes[length++] = code;
    } else if (code < 0x800) {
      bytes[length++] = 0xc0 | (code >> 6);
      bytes[length++] = 0x80 | (code & 63);
    } else if (code < 0x10000) {
      bytes[length++] = 0xe0 | (code >> 12);
      bytes[length++] = 0x80 | ((code >> 6) & 63);
      bytes[length++] = 0x80 | (code & 63);
    } else {
      bytes[length++] = 0xf0 | (code >> 18);
      bytes[length++] = 0x80 | ((code >> 12) & 63);
      bytes[length++] = 0x80 | ((code >> 6) & 63);
      bytes[length++] = 0x80 | (code & 63);
    }
  }
  return bytes.subarray(0, length);
}

/** The first 32 bits of the fractions of roots of the first primes. */
function fractions(count: number, exponent: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let candidate = 2, found = 0; found < count; candidate++) {
    if (isPrime(candidate)) words[found++] = (candidate ** exponent % 1) * 2 ** 32;
  }
  return words;
}

function isPrime(candidate: number): boolean {
  for (let divisor = 2; divisor * divisor <= candidate; divisor++)
    if (candidate % divisor === 0) return false;
  return true;
}

/** A 1 bit, zeros, and the length in bits, to a multiple of 64 bytes. */
function padded(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  out.set(bytes);
  out[bytes.length] = 0x80;
  const view = new DataView(out.buffer);
  view.setUint32(out.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(out.length - 4, (bytes.length * 8) >>> 0);
  return out;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function compress(state: Uint32Array, w: Uint32Array, message: Uint8Array, offset: number): void {
  for (let i = 0; i < 16; i++) {
    const at = offset + i * 4;
    w[i] =
      ((message[at] ?? 0) << 24) |
      ((message[at + 1] ?? 0) << 16) |
      ((message[at + 2] ?? 0) << 8) |
      (message[at + 3] ?? 0);
  }
  for (let i = 16; i < 64; i++) {
    const [early, late] = [w[i - 15] ?? 0, w[i - 2] ?? 0];
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    w[i] = (w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < 64; i++) {
    const big1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + big1 + choice + (roundConstants[i] ?? 0) + (w[i] ?? 0)) | 0;
    const big0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + big0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] ?? 0) + word;
  });
}
