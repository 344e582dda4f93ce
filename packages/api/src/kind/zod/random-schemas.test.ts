import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fieldErrorText } from "../../status/field-error.ts";
import { checkObject } from "../check-object.ts";
import { defineKind } from "../define-kind.ts";

/** A schema, and values of which many fit it and some do not. Null appears only where it may: see the guide's differences. */
interface Sample {
  readonly schema: z.ZodType;
  readonly values: fc.Arbitrary<unknown>;
}

const wrong = fc.constantFrom<unknown>("", "a", "abcd", 0, 7, 1.5, true, [], ["a"], {}, { a: 1 });

function sometimesWrong(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: wrong });
}

const text: fc.Arbitrary<Sample> = fc
  .record({ min: fc.integer({ min: 0, max: 2 }), more: fc.integer({ min: 0, max: 3 }), words: fc.boolean() })
  .map(({ min, more, words }) => ({
    schema: words
      ? z.enum(["a", "ab", "abc"])
      : z
          .string()
          .min(min)
          .max(min + more)
          .regex(/^[a-c]*$/),
    values: sometimesWrong(fc.constantFrom("", "a", "ab", "abc", "abcd", "xyz")),
  }));

const number: fc.Arbitrary<Sample> = fc
  .record({ min: fc.integer({ min: -3, max: 3 }), step: fc.constantFrom(1, 2, 3), whole: fc.boolean() })
  .map(({ min, step, whole }) => ({
    schema: whole
      ? z.int().min(min).multipleOf(step)
      : z
          .number()
          .gt(min)
          .lt(min + 4),
    values: sometimesWrong(fc.oneof(fc.integer({ min: -5, max: 9 }), fc.constantFrom(0.5, 2.25))),
  }));

const scalar = fc.oneof(
  text,
  number,
  fc.constant({ schema: z.boolean(), values: sometimesWrong(fc.boolean()) }),
  fc.constant({ schema: z.union([z.int(), z.string()]), values: sometimesWrong(fc.constantFrom(1, "x")) }),
);

const samples = fc.letrec<{ any: Sample; object: Sample; list: Sample; record: Sample }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, scalar, tie("object"), tie("list"), tie("record")),
  list: fc.tuple(tie("any"), fc.integer({ min: 0, max: 2 })).map(([item, max]) => ({
    schema: z.array(item.schema).max(max),
    values: sometimesWrong(fc.array(item.values, { maxLength: 3 })),
  })),
  record: tie("any").map((value) => ({
    schema: z.record(z.string(), value.schema),
    values: sometimesWrong(fc.dictionary(fc.constantFrom("a", "b-c", "d.e"), value.values, { maxKeys: 2 })),
  })),
  object: fc
    .dictionary(fc.constantFrom("a", "b", "c"), fc.tuple(tie("any"), presence()), { minKeys: 1 })
    .map((fields) => ({
      schema: z.object(
        Object.fromEntries(Object.entries(fields).map(([name, [field, wrap]]) => [name, wrap(field.schema)])),
      ),
      values: sometimesWrong(
        fc
          .record(Object.fromEntries(Object.entries(fields).map(([name, [field]]) => [name, field.values])), {
            requiredKeys: [],
          })
          .chain((value) => fc.constantFrom(value, { ...value, unknown: 1 })),
      ),
    })),
})).any;

function presence(): fc.Arbitrary<(schema: z.ZodType) => z.ZodType> {
  return fc.constantFrom(
    (schema: z.ZodType) => schema,
    (schema: z.ZodType) => schema.optional(),
    (schema: z.ZodType) => schema.readonly(),
  );
}

describe("a random schema", () => {
  it("accepts, refuses, prunes and defaults as Zod does", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(
        samples.chain(({ schema, values }) =>
          fc.tuple(fc.constant(schema), fc.array(values, { minLength: 1, maxLength: 6 })),
        ),
        ([schema, values]) => {
          const Probe = defineKind({
            group: "example.com",
            version: "v1",
            kind: "Probe",
            spec: z.object({ value: schema, extra: z.object({ deep: z.int().default(5) }).prefault({}) }),
          });
          for (const value of values) {
            const byZod = z.object({ value: schema }).safeParse({ value });
            const { object, errors } = checkObject(Probe, { metadata: { name: "a" }, spec: { value } });
            const why = `${JSON.stringify(Probe.schema)} of ${JSON.stringify(value)}: ${errors.map(fieldErrorText).join("; ")}`;
            expect(errors.length === 0, why).toBe(byZod.success);
            if (byZod.success) {
              expect(object["spec"], why).toEqual({ value: byZod.data.value, extra: { deep: 5 } });
              accepted++;
            } else refused++;
          }
        },
      ),
      { numRuns: 300 },
    );
    // Both verdicts must have been common, or the samples prove nothing.
    expect(Math.min(accepted, refused)).toBeGreaterThan(100);
  });
});
