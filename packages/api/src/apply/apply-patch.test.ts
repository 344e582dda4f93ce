import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  flag,
  keyedListOf,
  listOf,
  mapOf,
  number,
  setListOf,
  structOf,
  text,
  typeOf,
} from "../../test/apply-notation.ts";
import { ApplySession, type Fields } from "../../test/apply-session.ts";
import { deepFreeze } from "../object/freeze.ts";
import { isStatusError } from "../status/status-error.ts";
import { applyPatch } from "./apply-patch.ts";
import { withConversions } from "./conversions.ts";
import { extractOwned } from "./extract-owned.ts";
import type { FieldManagement, ManagedObject } from "./field-management.ts";
import { fieldSetOf } from "./field-set.ts";
import { lastAppliedAnnotation } from "./last-applied.ts";
import { deducedType } from "./merge-type.ts";
import { trackUpdate } from "./track-update.ts";

const spec = structOf({
  color: text,
  lumens: number,
  lit: flag,
  tags: setListOf(text),
  parts: keyedListOf(["name"], { name: text, qty: number, cfg: structOf({ a: text, b: text }) }),
  marks: mapOf(text),
  stages: listOf(text),
});
const type = typeOf({ spec, status: structOf({ phase: text }) });
const session = (): ApplySession => new ApplySession(type);

function failure(run: () => unknown): { code: number; reason: string; message: string; details: unknown } {
  try {
    run();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    return { code: error.code, reason: error.reason, message: error.message, details: error.status.details };
  }
  throw new Error("nothing was thrown");
}

