/**
 * What an unquoted YAML scalar means to Kubernetes' parser, which reads YAML 1.1 with exceptions.
 * Source of the rules: go.yaml.in/yaml/v2 (resolve.go).
 */
export type YamlScalar =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "null"; readonly value: null }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "int"; readonly value: number | bigint }
  | { readonly type: "float"; readonly value: number }
  | { readonly type: "timestamp"; readonly value: string };

const words: ReadonlyMap<string, YamlScalar> = new Map([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(word(true)),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(word(false)),
  ...["", "~", "null", "Null", "NULL"].map((text): [string, YamlScalar] => [
    text,
    { type: "null", value: null },
  ]),
  ...[".nan", ".NaN", ".NAN"].map(float(Number.NaN)),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map(float(Number.POSITIVE_INFINITY)),
  ...["-.inf", "-.Inf", "-.INF"].map(float(Number.NEGATIVE_INFINITY)),
]);

function word(value: boolean): (text: string) => [string, YamlScalar] {
  return (text) => [text, { type: "bool", value }];
}

function float(value: number): (text: string) => [string, YamlScalar] {
  return (text) => [text, { type: "float", value }];
}

const floatForm = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const timestampForms: readonly RegExp[] = [
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})$/,
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2}) ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?$/,
  /^[0-9]{4}-([0-9]{1,2})-([0-9]{1,2})[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/,
];

/** Resolves a plain scalar. */
export function resolveScalar(text: string): YamlScalar {
  const known = words.get(text);
  if (known !== undefined) return known;
  const first = text[0] ?? "";
  if (first === ".") return floatForm.test(text) ? floatOf(text, text) : { type: "string", value: text };
  if (!/[0-9+-]/.test(first)) return { type: "string", value: text };
  if (isTimestamp(text)) return { type: "timestamp", value: text };
  return resolveNumber(text);
}

function resolveNumber(text: string): YamlScalar {
  const plain = text.replaceAll("_", "");
  const integer = parseInteger(plain);
  if (integer !== undefined) return { type: "int", value: integer };
  return floatForm.test(plain) ? floatOf(plain, text) : { type: "string", value: text };
}

function floatOf(plain: string, text: string): YamlScalar {
  const value = Number(plain);
  return Number.isFinite(value) ? { type: "float", value } : { type: "string", value: text };
}

/** Integers as Go's ParseInt with base 0 reads them: 0x, 0o, 0b and a leading 0 for octal; up to 64 bits, signed or not. */
function parseInteger(text: string): number | bigint | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9][0-9]*|0))$/.exec(text);
  if (match === null) return undefined;
  const [, sign = "", hex, binary, octal, decimal] = match;
  const digits = hex === undefined ? (binary === undefined ? octal : `b${binary}`) : `x${hex}`;
  const size =
    decimal === undefined ? BigInt(octal === undefined ? `0${digits}` : `0o${octal}`) : BigInt(decimal);
  const value = sign === "-" ? -size : size;
  const fits = value >= -(2n ** 63n) && value < (sign === "" ? 2n ** 64n : 2n ** 63n);
  if (!fits) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function isTimestamp(text: string): boolean {
  return timestampForms.some((form) => {
    const match = form.exec(text);
    if (match === null) return false;
    const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
    const year = Number(text.slice(0, 4));
    const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
    return month >= 1 && month <= 12 && day >= 1 && day <= days && hour < 24 && minute < 60 && second < 60;
  });
}

/** Whether a text would be read as something else than this very text if it stood there without quotes. */
export function needsQuotes(text: string): boolean {
  return resolveScalar(text).type !== "string" || base60.test(text);
}

/** Numbers like 12:30, which other YAML 1.1 parsers read in base 60. */
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
