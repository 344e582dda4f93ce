/** Functions of sprig that templates of objects use. Source of the rules: Masterminds/sprig v3. */
import { createHash } from "node:crypto";
import { encodeYaml, jsonEqual } from "@bowline/api";
import { isTruthy } from "./go-expression.ts";
import type { TemplateFunctions } from "./go-template.ts";

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const numberOf = (value: unknown): number => Number(value) || 0;
const wholeOf = (value: unknown): number => Math.trunc(numberOf(value));
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : Object.values((value ?? {}) as object);
const mapOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
const same = (a: unknown, b: unknown): boolean => jsonEqual((a ?? null) as never, (b ?? null) as never);
const padded = (value: unknown, columns: unknown): string =>
  textOf(value).replace(/^/gm, " ".repeat(wholeOf(columns)));

const numbers: TemplateFunctions = {
  int: wholeOf,
  int64: wholeOf,
  float64: numberOf,
  add: (...all) => all.reduce((sum: number, value) => sum + numberOf(value), 0),
  add1: (value) => numberOf(value) + 1,
  sub: (a, b) => numberOf(a) - numberOf(b),
  mul: (...all) => all.reduce((product: number, value) => product * numberOf(value), 1),
  div: (a, b) => Math.trunc(numberOf(a) / numberOf(b)),
  mod: (a, b) => wholeOf(a) % wholeOf(b),
  max: (...all) => Math.max(...all.map(numberOf)),
  min: (...all) => Math.min(...all.map(numberOf)),
  ceil: (value) => Math.ceil(numberOf(value)),
  floor: (value) => Math.floor(numberOf(value)),
  until: (count) => Array.from({ length: Math.max(0, wholeOf(count)) }, (_, at) => at),
};

const texts: TemplateFunctions = {
  quote: (value) => JSON.stringify(textOf(value)),
  squote: (value) => `'${textOf(value)}'`,
  toString: textOf,
  lower: (value) => textOf(value).toLowerCase(),
  upper: (value) => textOf(value).toUpperCase(),
  title: (value) => textOf(value).replace(/(^|\s)\S/g, (start) => start.toUpperCase()),
  trim: (value) => textOf(value).trim(),
  trimPrefix: (part, value) =>
    textOf(value).startsWith(textOf(part)) ? textOf(value).slice(textOf(part).length) : textOf(value),
  trimSuffix: (part, value) =>
    textOf(value).endsWith(textOf(part))
      ? textOf(value).slice(0, textOf(value).length - textOf(part).length)
      : textOf(value),
  trunc: (count, value) =>
    wholeOf(count) < 0 ? textOf(value).slice(wholeOf(count)) : textOf(value).slice(0, wholeOf(count)),
  contains: (part, value) => textOf(value).includes(textOf(part)),
  hasPrefix: (part, value) => textOf(value).startsWith(textOf(part)),
  hasSuffix: (part, value) => textOf(value).endsWith(textOf(part)),
  replace: (from, to, value) => textOf(value).replaceAll(textOf(from), textOf(to)),
  repeat: (count, value) => textOf(value).repeat(Math.max(0, wholeOf(count))),
  splitList: (by, value) => textOf(value).split(textOf(by)),
  join: (by, value) => listOf(value).map(textOf).join(textOf(by)),
  indent: (columns, value) => padded(value, columns),
  nindent: (columns, value) => `\n${padded(value, columns)}`,
  b64enc: (value) => Buffer.from(textOf(value)).toString("base64"),
  b64dec: (value) => Buffer.from(textOf(value), "base64").toString(),
  sha256sum: (value) => createHash("sha256").update(textOf(value)).digest("hex"),
};

const values: TemplateFunctions = {
  default: (fallback, value) => (isTruthy(value) ? value : fallback),
  empty: (value) => !isTruthy(value),
  coalesce: (...all) => all.find(isTruthy),
  ternary: (yes, no, value) => (isTruthy(value) ? yes : no),
  fail: (why) => {
    throw new Error(textOf(why));
  },
  list: (...all) => all,
  first: (value) => listOf(value)[0],
  last: (value) => listOf(value).at(-1),
  append: (value, item) => [...listOf(value), item],
  concat: (...all) => all.flatMap(listOf),
  uniq: (value) => listOf(value).filter((one, at, all) => all.findIndex((other) => same(one, other)) === at),
  has: (item, value) => listOf(value).some((one) => same(one, item)),
  dict: (...all) =>
    Object.fromEntries(all.flatMap((key, i) => (i % 2 === 0 ? [[textOf(key), all[i + 1]]] : []))),
  get: (value, key) => mapOf(value)[textOf(key)] ?? "",
  hasKey: (value, key) => Object.hasOwn(mapOf(value), textOf(key)),
  keys: (value) => Object.keys(mapOf(value)).sort(),
  values: (value) => Object.values(mapOf(value)),
  merge: (...all) => Object.assign({}, ...[...all].reverse().map(mapOf)) as unknown,
  toJson: (value) => JSON.stringify(value ?? null),
  fromJson: (value) => JSON.parse(textOf(value)) as unknown,
  toYaml: (value) => encodeYaml(value as never).trimEnd(),
};

export const sprigFunctions: TemplateFunctions = { ...numbers, ...texts, ...values };