describe("applyPatch", () => {
  it("creates, owning the leaves and not the containers", () => {
    const s = session();
    const { changed } = s.apply("ann", {
      metadata: { labels: { a: "1" } },
      spec: { color: "a", parts: [{ name: "p" }], marks: {} },
    });
    expect(changed).toBe(true);
    expect(s.live?.metadata.managedFields).toEqual([
      {
        manager: "ann",
        operation: "Apply",
        apiVersion: "v1",
        time: s.now,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { "f:a": {} } },
          "f:spec": {
            "f:color": {},
            "f:marks": {},
            "f:parts": { 'k:{"name":"p"}': { ".": {}, "f:name": {} } },
          },
        },
      },
    ]);
  });

  it("has no entry for an apply of nothing", () => {
    const s = session();
    s.apply("ann", {});
    expect(s.live?.metadata).not.toHaveProperty("managedFields");
  });

  it("returns the live object itself when nothing changes", () => {
    const s = session();
    s.apply("ann", { spec: { color: "a", tags: ["x"] } });
    const before = s.live;
    const { object, changed } = s.apply("ann", { spec: { color: "a", tags: ["x"] } });
    expect(changed).toBe(false);
    expect(object).toBe(before);
  });

  it("gives an entry its time only when a value changes", () => {
    const s = session();
    s.update("editor", { spec: { color: "a" } });
    s.apply("ann", { spec: { color: "a" } });
    expect(s.times).toEqual(["Apply ann -", "Update editor 1"]);
    s.apply("ann", { spec: { color: "a", lumens: 1 } });
    expect(s.times).toEqual(["Apply ann 3", "Update editor 1"]);
    s.apply("bob", { spec: { lumens: 1 } });
    s.apply("ann", { spec: { color: "a" } });
    expect(s.times).toEqual(["Apply bob -", "Apply ann 3", "Update editor 1"]);
  });

  it.each([
    ["nothing", {}, "/, Kind="],
    ["another version", { apiVersion: "g/v2", kind: "Thing" }, "g/v2, Kind=Thing"],
    ["another kind", { apiVersion: "g/v1", kind: "Other" }, "g/v1, Kind=Other"],
    ["the core group", { apiVersion: "v1", kind: "Pod" }, "/v1, Kind=Pod"],
    ["no apiVersion that can be read", { apiVersion: "a/b/c", kind: "Pod" }, "/, Kind="],
    ["a kind that is no text", { apiVersion: "g/v1", kind: 5 }, "g/v1, Kind="],
  ])("refuses a body of %s", (_name, patch, kind) => {
    const management: FieldManagement = { apiVersion: "g/v1", kind: "Thing", typeOf: () => type };
    expect(failure(() => applyPatch(management, { patch, manager: "m", now: "" }))).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: `invalid object type: ${kind}`,
    });
  });

  it.each([[[]], [[{}]], [[{ manager: "x" }]], ["text"]])(
    "refuses managedFields %j in the body",
    (managedFields) => {
      expect(failure(() => session().apply("m", { metadata: { managedFields } }))).toMatchObject({
        code: 400,
        message: "metadata.managedFields must be nil",
      });
    },
  );

  it("takes managedFields null for none", () => {
    const s = session();
    s.apply("m", { metadata: { managedFields: null }, spec: {} });
    expect(s.owned).toEqual({ m: ["v1", [".spec"]] });
  });

  it.each([
    [{ spec: { nope: 1 } }, ".spec.nope: field not declared in schema"],
    [
      { metadata: { namespace: "n", name: "y" }, spec: { color: 5 } },
      ".spec.color: expected string, got &value.valueUnstructured{Value:5}",
    ],
    [{ spec: { tags: ["x", "x"] } }, '.spec.tags: duplicate entries for key [="x"]'],
    [
      { metadata: { labels: { a: 1 } } },
      ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}",
    ],
  ])("answers 500 for what does not fit: %j", (fields, problem) => {
    const { namespace = "", name = "x" } =
      (fields as { metadata?: { namespace?: string; name?: string } }).metadata ?? {};
    expect(failure(() => session().apply("m", fields))).toEqual({
      code: 500,
      reason: "",
      message: `failed to create typed patch object (${namespace}/${name}; /v1, Kind=Thing): ${problem}`,
      details: undefined,
    });
  });

  it("answers 500 when the stored object does not fit", () => {
    const s = new ApplySession(deducedType);
    s.apply("m", { spec: { zz: 1 } });
    s.management = { ...s.management, typeOf: () => type };
    expect(failure(() => s.apply("m", { spec: { color: "a" } })).message).toBe(
      "failed to create typed live object (/x; /v1, Kind=Thing): .spec.zz: field not declared in schema",
    );
  });

  it("answers 500 when stored entries cannot be read", () => {
    const s = session();
    s.apply("m", { spec: { color: "a" } });
    const live = deepFreeze({
      ...s.live,
      metadata: { ...s.live?.metadata, managedFields: [{ manager: "x" }] },
    }) as unknown as ManagedObject;
    const patch = { apiVersion: "v1", kind: "Thing" };
    expect(failure(() => applyPatch(s.management, { live, patch, manager: "m", now: s.now })).message).toBe(
      "failed to decode managed fields: operation must be `Apply` or `Update`",
    );
  });

  it("keeps explicit nulls and owns them", () => {
    const s = session();
    s.apply("m", { spec: { color: null, lumens: 1 } });
    expect(s.fields).toEqual({ spec: { color: null, lumens: 1 } });
    expect(s.owned).toEqual({ m: ["v1", [".spec.color", ".spec.lumens"]] });
  });

  it.each([
    [{ spec: { color: "a" } }, { spec: {} }, { spec: null }],
    [{ spec: { color: "a" } }, {}, {}],
    [
      { spec: { parts: [{ name: "p", cfg: { a: "1" } }] } },
      { spec: { parts: [{ name: "p", cfg: {} }] } },
      { spec: { parts: [{ name: "p", cfg: null }] } },
    ],
    [{ spec: { tags: ["a"] } }, { spec: { tags: [] } }, {}],
    [{ spec: { tags: ["a"], lumens: 1 } }, { spec: { tags: [], lumens: 1 } }, { spec: { lumens: 1 } }],
    [{ spec: { marks: { a: "1" } } }, { spec: { marks: {} } }, { spec: { marks: null } }],
    [{ spec: { stages: ["a"] } }, { spec: { stages: [] } }, { spec: { stages: [] } }],
    [{ spec: { color: "a", lumens: 1 } }, { spec: { lumens: 1 } }, { spec: { lumens: 1 } }],
  ])("after %j an apply of %j leaves %j", (first, second, result) => {
    const s = session();
    s.apply("m", first);
    s.apply("m", second);
    expect(s.fields).toEqual(result);
  });
});

