/**
 * Why a CA bundle (base64 of PEM) cannot be used; undefined when it holds at least one certificate. Only the outer shape of
 * a certificate is looked at. Source: client-go transport.go (rootCertPool).
 */
export function caBundleError(caBundle: string): string | undefined {
  const prefix = "unable to load root certificates:";
  const pem = decodeText(caBundle) ?? "";
  const blocks = [...pem.matchAll(/^-----BEGIN ([^\n]*?)-----[\t\r ]*\n([\s\S]*?)^-----END \1-----/gm)];
  const certificates = blocks.filter(([, type, body = ""]) => type === "CERTIFICATE" && !body.includes(":"));
  if (certificates.some(([, , body = ""]) => isDerSequence(body))) return undefined;
  if (certificates.length > 0) return `${prefix} failed to parse certificate: x509: malformed certificate`;
  const rest = pem.slice(lastEnd(blocks)).trim();
  if (blocks.length === 0 || rest !== "") return `${prefix} unable to parse bytes as PEM block`;
  return `${prefix} no valid certificate authority data seen`;
}

function lastEnd(blocks: readonly RegExpMatchArray[]): number {
  const last = blocks.at(-1);
  return last === undefined ? 0 : (last.index ?? 0) + last[0].length;
}

/** Whether base64 text holds exactly one DER sequence of the length that its header says. */
function isDerSequence(text: string): boolean {
  const bytes = decodeText(text.replace(/\s+/g, ""));
  if (bytes === undefined || bytes.charCodeAt(0) !== 0x30) return false;
  const first = bytes.charCodeAt(1);
  if (first < 0x80) return bytes.length === first + 2;
  const count = first - 0x80;
  let length = 0;
  for (let i = 0; i < count; i++) length = length * 256 + bytes.charCodeAt(2 + i);
  return bytes.length === length + 2 + count;
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** One character per byte; undefined when the text is not base64. */
function decodeText(base64: string): string | undefined {
  const digits = base64.replace(/[\r\n]/g, "").replace(/={1,2}$/, "");
  if (/[^A-Za-z0-9+/]/.test(digits) || digits.length % 4 === 1) return undefined;
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const digit of digits) {
    buffer = (buffer << 6) | alphabet.indexOf(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    text += String.fromCharCode((buffer >> bits) & 0xff);
    buffer &= (1 << bits) - 1;
  }
  return text;
}
