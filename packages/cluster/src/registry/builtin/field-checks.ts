/**
 * Checks that many kinds share. Source: kubernetes pkg/apis/core/validation, apimachinery pkg/util/validation and
 * pkg/apis/meta/v1/validation.
 */
import { isIP } from "node:net";
import {
  type LabelSelector,
  type Quantity,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  jsonEqual,
  labelValueErrors,
  parseQuantity,
  qualifiedNameErrors,
  quantityText,
} from "@bowline/api";
import type { FieldProblems } from "./field-problems.ts";

const negative = "must be greater than or equal to 0";

export function checkNonNegative(problems: FieldProblems, field: string, value: number | undefined): void {
  if (value !== undefined && value < 0) problems.invalid(field, value, negative);
}

export function checkPositive(problems: FieldProblems, field: string, value: number | undefined): void {
  if (value !== undefined && value <= 0) problems.invalid(field, value, "must be greater than zero");
}

export function checkImmutable(problems: FieldProblems, field: string, value: unknown, old: unknown): void {
  if (!same(value, old)) problems.invalid(field, value ?? null, "field is immutable");
}

/** Deep equality where a missing field, null and an empty list or map are the same, as in the real server's comparisons. */
export function same(a: unknown, b: unknown): boolean {
  return jsonEqual((bare(a) ?? null) as never, (bare(b) ?? null) as never);
}

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (typeof value !== "object" || value === null) return value ?? undefined;
  for (const _key in value) return value;
  return undefined;
}

export function checkDnsLabel(problems: FieldProblems, field: string, value: string): void {
  problems.allInvalid(field, value, dns1123LabelErrors(value));
}

export function checkDnsSubdomain(problems: FieldProblems, field: string, value: string): void {
  problems.allInvalid(field, value, dns1123SubdomainErrors(value));
}

/** Qualified names, and keys of labels. */
export function checkQualifiedName(problems: FieldProblems, field: string, value: string): void {
  problems.allInvalid(field, value, qualifiedNameErrors(value));
}

export function checkOneOf(
  problems: FieldProblems,
  field: string,
  value: string | undefined,
  supported: readonly string[],
): void {
  if (value !== undefined && !supported.includes(value)) problems.notSupported(field, value, supported);
}

/** As `checkOneOf`, for fields that must be set. */
export function checkRequiredOneOf(
  problems: FieldProblems,
  field: string,
  value: string | undefined,
  supported: readonly string[],
): void {
  if (value === undefined || value === "") problems.required(field);
  else checkOneOf(problems, field, value, supported);
}

export function checkLabels(
  problems: FieldProblems,
  field: string,
  labels: Readonly<Record<string, string>> | undefined,
): void {
  for (const key in labels) {
    problems.allInvalid(field, key, qualifiedNameErrors(key));
    problems.allInvalid(field, labels[key], labelValueErrors(labels[key] ?? ""));
  }
}

const annotationBytesMax = 256 * 1024;

export function checkAnnotations(
  problems: FieldProblems,
  field: string,
  annotations: Readonly<Record<string, string>> | undefined,
): void {
  let bytes = 0;
  for (const key in annotations) {
    problems.allInvalid(field, key, qualifiedNameErrors(key.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
  }
  if (bytes > annotationBytesMax) problems.tooLong(field, annotationBytesMax);
}

type Selector = {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[] | undefined;
  }[];
};

/** A LabelSelector, if it is there. */
export function checkLabelSelector(
  problems: FieldProblems,
  field: string,
  selector: Selector | LabelSelector | undefined,
): void {
  if (selector === undefined) return;
  checkLabels(problems, `${field}.matchLabels`, selector.matchLabels as Selector["matchLabels"]);
  const requirements = (selector as Selector).matchExpressions ?? [];
  requirements.forEach(({ key, operator, values = [] }, i) => {
    const path = `${field}.matchExpressions[${i}]`;
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0) {
        problems.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
      }
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0) {
        problems.forbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        );
      }
    } else problems.invalid(`${path}.operator`, operator, "not a valid selector operator");
    checkQualifiedName(problems, `${path}.key`, key);
    values.forEach((value, j) => {
      problems.allInvalid(`${path}.values[${j}]`, value, labelValueErrors(value));
    });
  });
}