describe("conflicts", () => {
  it("name one field in one sentence", () => {
    const s = session();
    s.apply("ann", { spec: { color: "a" } });
    expect(failure(() => s.apply("bob", { spec: { color: "b" } }))).toEqual({
      code: 409,
      reason: "Conflict",
      message: 'Apply failed with 1 conflict: conflict with "ann": .spec.color',
      details: {
        causes: [{ reason: "FieldManagerConflict", message: 'conflict with "ann"', field: ".spec.color" }],
      },
    });
  });

  it("list several by manager, with operation, version and subresource", () => {
    const s = session();
    s.apply("zoe", { spec: { color: "a", lumens: 1, parts: [{ name: "p", qty: 1 }] } });
    s.update("edit", {
      spec: { color: "a", lumens: 1, lit: true, tags: ["t"], parts: [{ name: "p", qty: 1 }] },
    });
    s.management = { ...s.management, subresource: "status" };
    s.update("ctl", { ...s.fields, status: { phase: "A" } });
    const taken = {
      spec: { color: "b", lumens: 2, lit: false, parts: [{ name: "p", qty: 2 }] },
      status: { phase: "B" },
    };
    s.management = { ...s.management, subresource: "" };
    const { message, details } = failure(() => s.apply("new", taken));
    expect(message).toBe(
      'Apply failed with 5 conflicts: conflicts with "ctl" with subresource "status" using v1:\n- .status.phase\n' +
        'conflicts with "edit" using v1:\n- .spec.lit\n' +
        'conflicts with "zoe":\n- .spec.color\n- .spec.lumens\n- .spec.parts[name="p"].qty',
    );
    expect((details as { causes: { field: string }[] }).causes.map((c) => c.field)).toEqual([
      ".status.phase",
      ".spec.lit",
      ".spec.color",
      ".spec.lumens",
      '.spec.parts[name="p"].qty',
    ]);
  });

  it("do not arise from equal values, which are shared then", () => {
    const s = session();
    s.apply("ann", { spec: { color: "a" } });
    s.apply("bob", { spec: { color: "a" } });
    s.apply("ann", {});
    expect(s.fields).toEqual({ spec: { color: "a" } });
    s.apply("bob", {});
    expect(s.fields).toEqual({});
  });

  it("are with what was there before the first apply", () => {
    const s = session();
    s.update("editor", { spec: { color: "a" } });
    s.update("editor", { metadata: { managedFields: [{}] }, spec: { color: "a" } });
    expect(s.conflicts("ann", { spec: { color: "b" } })).toEqual(["before-first-apply .spec.color"]);
    s.apply("ann", { spec: { color: "b" } }, { force: true });
    expect(s.owned).toEqual({ ann: ["v1", [".spec.color"]], "before-first-apply": ["v1", [".spec"]] });
  });

  it("arise with the same name as updater", () => {
    const s = session();
    s.apply("ann", { spec: { color: "a" } });
    s.update("ann", { spec: { color: "b" } });
    expect(s.conflicts("ann", { spec: { color: "c" } })).toEqual(["ann .spec.color"]);
  });
});

describe("endpoints that reset fields", () => {
  const main = { resetFields: { v1: fieldSetOf([["status"]]) } };
  const status = { subresource: "status", resetFields: { v1: fieldSetOf([["metadata"], ["spec"]]) } };

  it("own nothing of them and take nothing", () => {
    const s = new ApplySession(type, status);
    s.apply("ctl", { metadata: { labels: { a: "1" } }, spec: { color: "ignored" }, status: { phase: "Up" } });
    expect(s.owned).toEqual({ ctl: ["v1", [".status.phase"]] });
    s.management = { ...s.management, ...main, subresource: "" };
    s.apply("ann", { spec: { color: "a" }, status: { phase: "Down" } });
    expect(s.owned).toEqual({ ann: ["v1", [".spec.color"]], ctl: ["v1", [".status.phase"]] });
    expect(s.live?.metadata.managedFields?.map((e) => e.subresource)).toEqual(["status", undefined]);
  });
});

