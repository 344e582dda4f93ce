/**
 * The string formats that the API server enforces, by their name without dashes.
 * Source: kube-openapi pkg/validation/strfmt (default.go, kubernetes-extensions.go), govalidator.
 */
import { utf8Length } from "../object/validate-metadata.ts";
import { isEmail } from "./format-email.ts";
import { isCidr, isIpv4, isIpv6, isMac } from "./format-network.ts";
import { isDate, isDateTime, isDuration } from "./format-time.ts";
import { isRequestUri } from "./format-uri.ts";

const creditCard =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const colorPart = "(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";
const blank = "[\\t\\n\\f\\r ]*";
const rgb = new RegExp(
  `^rgb\\(${blank}${colorPart}${blank},${blank}${colorPart}${blank},${blank}${colorPart}${blank}\\)$`,
);
const hostLabel =
  /^(?:[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?|(?:[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?\.)+[a-zA-Z\p{L}]{2,63})$/u;
const shortName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const longName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

function matching(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

export const stringFormats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["bsonobjectid", matching(/^[0-9a-fA-F]{24}$/)],
  ["byte", matching(base64)],
  ["cidr", isCidr],
  ["creditcard", isCreditCard],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["email", isEmail],
  ["hexcolor", matching(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  ["hostname", isHostname],
  ["ipv4", isIpv4],
  ["ipv6", isIpv6],
  ["isbn", (text: string) => isIsbn10(text) || isIsbn13(text)],
  ["isbn10", isIsbn10],
  ["isbn13", isIsbn13],
  ["k8slongname", (text: string) => text.length <= 253 && longName.test(text)],
  ["k8sshortname", (text: string) => text.length <= 63 && shortName.test(text)],
  ["mac", isMac],
  ["password", () => true],
  ["rgbcolor", matching(rgb)],
  ["ssn", (text: string) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ["uri", isRequestUri],
  ["uuid", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid3", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ["uuid4", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ["uuid5", matching(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
]);

/** Any characters may stand between the digits; the last digit checks the others (Luhn). */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, "");
  if (!creditCard.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const weighted = i % 2 === 0 ? digit : digit * 2;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "");
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, i) => total + (i + 1) * (digit === "X" ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\t\n\f\r -]+/g, "");
  if (!/^[0-9]{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + (i % 2 === 0 ? 1 : 3) * Number(digit), 0);
  return sum % 10 === 0;
}

/** Lengths count bytes of UTF-8. */
function isHostname(text: string): boolean {
  if (!hostLabel.test(text)) return false;
  return utf8Length(text) <= 255 && text.split(".").every((label) => utf8Length(label) <= 63);
}
