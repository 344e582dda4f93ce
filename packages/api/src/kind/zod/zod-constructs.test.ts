/**
 * Every Zod construct of its documentation: either its schema accepts and refuses what Zod does, with the same result, or its
 * definition fails with a message that names the place and what to write instead.
 */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { fieldErrorText } from "../../status/field-error.ts";
import type { AnyCustomKind } from "../custom-kind.ts";
import { checkObject } from "../check-object.ts";
import { defineKind } from "../define-kind.ts";
import { isKindDefinitionError } from "../definition-error.ts";
import { exactConstructs, refusedConstructs } from "../../../test/zod-constructs.ts";

function kindOf(schema: z.ZodType): AnyCustomKind {
  return defineKind({
    group: "example.com",
    version: "v1",
    kind: "Probe",
    spec: z.object({ value: schema }),
  });
}

function onServer(kind: AnyCustomKind, value: unknown): { accepted: boolean; value: unknown; why: string } {
  const spec = value === undefined ? {} : { value };
  const { object, errors } = checkObject(kind, { metadata: { name: "a" }, spec } as never);
  const stored = (object["spec"] as Record<string, unknown> | undefined)?.["value"];
  return { accepted: errors.length === 0, value: stored, why: errors.map(fieldErrorText).join("; ") };
}

const values = exactConstructs.flatMap((each) => [
  ...each.accepts.map((value) => ({ ...each, value, accepted: true })),
  ...each.refuses.map((value) => ({ ...each, value, accepted: false })),
]);

describe("Zod constructs with a structural form", () => {
  it.each(
    values.map((each) => [each.accepted ? "accepts" : "refuses", each.name, each.value, each] as const),
  )("%s, as Zod does: %s of %j", (_verdict, _name, value, { schema, accepted }) => {
    const byZod = z.object({ value: schema }).safeParse(value === undefined ? {} : { value });
    const byServer = onServer(kindOf(schema), value);
    expect(byZod.success, "Zod").toBe(accepted);
    expect(byServer.accepted, byServer.why).toBe(accepted);
    if (byZod.success) expect(byServer.value).toEqual(byZod.data.value);
  });

  it.each(
    exactConstructs.filter((each) => each.becomes !== undefined).map((each) => [each.name, each] as const),
  )("%s becomes the schema that a person would write", (_name, { schema, becomes }) => {
    expect(kindOf(schema).schema.properties?.["spec"]?.properties?.["value"]).toEqual(becomes);
  });
});

describe("Zod constructs without a structural form", () => {
  it.each(refusedConstructs)("fails at definition for %s", (_name, schema, path, says) => {
    let thrown: unknown;
    try {
      kindOf(schema);
    } catch (error) {
      thrown = error;
    }
    if (!isKindDefinitionError(thrown)) throw new Error(`no KindDefinitionError, but ${String(thrown)}`);
    expect(thrown.problems.map((problem) => problem.path)).toContain(path);
    expect(thrown.message).toContain(says);
    expect(thrown.message).toContain(path);
  });

  it("lists all problems at once", () => {
    const define = (): unknown =>
      defineKind({
        group: "example.com",
        version: "v1",
        kind: "Probe",
        spec: z.object({ a: z.date(), b: z.object({ c: z.set(z.string()) }) }),
        status: z.object({ d: z.bigint() }),
      });
    expect(define).toThrow(/spec\.a: [^]*spec\.b\.c: [^]*status\.d: /);
  });
});
