/** Values in the texts of the API server look as Go prints them. */

/** A float64 as Go's `%v` prints it: `1.5`, `123456`, `1e+06`, `1.2345678e+07`, `1e-05`. Source: strconv FormatFloat 'g'. */
export function goFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const [mantissa = "0", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(value);
  const digits = String(Math.abs(exponent)).padStart(2, "0");
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${digits}`;
}

/** A number of a JSON value: integers that fit 64 bits in digits, others as {@link goFloat}. */
export function goNumber(value: number | bigint): string {
  if (typeof value === "bigint")
    return BigInt.asIntN(64, value) === value ? String(value) : goFloat(Number(value));
  const exact = Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
  return exact ? String(value === 0 ? 0 : value) : goFloat(value);
}

const htmlEscapes: Record<string, string> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** A JSON value as Go's `%v` prints it: `[a b]`, `map[a:1]`, `<nil>`. */
export function goValue(value: unknown): string {
  if (value === null || value === undefined) return "<nil>";
  if (typeof value === "number" || typeof value === "bigint") return goNumber(value);
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (typeof value !== "object") return String(value);
  const object = value as Record<string, unknown>;
  const fields = Object.keys(object).sort(compareCodePoints);
  return `map[${fields.map((key) => `${key}:${goValue(object[key])}`).join(" ")}]`;
}

/** An object that is a struct in the server: its fields keep their order, and undefined ones are left out. */
export function goStruct(fields: Record<string, unknown>): unknown {
  return new GoStruct(fields);
}

/** The fields of such a struct; undefined for anything else. */
export function goStructFields(value: unknown): Record<string, unknown> | undefined {
  return value instanceof GoStruct ? value.fields : undefined;
}

class GoStruct {
  readonly fields: Record<string, unknown>;

  constructor(fields: Record<string, unknown>) {
    this.fields = fields;
  }

  toJSON(): Record<string, unknown> {
    return this.fields;
  }
}

/** JSON as Go's encoder writes a map: keys sorted, `<`, `>` and `&` escaped. Source: encoding/json Marshal. */
export function goJson(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return goJsonString(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(goJson).join(",")}]`;
  const object = value instanceof GoStruct ? value.fields : (value as Record<string, unknown>);
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  if (!(value instanceof GoStruct)) keys.sort(compareCodePoints);
  return `{${keys.map((key) => `${goJsonString(key)}:${goJson(object[key])}`).join(",")}}`;
}

/** The order of Go strings, which is that of their UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const surrogates = x >= 0xd800 && y >= 0xd800 && (x < 0xe000 || y < 0xe000);
    return surrogates ? (a.codePointAt(i) ?? 0) - (b.codePointAt(i) ?? 0) : x - y;
  }
  return a.length - b.length;
}

function goJsonString(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => htmlEscapes[char] ?? char);
}
