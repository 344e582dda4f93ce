import type { KnownSchema } from "./conversion.ts";

/** Why a Zod construct has no structural form, and what says the same. */
export function refusalOf(schema: KnownSchema): string {
  const def = schema._zod.def;
  if (def.type === "pipe") return pipeRefusal(schema);
  const reason: string | undefined = refusals[def.type];
  return reason ?? `z.${def.type} has no structural form; use k8s.raw(schema) to write the schema yourself`;
}

const noTransform =
  "the API server stores what it was sent; keep the stored form here and convert in the controller";

const refusals: Readonly<Record<string, string>> = {
  bigint: "z.bigint(), z.int64() and z.uint64() are no JSON; use k8s.int64()",
  symbol: "z.symbol() is no JSON",
  undefined: "z.undefined() is no JSON; use .optional()",
  void: "z.void() is no JSON; use .optional()",
  null: "z.null() alone has no structural form; use .nullable() on the schema of the other values",
  never: "z.never() has no structural form; leave the field out",
  nan: "z.nan() is no JSON",
  date: "z.date() is no JSON; use k8s.dateTime(), a string in RFC 3339",
  tuple:
    "z.tuple() has no structural form, because all items of a list share one schema; use an object, or z.array()",
  map: "z.map() is no JSON; use z.record(z.string(), value)",
  set: "z.set() is no JSON; use k8s.set(item)",
  file: 'z.file() is no JSON; use a string with k8s.format("byte")',
  transform: `z.transform() changes values, and ${noTransform}`,
  catch:
    "z.catch() replaces wrong values, and the API server refuses them; use .default(value) for missing ones",
  success: `z.success() changes values, and ${noTransform}`,
  promise: "z.promise() is no JSON",
  function: "z.function() is no JSON",
  custom:
    "z.custom() and z.instanceof() are checked by JavaScript only; use k8s.raw(schema) with the schema of the API server",
};

function pipeRefusal(schema: KnownSchema): string {
  const traits = schema._zod.traits;
  if (traits.has("$ZodCodec"))
    return `z.codec(), z.stringbool() and their like change values, and ${noTransform}`;
  if (traits.has("$ZodPreprocess")) return `z.preprocess() changes values, and ${noTransform}`;
  return `.transform() and .pipe() change values, and ${noTransform}`;
}