export function isEmptySelector(selector: Selector | undefined): boolean {
  if (selector === undefined) return true;
  for (const _key in selector.matchLabels) return false;
  return (selector.matchExpressions?.length ?? 0) === 0;
}

export function checkPortNumber(problems: FieldProblems, field: string, port: number): void {
  if (port < 1 || port > 65535) problems.invalid(field, port, "must be between 1 and 65535, inclusive");
}

export function portNameErrors(name: string): string[] {
  const errors: string[] = [];
  if (name.length > 15) errors.push("must be no more than 15 characters");
  if (!/^[-a-z0-9]+$/.test(name)) {
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (!/[a-z]/.test(name)) errors.push("must contain at least one letter (a-z)");
  if (name.includes("--")) errors.push("must not contain consecutive hyphens");
  if (name.startsWith("-") || name.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

export function checkPortNumberOrName(
  problems: FieldProblems,
  field: string,
  port: number | string | undefined,
): void {
  if (typeof port === "string") problems.allInvalid(field, port, portNameErrors(port));
  else checkPortNumber(problems, field, port ?? 0);
}

/** Keys of ConfigMaps and Secrets. */
export function configKeyErrors(key: string): string[] {
  const errors: string[] = [];
  if (key.length > 253) errors.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    errors.push(
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
    );
  }
  if (key === ".") errors.push("must not be '.'");
  if (key === "..") errors.push("must not be '..'");
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

export function httpHeaderNameErrors(name: string): string[] {
  if (/^[-A-Za-z0-9]+$/.test(name)) return [];
  return [
    "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  ];
}

/** A quantity that decoding has accepted. */
export function quantityOf(value: string | number | undefined): Quantity {
  return parseQuantity(value ?? "0");
}

/** The canonical text of a quantity, as messages show it. */
export function quantityShown(value: string | number | undefined): string {
  return quantityText(quantityOf(value));
}

/** A list of strings without doubles. */
export function isSameSet(a: readonly string[] = [], b: readonly string[] = []): boolean {
  const first = new Set(a);
  const second = new Set(b);
  return first.size === second.size && [...first].every((item) => second.has(item));
}

const ipText = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const cidrText = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** An IP address of either family. Source: apimachinery pkg/util/validation/ip.go. */
export function checkIp(problems: FieldProblems, field: string, ip: string): boolean {
  if (isIP(ip) !== 0) return true;
  problems.invalid(field, ip, ipText);
  return false;
}

export function checkCidr(problems: FieldProblems, field: string, cidr: string): boolean {
  if (isCidr(cidr)) return true;
  problems.invalid(field, cidr, cidrText);
  return false;
}

function isCidr(cidr: string): boolean {
  const found = /^(.+)\/(\d{1,3})$/.exec(cidr);
  const family = isIP(found?.[1] ?? "");
  return family !== 0 && Number(found?.[2]) <= (family === 4 ? 32 : 128);
}

/** Addresses that mean the machine itself or its neighbours are of no use to others. */
export function checkNonSpecialIp(problems: FieldProblems, field: string, ip: string): void {
  if (isIP(ip) === 0) return problems.invalid(field, ip, "must be a valid IP address");
  if (ip === "0.0.0.0" || /^[0:]+$/.test(ip)) problems.invalid(field, ip, `may not be unspecified (${ip})`);
  if (ip.startsWith("127.") || /^[0:]*:1$/.test(ip))
    problems.invalid(field, ip, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (ip.startsWith("169.254.") || /^fe[89ab][0-9a-f]:/i.test(ip))
    problems.invalid(field, ip, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (ip.startsWith("224.0.0.") || /^ff02:/i.test(ip))
    problems.invalid(field, ip, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}