describe("versions", () => {
  /** v2 calls color tint. */
  const types = { v1: type, v2: typeOf({ spec: structOf({ tint: text, lumens: number }) }) };
  const rename = (object: ManagedObject, apiVersion: string): ManagedObject | undefined => {
    const { color, tint, ...rest } = (object["spec"] ?? {}) as Record<string, unknown>;
    const value = color ?? tint;
    const name = apiVersion === "v1" ? "color" : "tint";
    return {
      ...object,
      apiVersion,
      spec: { ...rest, ...(value === undefined ? {} : { [name]: value }) },
    } as ManagedObject;
  };

  it("of managers are compared in their own version", () => {
    const s = new ApplySession(types, { convert: rename });
    s.apply("ann", { spec: { color: "a", lumens: 1 } });
    expect(s.conflicts("bob", { spec: { tint: "b" } }, "v2")).toEqual(["ann .spec.color"]);
    s.apply("bob", { spec: { tint: "a" } }, { version: "v2" });
    s.apply("ann", { spec: { lumens: 1 } });
    expect(s.owned).toEqual({ ann: ["v1", [".spec.lumens"]], bob: ["v2", [".spec.tint"]] });
    expect(s.fields).toEqual({ spec: { color: "a", lumens: 1 } });
  });

  it("of one applier may change, and what it gave up goes", () => {
    const s = new ApplySession(types, { convert: rename });
    s.apply("ann", { spec: { color: "a", lumens: 1 } });
    s.apply("ann", { spec: { tint: "a" } }, { version: "v2" });
    expect(s.fields).toEqual({ spec: { tint: "a" } });
    expect(s.owned).toEqual({ ann: ["v2", [".spec.tint"]] });
  });

  it("that are gone take their managers along, and nothing is pruned", () => {
    const s = new ApplySession({ v1: deducedType, v2: deducedType });
    s.apply("ann", { list: ["a", "b"], x: 1 });
    s.update("old", { list: ["a", "b"], x: 1, y: 2 });
    s.management = { ...s.management, typeOf: (v) => (v === "v2" ? deducedType : undefined) };
    s.apply("ann", { x: 1 }, { version: "v2" });
    expect(s.fields).toEqual({ list: ["a", "b"], x: 1, y: 2 });
    expect(s.owned).toEqual({ ann: ["v2", [".x"]] });
  });

  it("may be converted elsewhere, each question asked once", async () => {
    const s = new ApplySession(types, { convert: rename });
    s.apply("ann", { spec: { color: "a", lumens: 1 } });
    s.apply("bob", { spec: { tint: "a" } }, { version: "v2" });
    const { convert: _, ...management } = s.management;
    const request = {
      live: rename(s.live as ManagedObject, "v1") as ManagedObject,
      patch: s.object({ spec: { lumens: 2 } }, "v1"),
      manager: "ann",
      now: s.now,
    };
    const asked: string[] = [];
    const convert = async (object: ManagedObject, apiVersion: string): Promise<ManagedObject | undefined> => {
      asked.push(`${JSON.stringify(object["spec"])} ${apiVersion}`);
      return rename(object, apiVersion);
    };
    const { object } = await withConversions(management, convert, (m) => applyPatch(m, request));
    expect(object).toEqual(applyPatch(s.management, request).object);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeGreaterThan(0);
  });

  it("whose conversion fails make an apply fail and an update lose its entries", async () => {
    const s = new ApplySession(types, { convert: rename });
    s.apply("bob", { spec: { tint: "a" } }, { version: "v2" });
    const { convert: _, ...management } = s.management;
    const live = rename(s.live as ManagedObject, "v1") as ManagedObject;
    const fail = (): Promise<never> => Promise.reject(new Error("webhook down"));
    const patch = s.object({ spec: { lumens: 2 } }, "v1");
    await expect(
      withConversions(management, fail, (m) => applyPatch(m, { live, patch, manager: "ann", now: s.now })),
    ).rejects.toThrow("webhook down");
    const object = { ...live, spec: { color: "b" } } as ManagedObject;
    const updated = await withConversions(management, fail, (m) =>
      trackUpdate(m, { live, object, manager: "u", now: s.now }),
    );
    expect(updated.metadata.managedFields).toBeUndefined();
  });
});

