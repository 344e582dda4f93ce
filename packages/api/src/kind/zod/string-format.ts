/**
 * Zod's string formats. Zod's own pattern says exactly what Zod accepts; a format of the API server is added where it
 * accepts at least as much, because it names the intent in `kubectl explain` and in error messages.
 */
import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Conversion } from "./conversion.ts";
import { escapeForRe2, re2Pattern } from "./re2-pattern.ts";

/** How one of Zod's formats converts. Formats that are not listed convert by their pattern alone. */
type FormatPlan =
  /** The server's format beside Zod's pattern. */
  | { readonly format: string }
  /** An equal schema where Zod's pattern is not RE2 or where Zod checks by code. */
  | { readonly schema: Readonly<JsonSchema> }
  | { readonly refusal: string };

const dateParts = "(?:\\d+Y(?:\\d+M)?(?:\\d+D)?|\\d+M(?:\\d+D)?|\\d+D)";
const seconds = "\\d+(?:[.,]\\d+)?S";
const timeParts = `T(?:\\d+H(?:\\d+M)?(?:${seconds})?|\\d+M(?:${seconds})?|${seconds})`;

const plans: Readonly<Record<string, FormatPlan>> = {
  // The server reads 01.2.3.4, and Zod does not.
  ipv4: { format: "ipv4" },
  ipv6: { format: "ipv6" },
  cidrv4: { format: "cidr" },
  cidrv6: { format: "cidr" },
  email: { format: "email" },
  uuid: { format: "uuid" },
  guid: { format: "uuid" },
  datetime: { format: "date-time" },
  date: { format: "date" },
  duration: { schema: { pattern: `^P(?:\\d+W|${dateParts}(?:${timeParts})?|${timeParts})$` } },
  base64: { schema: { pattern: "^(?:[0-9a-zA-Z+/]{4})*(?:[0-9a-zA-Z+/]{2}==|[0-9a-zA-Z+/]{3}=)?$" } },
  base64url: { schema: { pattern: "^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-]{2,3})?$" } },
  hostname: {
    schema: {
      pattern:
        "^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[-0-9a-zA-Z]{0,61}[0-9a-zA-Z])?)*\\.?$",
      maxLength: 254,
      anyOf: [{ maxLength: 253 }, { pattern: "\\.$" }],
    },
  },
  url: {
    refusal:
      'z.url() asks JavaScript\'s URL parser; use z.string().check(k8s.format("uri")), which the API server checks',
  },
  emoji: { refusal: "z.emoji() has no form in a pattern of the API server; list the values with z.enum()" },
  jwt: { refusal: "z.jwt() decodes the token; demand the form with .regex() instead" },
  iban: { refusal: "z.iban() computes check digits; demand the form with .regex() instead" },
  credit_card: {
    refusal: 'z.creditCard() computes check digits; use z.string().check(k8s.format("creditcard"))',
  },
  json_string: {
    refusal: "z.json() strings are parsed by JavaScript only; use an object schema or z.unknown()",
  },
};

/** Adds what a format check demands. */
export function applyStringFormat(
  conversion: Conversion,
  def: z.core.$ZodCheckStringFormatDef,
  to: JsonSchema,
  path: string,
): void {
  const simple = searchPattern(def);
  if (simple !== undefined) return addPattern(to, simple);
  const plan = plans[def.format];
  if (plan === undefined) return addRegex(conversion, def, to, path);
  if ("refusal" in plan) return void conversion.refuse(path, plan.refusal);
  if ("schema" in plan) return addSchema(to, plan.schema);
  if (!isLax(def)) to.format = plan.format;
  addRegex(conversion, def, to, path);
}

/** `.includes()`, `.startsWith()`, `.endsWith()`: Zod compares texts, and a pattern searches for them. */
function searchPattern(def: z.core.$ZodCheckStringFormatDef): string | undefined {
  const { format, includes, position, prefix, suffix } = def as z.core.$ZodCheckStringFormatDef & {
    includes?: string;
    position?: number;
    prefix?: string;
    suffix?: string;
  };
  if (format === "includes" && includes !== undefined) {
    return (position ? `^(?s:.{${position},})` : "") + escapeForRe2(includes);
  }
  if (format === "starts_with" && prefix !== undefined) return `^${escapeForRe2(prefix)}`;
  return format === "ends_with" && suffix !== undefined ? `${escapeForRe2(suffix)}$` : undefined;
}

/** Date-times that RFC 3339 does not know: without a zone, or without seconds. */
function isLax(def: z.core.$ZodCheckStringFormatDef): boolean {
  const { local, precision } = def as { local?: boolean; precision?: number | null };
  return local === true || precision === -1;
}

function addRegex(
  conversion: Conversion,
  def: z.core.$ZodCheckStringFormatDef,
  to: JsonSchema,
  path: string,
): void {
  if (def.pattern === undefined) {
    conversion.refuse(
      path,
      `the format ${def.format} is checked by a function; use .regex() or k8s.format(...)`,
    );
    return;
  }
  const converted = re2Pattern(def.pattern);
  if ("problem" in converted) conversion.refuse(path, converted.problem);
  else addPattern(to, converted.pattern);
}

/** The keyword holds one pattern; more of them go into `allOf`. */
function addPattern(to: JsonSchema, pattern: string): void {
  if (to.pattern === undefined || to.pattern === pattern) to.pattern = pattern;
  else to.allOf = [...(to.allOf ?? []), { pattern }];
}

function addSchema(to: JsonSchema, schema: Readonly<JsonSchema>): void {
  const { pattern, ...rest } = schema;
  if (pattern !== undefined) addPattern(to, pattern);
  if (Object.keys(rest).length > 0) to.allOf = [...(to.allOf ?? []), rest];
}
