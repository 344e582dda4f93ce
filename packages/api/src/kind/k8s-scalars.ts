/** Values that Kubernetes has words for and Zod does not. */
import * as z from "zod";
import { quantityPattern, quantitySchema } from "./quantity-schema.ts";
import { markCheck } from "./zod/schema-mark.ts";

const quantityRegex = new RegExp(quantityPattern);

/** An amount such as `500m`, `1Gi` or `2`; read it with `parseQuantity`. */
export function quantity(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z
    .union([z.int(), z.string()])
    .check(
      markCheck<string | number>({ say: "schema", schema: quantitySchema }, (value) =>
        typeof value === "number" || quantityRegex.test(value)
          ? undefined
          : "must be a quantity such as 500m or 1Gi",
      ),
    );
}

/** A number or a text: a port by number or name, a count or a percentage. */
export function intOrString(): z.ZodUnion<readonly [z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}

/** A whole number of 64 bits. Beyond +-2^53 it is a bigint on reads, which Zod's `parse` refuses. */
export function int64(): z.ZodInt {
  return z.int().check(markCheck({ say: "keywords", keywords: { format: "int64" } }));
}

/** A time in RFC 3339 with any zone: `2026-12-01T03:35:43Z`. */
export function dateTime(): z.ZodString {
  return z
    .string()
    .check(
      markCheck<string>({ say: "keywords", keywords: { format: "date-time" } }, (value) =>
        /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(value)
          ? undefined
          : "must be a time such as 2026-12-01T03:35:43Z",
      ),
    );
}

const durationUnit = "(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)";
const durationPattern = `^[-+]?(?:0|(?:(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)${durationUnit})+)$`;
const durationRegex = new RegExp(durationPattern);

/** A time span as Go writes it: `1h30m`, `500ms`. */
export function duration(): z.ZodString {
  return z
    .string()
    .check(
      markCheck<string>({ say: "keywords", keywords: { pattern: durationPattern } }, (value) =>
        durationRegex.test(value) ? undefined : "must be a duration such as 1h30m or 500ms",
      ),
    );
}

/** The formats that an API server checks. */
export type StringFormat =
  | "bsonobjectid"
  | "uri"
  | "email"
  | "hostname"
  | "ipv4"
  | "ipv6"
  | "cidr"
  | "mac"
  | "uuid"
  | "uuid3"
  | "uuid4"
  | "uuid5"
  | "isbn"
  | "isbn10"
  | "isbn13"
  | "creditcard"
  | "ssn"
  | "hexcolor"
  | "rgbcolor"
  | "byte"
  | "password"
  | "date"
  | "duration"
  | "date-time"
  | "k8s-short-name"
  | "k8s-long-name";

/**
 * A string in one of the formats that an API server checks: `z.string().check(k8s.format("hostname"))`. Zod's own `parse`
 * does not check it.
 */
export function format(name: StringFormat): z.core.$ZodCheck<string> {
  return markCheck({ say: "keywords", keywords: { format: name } });
}