describe("migration from client-side apply", () => {
  const annotated = (last: object | string, fields: Fields): Fields => {
    const value =
      typeof last === "string"
        ? last
        : JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, ...last });
    return { ...fields, metadata: { annotations: { [lastAppliedAnnotation]: value } } };
  };
  const annotation = (s: ApplySession): string => s.live?.metadata.annotations?.[lastAppliedAnnotation] ?? "";

  it("lets kubectl take what it applied and nobody changed", () => {
    const s = session();
    const fields = { spec: { color: "a", lumens: 1 } };
    s.update("kubectl-client-side-apply", annotated(fields, fields));
    s.apply("kubectl", { spec: { color: "b", lumens: 2 } });
    expect(s.fields).toEqual({ spec: { color: "b", lumens: 2 } });
    expect(s.owned["kubectl"]).toEqual(["v1", [".spec.color", ".spec.lumens"]]);
  });

  it("keeps only the conflicts that are not with itself", () => {
    const s = session();
    const last = { spec: { color: "a", lumens: 3, tags: ["gone"] } };
    s.update("kubectl-client-side-apply", annotated(last, { spec: { color: "a", lumens: 100, lit: true } }));
    expect(s.conflicts("kubectl", { spec: { color: "b", lumens: 5, lit: false } })).toEqual([
      "kubectl-client-side-apply .spec.lit",
      "kubectl-client-side-apply .spec.lumens",
    ]);
  });

  it.each([
    ["another manager", "other", { spec: { color: "a" } }],
    ["an annotation that cannot be read", "kubectl", "invalid-object"],
    ["an annotation of another version", "kubectl", { apiVersion: "v9", spec: { color: "a" } }],
    ["an annotation that does not fit", "kubectl", { spec: { zz: 1 } }],
  ])("is not for %s", (_name, manager, last) => {
    const s = session();
    s.update("kubectl-client-side-apply", annotated(last, { spec: { color: "a" } }));
    expect(s.conflicts(manager, { spec: { color: "b" } })).toEqual(["kubectl-client-side-apply .spec.color"]);
  });

  it("brings the annotation up to date, for kubectl only", () => {
    const s = session();
    s.update("kubectl-client-side-apply", annotated("invalid", { spec: { color: "a" } }));
    s.apply("other", { spec: { lumens: 1 } });
    expect(annotation(s)).toBe("invalid");
    s.apply("kubectl", { metadata: { labels: { a: "<b>" } }, spec: { color: "b" } }, { force: true });
    expect(annotation(s)).toBe(
      '{"apiVersion":"v1","kind":"Thing","metadata":{"labels":{"a":"\\u003cb\\u003e"},"name":"x"},"spec":{"color":"b"}}\n',
    );
    expect(s.owned["kubectl"]?.[1]).toEqual([".metadata.labels.a", ".spec.color"]);
  });

  it("leaves objects without the annotation alone", () => {
    const s = session();
    s.apply("kubectl", { spec: { color: "a" } });
    expect(s.live?.metadata.annotations).toBeUndefined();
  });

  it("drops an annotation that would be too big", () => {
    const s = session();
    s.update("kubectl-client-side-apply", annotated("old", { spec: { color: "a" } }));
    s.apply(
      "kubectl",
      { metadata: { annotations: { a: "1" } }, spec: { color: "x".repeat(256 * 1024) } },
      { force: true },
    );
    expect(s.live?.metadata.annotations).toEqual({ a: "1" });
  });
});

