import type * as z from "zod";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { AnyZodSchema } from "../kind-definition.ts";
import { celString } from "./cel-text.ts";
import { type Conversion, type KnownSchema, isOptional, fieldPath } from "./conversion.ts";

/** `z.object`: unknown fields are dropped by Zod and pruned by the API server. `z.looseObject`: both keep them. */
export function convertObject(conversion: Conversion, def: z.core.$ZodObjectDef, path: string): JsonSchema {
  const schema: JsonSchema = { type: "object" };
  const catchall = (def.catchall as KnownSchema | undefined)?._zod.def.type;
  if (catchall === "never") {
    conversion.refuse(
      path,
      "z.strictObject() has no structural form: the API server drops unknown fields, and refuses them when the client " +
        "asks for strict field validation, as kubectl does; use z.object()",
    );
  } else if (catchall === "unknown" || catchall === "any") {
    schema["x-kubernetes-preserve-unknown-fields"] = true;
  } else if (def.catchall !== undefined) {
    return convertCatchall(conversion, def, path);
  }
  const shape = Object.entries(def.shape as Record<string, AnyZodSchema>);
  if (shape.length > 0) {
    schema.properties = Object.fromEntries(
      shape.map(([name, field]) => [name, conversion.convert(field, fieldPath(path, name))]),
    );
  }
  const required = shape.filter(([, field]) => !isOptional(field)).map(([name]) => name);
  if (required.length > 0) schema.required = required;
  return schema;
}

function convertCatchall(conversion: Conversion, def: z.core.$ZodObjectDef, path: string): JsonSchema {
  if (Object.keys(def.shape).length > 0 || def.catchall === undefined) {
    return conversion.refuse(
      path,
      "known fields beside a schema for all others have no structural form; put the others into a field of their own, " +
        "a z.record()",
    );
  }
  return { type: "object", additionalProperties: conversion.convert(def.catchall, `${path}{}`) };
}

/** `z.record`. What Zod demands of keys becomes a CEL rule, because a structural schema has no word for it. */
export function convertRecord(conversion: Conversion, def: z.core.$ZodRecordDef, path: string): JsonSchema {
  if (def.mode === "loose") {
    return conversion.refuse(
      path,
      "z.looseRecord() has no structural form; use z.record() with all keys checked",
    );
  }
  const value = conversion.convert(def.valueType, `${path}{}`);
  if (value.default !== undefined) conversion.refuse(`${path}{}`, noDefaultInside);
  const schema: JsonSchema = { type: "object", additionalProperties: value };
  const key = conversion.convert(def.keyType, `${path}{key}`);
  if (key.type !== "string") {
    return conversion.refuse(`${path}{key}`, "keys in JSON are strings; use z.string() with a pattern");
  }
  const conditions = keyConditions(key);
  if (conditions === undefined) {
    return conversion.refuse(
      `${path}{key}`,
      "keys can be held to an enum, a pattern and a length, and to nothing else; use .regex()",
    );
  }
  if (key.enum !== undefined) {
    schema.maxProperties = key.enum.length;
    if (def.partial !== true && !isOptional(def.valueType)) schema.required = key.enum.map(String);
  }
  if (conditions.length > 0) {
    const rule = `self.all(key, ${conditions.join(" && ")})`;
    schema["x-kubernetes-validations"] = [{ rule, message: keyMessage(key) }];
  }
  return schema;
}

const noDefaultInside =
  "a default inside of a list or record never applies, because nothing can be missing there; default the whole list or " +
  "record, or a field of an object in it";

function keyConditions(key: JsonSchema): string[] | undefined {
  const {
    type: _type,
    enum: values,
    pattern,
    minLength,
    maxLength,
    description: _text,
    allOf,
    ...rest
  } = key;
  if (Object.keys(rest).length > 0 || allOf?.some((part) => Object.keys(part).join() !== "pattern"))
    return undefined;
  const patterns = [pattern, ...(allOf ?? []).map((part) => part.pattern)].filter((p) => p !== undefined);
  return [
    ...(values === undefined ? [] : [`key in [${values.map((v) => celString(String(v))).join(", ")}]`]),
    ...patterns.map((p) => `key.matches(${celString(p)})`),
    ...(minLength === undefined ? [] : [`size(key) >= ${minLength}`]),
    ...(maxLength === undefined ? [] : [`size(key) <= ${maxLength}`]),
  ];
}

function keyMessage(key: JsonSchema): string {
  if (key.enum !== undefined) return `keys must be one of ${key.enum.join(", ")}`;
  const parts = [
    ...(key.pattern === undefined ? [] : [`match ${key.pattern}`]),
    ...(key.minLength === undefined ? [] : [`have at least ${key.minLength} characters`]),
    ...(key.maxLength === undefined ? [] : [`have at most ${key.maxLength} characters`]),
  ];
  return `keys must ${parts.join(" and ")}`;
}

/** `z.array`. */
export function convertArray(conversion: Conversion, def: z.core.$ZodArrayDef, path: string): JsonSchema {
  const items = conversion.convert(def.element, `${path}[]`);
  if (items.default !== undefined) conversion.refuse(`${path}[]`, noDefaultInside);
  return { type: "array", items };
}
