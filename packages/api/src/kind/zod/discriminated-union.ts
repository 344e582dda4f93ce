/**
 * `z.discriminatedUnion` as one object: the discriminator is an enum, fields of some variants only are optional, and a CEL
 * rule per variant demands its fields and refuses those of the others.
 */
import type * as z from "zod";
import type { Json } from "../../object/object.ts";
import type { JsonSchema, ValidationRule } from "../../schema/json-schema.ts";
import { celField, celString } from "./cel-text.ts";
import { type Conversion, type KnownSchema, fieldPath } from "./conversion.ts";

interface Variant {
  /** Values of the discriminator. */
  readonly values: readonly Json[];
  readonly schema: JsonSchema;
}

export function convertDiscriminatedUnion(
  conversion: Conversion,
  def: z.core.$ZodDiscriminatedUnionDef,
  path: string,
): JsonSchema {
  const at = fieldPath(path, def.discriminator);
  const variants = variantsOf(conversion, def, path);
  if (variants === undefined) return {};
  const types = new Set(variants.flatMap((variant) => variant.values.map((value) => typeof value)));
  if (types.size !== 1) return conversion.refuse(at, "the discriminator's values must be of one type");
  const properties = mergeProperties(conversion, def.discriminator, variants, path);
  const required = [...properties.keys()].filter((name) =>
    variants.every((variant) => variant.schema.required?.includes(name)),
  );
  const loose = variants.some((variant) => variant.schema["x-kubernetes-preserve-unknown-fields"]);
  return {
    type: "object",
    required,
    properties: Object.fromEntries(properties),
    ...(loose ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
    "x-kubernetes-validations": variants.flatMap((variant) =>
      variantRules(def.discriminator, variant, properties, required),
    ),
  };
}

function variantsOf(
  conversion: Conversion,
  def: z.core.$ZodDiscriminatedUnionDef,
  path: string,
): Variant[] | undefined {
  const found: Variant[] = [];
  for (const option of def.options as readonly KnownSchema[]) {
    const inner = option._zod.def;
    if (inner.type === "union" && "discriminator" in inner && inner.discriminator === def.discriminator) {
      const nested = variantsOf(conversion, inner as z.core.$ZodDiscriminatedUnionDef, path);
      if (nested === undefined) return undefined;
      found.push(...nested);
      continue;
    }
    const schema = conversion.convert(option, path);
    const discriminator = schema.properties?.[def.discriminator];
    if (schema.type !== "object" || discriminator?.enum === undefined) {
      conversion.refuse(
        path,
        `each option must be a z.object() whose field ${def.discriminator} is a z.literal() or z.enum()`,
      );
      return undefined;
    }
    if (!schema.required?.includes(def.discriminator)) {
      conversion.refuse(fieldPath(path, def.discriminator), "the discriminator cannot be optional");
      return undefined;
    }
    found.push({ values: discriminator.enum, schema });
  }
  return found;
}

function mergeProperties(
  conversion: Conversion,
  discriminator: string,
  variants: readonly Variant[],
  path: string,
): Map<string, JsonSchema> {
  const properties = new Map<string, JsonSchema>();
  const descriptions = variants.map((variant) => variant.schema.properties?.[discriminator]?.description);
  const values = variants.flatMap((variant) => variant.values);
  const description = descriptions.find((text) => text !== undefined);
  properties.set(discriminator, {
    ...typeOf(values),
    enum: values,
    ...(description === undefined ? {} : { description }),
  });
  for (const variant of variants) {
    for (const [name, property] of Object.entries(variant.schema.properties ?? {})) {
      if (name === discriminator) continue;
      const other = properties.get(name);
      if (other !== undefined && !sameButText(other, property)) {
        conversion.refuse(
          fieldPath(path, name),
          "variants give this field different schemas, and a structural schema has one per name; use one schema or two names",
        );
      }
      const everywhere = variants.every((each) => each.schema.properties?.[name] !== undefined);
      if (property.default !== undefined && !everywhere) {
        conversion.refuse(
          fieldPath(path, name),
          "a default would be set whatever the variant; leave it out, or put the variant's fields into an optional object",
        );
      }
      if (other === undefined) properties.set(name, property);
    }
  }
  return properties;
}

function typeOf(values: readonly Json[]): JsonSchema {
  const type = typeof values[0];
  if (type !== "number") return { type };
  return { type: values.every((value) => Number.isInteger(value)) ? "integer" : "number" };
}

function sameButText(a: JsonSchema, b: JsonSchema): boolean {
  const text = ({
    description: _description,
    title: _title,
    example: _example,
    ...rest
  }: JsonSchema): string => JSON.stringify(rest);
  return text(a) === text(b);
}

/** What a variant demands and refuses, and the variant's own rules where it is the chosen one. */
function variantRules(
  discriminator: string,
  variant: Variant,
  properties: ReadonlyMap<string, JsonSchema>,
  required: readonly string[],
): ValidationRule[] {
  const own = variant.schema.properties ?? {};
  const chosen = `self.${celField(discriminator)}`;
  const literals = variant.values.map((value) =>
    typeof value === "string" ? celString(value) : String(value),
  );
  const otherwise =
    literals.length === 1 ? `${chosen} != ${literals[0]}` : `!(${chosen} in [${literals.join(", ")}])`;
  const needed = (variant.schema.required ?? []).filter((name) => !required.includes(name));
  const loose = variant.schema["x-kubernetes-preserve-unknown-fields"] === true;
  const foreign = loose ? [] : [...properties.keys()].filter((name) => own[name] === undefined);
  const demands = [
    ...needed.map((name) => `has(self.${celField(name)})`),
    ...foreign.map((name) => `!has(self.${celField(name)})`),
  ];
  const rules = (variant.schema["x-kubernetes-validations"] ?? []).map((rule) => ({
    ...rule,
    rule: `${otherwise} || (${rule.rule})`,
  }));
  if (demands.length === 0) return rules;
  const parts = [
    ...(needed.length === 0 ? [] : [`needs ${needed.join(", ")}`]),
    ...(foreign.length === 0 ? [] : [`does not take ${foreign.join(", ")}`]),
  ];
  const message = `${discriminator} ${variant.values.join(", ")} ${parts.join(" and ")}`;
  const rule =
    demands.length === 1 ? `${otherwise} || ${demands[0]}` : `${otherwise} || (${demands.join(" && ")})`;
  return [{ rule, message }, ...rules];
}
