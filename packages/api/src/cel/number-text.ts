/** Numbers as Go writes and reads them. Source: Go strconv. */

/** Reads what `strconv.ParseFloat` reads, out of range giving an infinity; undefined for other text. */
export function parseDouble(text: string): number | undefined {
  const special = /^([+-]?)(?:inf|infinity)$/i.exec(text);
  if (special !== null) return special[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(text)) return Number.NaN;
  if (!underscoresSeparateDigits(text)) return undefined;
  const plain = text.replaceAll("_", "");
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return Number(plain);
  return parseHexDouble(plain);
}

function underscoresSeparateDigits(text: string): boolean {
  return (
    !text.includes("_") || /^[+-]?(?:0x_?)?[0-9a-f.]+(?:_[0-9a-f.]+)*(?:[ep][+-]?\d+(?:_\d+)*)?$/i.test(text)
  );
}

function parseHexDouble(text: string): number | undefined {
  const match = /^([+-]?)0x([0-9a-f]*)\.?([0-9a-f]*)p([+-]?\d+)$/i.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  if (whole + fraction === "") return undefined;
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === "-" ? -value : value;
}

/** `%g`: the shortest text that reads back as the same number; `1e+06` from a million on. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return specialDouble(value);
  const [digits, exponent] = shortestDigits(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (value === 0) return `${sign}0`;
  return (
    sign + (exponent < -4 || exponent >= 6 ? exponential(digits, exponent) : positional(digits, exponent))
  );
}

/** `%f` with the shortest digits: never an exponent. */
export function formatDoublePlain(value: number): string {
  if (!Number.isFinite(value)) return specialDouble(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits, exponent] = shortestDigits(value);
  return (value < 0 ? "-" : "") + positional(digits, exponent);
}

function specialDouble(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** The shortest significant digits and the decimal exponent of the first of them. */
function shortestDigits(value: number): [string, number] {
  const [mantissa = "0", exponent = "0"] = Math.abs(value).toExponential().split("e");
  return [mantissa.replace(".", ""), Number(exponent)];
}

function exponential(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  const size = Math.abs(exponent);
  return `${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
}

function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${"0".repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  const fraction = digits.slice(exponent + 1);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** As many digits as JavaScript prints: no double that is halfway has more. */
const exactDigits: number = 100;

/** `toFixed` that rounds what is exactly halfway to the even digit, as Go does. For 0 to 100 digits, below 1e21. */
export function fixedDecimals(value: number, digits: number): string {
  const halfway =
    digits < 100 ? exactlyHalfway(value.toFixed(digits + 1), value.toFixed(exactDigits)) : undefined;
  return halfway ?? value.toFixed(digits);
}

/** `toExponential`, likewise. */
export function exponentialDecimals(value: number, digits: number): [mantissa: string, exponent: number] {
  const split = (text: string): [string, string] => text.split("e") as [string, string];
  const [mantissa, exponent] = split(value.toExponential(digits));
  const [next, nextExponent] = split(value.toExponential(digits + 1));
  const halfway = exactlyHalfway(next, split(value.toExponential(exactDigits))[0]);
  return halfway === undefined ? [mantissa, Number(exponent)] : [halfway, Number(nextExponent)];
}

/** The text without its last digit when that is an exact 5 after an even digit. */
function exactlyHalfway(text: string, exact: string): string | undefined {
  if (!text.endsWith("5") || exact !== text.padEnd(exact.length, "0")) return undefined;
  const shorter = text.slice(0, -1).replace(/\.$/, "");
  return /[02468]$/.test(shorter) ? shorter : undefined;
}