describe("extractOwned", () => {
  it("is what the manager applied, with the keys of items", () => {
    const s = session();
    s.apply("ann", { spec: { color: "a", parts: [{ name: "p", qty: 1 }] } });
    s.apply("bob", { spec: { lumens: 1, parts: [{ name: "p", cfg: { a: "x" } }] } });
    const live = s.live as ManagedObject;
    expect(extractOwned(type, live, { manager: "ann" })).toEqual({
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "x" },
      spec: { color: "a", parts: [{ name: "p", qty: 1 }] },
    });
    expect(extractOwned(type, live, { manager: "bob" })?.["spec"]).toEqual({
      lumens: 1,
      parts: [{ name: "p", cfg: { a: "x" } }],
    });
    expect(extractOwned(type, live, { manager: "eve" })).toBeUndefined();
    expect(extractOwned(type, live, { manager: "ann", subresource: "status" })).toBeUndefined();
  });
});

/** Configurations over few names and values, so that managers meet. */
const short = fc.constantFrom("a", "b", "c");
const config = fc.record(
  {
    color: short,
    lumens: fc.integer({ min: 0, max: 2 }),
    tags: fc.uniqueArray(short),
    parts: fc.uniqueArray(
      fc.record({ name: short, qty: fc.integer({ min: 0, max: 1 }) }, { requiredKeys: ["name"] }),
      {
        selector: (part) => part.name,
      },
    ),
    marks: fc.dictionary(short, short, { maxKeys: 2 }),
    stages: fc.array(short, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const write = fc.record({
  verb: fc.constantFrom("apply", "force", "update"),
  manager: fc.constantFrom("ann", "bob", "eve"),
  spec: config,
});

function play(writes: readonly { verb: string; manager: string; spec: object }[]): ApplySession {
  const s = session();
  for (const { verb, manager, spec: fields } of writes) {
    if (verb === "update") s.update(manager, { spec: fields });
    else if (verb === "force") s.apply(manager, { spec: fields }, { force: true });
    else s.conflicts(manager, { spec: fields });
  }
  return s;
}

/** An empty container is not there any more when its items went with the apply that emptied it, and is there after the next. */
const filled = config.map((spec) => {
  const { tags, parts, marks, ...rest } = spec;
  return {
    ...rest,
    ...(tags?.length ? { tags } : {}),
    ...(parts?.length ? { parts } : {}),
    ...(marks !== undefined && Object.keys(marks).length > 0 ? { marks } : {}),
  };
});

/** A container that lost its last field is null until defaulting or validation judges it: not a state that gets stored. */
function storable(s: ApplySession): boolean {
  return !JSON.stringify(s.fields).includes("null");
}

describe("apply laws", () => {
  it("applying twice is applying once", () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 5 }), filled, (before, last) => {
        const s = play(before);
        s.apply("ann", { spec: last }, { force: true });
        // An object that nobody owns anything of gets its entry before the next apply.
        fc.pre(storable(s) && s.live?.metadata.managedFields !== undefined);
        const once = s.live;
        const { object, changed } = s.apply("ann", { spec: last });
        expect(changed).toBe(false);
        expect(object).toBe(once);
      }),
      { numRuns: 200 },
    );
  });

  it("what was applied is there, and an update of nothing leaves everything", () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 5 }), config, (before, last) => {
        const s = play(before);
        s.apply("ann", { spec: last }, { force: true });
        const { color, lumens, stages } = (s.fields["spec"] ?? {}) as Record<string, unknown>;
        if (last.color !== undefined) expect(color).toBe(last.color);
        if (last.lumens !== undefined) expect(lumens).toBe(last.lumens);
        if (last.stages !== undefined) expect(stages).toEqual(last.stages);
        const kept = s.live;
        s.update("watcher", s.fields);
        expect(s.live).toEqual(kept);
      }),
      { numRuns: 200 },
    );
  });

  it("a forced apply leaves its manager without conflicts, and nobody owns what is not there", () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 6 }), config, (before, last) => {
        const s = play(before);
        s.apply("ann", { spec: last }, { force: true });
        fc.pre(storable(s));
        expect(s.conflicts("ann", { spec: last })).toEqual([]);
        for (const [, paths] of Object.values(s.owned)) {
          for (const at of paths) expect(at.startsWith(".spec")).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
