import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import { createMergePatch } from "./diff.ts";
import type { ValueObject } from "./json-value.ts";
import { applyMergePatch, decodeMergePatch } from "./merge-patch.ts";

// Expected values are those of github.com/evanphx/json-patch v5.

/** Object, patch, result. */
const merges: readonly (readonly [ValueObject, ValueObject, ValueObject])[] = [
  [{}, {}, {}],
  [{}, { a: "c" }, { a: "c" }],
  [{}, { b: "c" }, { b: "c" }],
  [{}, { a: null }, {}],
  [{}, { a: "b", b: null }, { a: "b" }],
  [{}, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{}, { a: [1] }, { a: [1] }],
  [{}, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{}, { a: [{ b: null }] }, { a: [{}] }],
  [{}, { a: [null, { x: null }] }, { a: [null, {}] }],
  [{}, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } } }],
  [{}, { z: { y: [{ x: null, w: 1 }] } }, { z: { y: [{ w: 1 }] } }],
  [{}, { a: { d: null } }, { a: {} }],
  [{}, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } } }],
  [{}, { g: null }, {}],
  [{}, { e: { f: null } }, { e: {} }],
  [{ a: "b" }, {}, { a: "b" }],
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b" }, { a: "b", b: null }, { a: "b" }],
  [{ a: "b" }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: "b" }, { a: [1] }, { a: [1] }],
  [{ a: "b" }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: "b" }, { a: [{ b: null }] }, { a: [{}] }],
  [{ a: "b" }, { a: [null, { x: null }] }, { a: [null, {}] }],
  [{ a: "b" }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } } }],
  [{ a: "b" }, { z: { y: [{ x: null, w: 1 }] } }, { a: "b", z: { y: [{ w: 1 }] } }],
  [{ a: "b" }, { a: { d: null } }, { a: {} }],
  [{ a: "b" }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } } }],
  [{ a: "b" }, { g: null }, { a: "b" }],
  [{ a: "b" }, { e: { f: null } }, { a: "b", e: {} }],
  [{ a: { b: "c" } }, {}, { a: { b: "c" } }],
  [{ a: { b: "c" } }, { a: "c" }, { a: "c" }],
  [{ a: { b: "c" } }, { b: "c" }, { a: { b: "c" }, b: "c" }],
  [{ a: { b: "c" } }, { a: null }, {}],
  [{ a: { b: "c" } }, { a: "b", b: null }, { a: "b" }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: { b: "c" } }, { a: [1] }, { a: [1] }],
  [{ a: { b: "c" } }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: { b: "c" } }, { a: [{ b: null }] }, { a: [{ b: null }] }],
  [{ a: { b: "c" } }, { a: [null, { x: null }] }, { a: [null, { x: null }] }],
  [{ a: { b: "c" } }, { a: { bb: { ccc: null, d: 1 } } }, { a: { b: "c", bb: { d: 1 } } }],
  [{ a: { b: "c" } }, { z: { y: [{ x: null, w: 1 }] } }, { a: { b: "c" }, z: { y: [{ w: 1 }] } }],
  [{ a: { b: "c" } }, { a: { d: null } }, { a: { b: "c" } }],
  [{ a: { b: "c" } }, { a: { d: { e: null, h: 1 } } }, { a: { b: "c", d: { h: 1 } } }],
  [{ a: { b: "c" } }, { g: null }, { a: { b: "c" } }],
  [{ a: { b: "c" } }, { e: { f: null } }, { a: { b: "c" }, e: {} }],
  [{ a: ["b"] }, {}, { a: ["b"] }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: ["b"] }, { b: "c" }, { a: ["b"], b: "c" }],
  [{ a: ["b"] }, { a: null }, {}],
  [{ a: ["b"] }, { a: "b", b: null }, { a: "b" }],
  [{ a: ["b"] }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: ["b"] }, { a: [1] }, { a: [1] }],
  [{ a: ["b"] }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: ["b"] }, { a: [{ b: null }] }, { a: [{}] }],
  [{ a: ["b"] }, { a: [null, { x: null }] }, { a: [null, {}] }],
  [{ a: ["b"] }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } } }],
  [{ a: ["b"] }, { z: { y: [{ x: null, w: 1 }] } }, { a: ["b"], z: { y: [{ w: 1 }] } }],
  [{ a: ["b"] }, { a: { d: null } }, { a: {} }],
  [{ a: ["b"] }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } } }],
  [{ a: ["b"] }, { g: null }, { a: ["b"] }],
  [{ a: ["b"] }, { e: { f: null } }, { a: ["b"], e: {} }],
  [{ a: null }, {}, { a: null }],
  [{ a: null }, { a: "c" }, { a: "c" }],
  [{ a: null }, { b: "c" }, { a: null, b: "c" }],
  [{ a: null }, { a: null }, {}],
  [{ a: null }, { a: "b", b: null }, { a: "b" }],
  [{ a: null }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: null }, { a: [1] }, { a: [1] }],
  [{ a: null }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: null }, { a: [{ b: null }] }, { a: [{}] }],
  [{ a: null }, { a: [null, { x: null }] }, { a: [null, {}] }],
  [{ a: null }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } } }],
  [{ a: null }, { z: { y: [{ x: null, w: 1 }] } }, { a: null, z: { y: [{ w: 1 }] } }],
  [{ a: null }, { a: { d: null } }, { a: {} }],
  [{ a: null }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } } }],
  [{ a: null }, { g: null }, { a: null }],
  [{ a: null }, { e: { f: null } }, { a: null, e: {} }],
  [{ a: [{ b: "c" }] }, {}, { a: [{ b: "c" }] }],
  [{ a: [{ b: "c" }] }, { a: "c" }, { a: "c" }],
  [{ a: [{ b: "c" }] }, { b: "c" }, { a: [{ b: "c" }], b: "c" }],
  [{ a: [{ b: "c" }] }, { a: null }, {}],
  [{ a: [{ b: "c" }] }, { a: "b", b: null }, { a: "b" }],
  [{ a: [{ b: "c" }] }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ a: [{ b: "c" }] }, { a: { b: { c: null } } }, { a: { b: {} } }],
  [{ a: [{ b: "c" }] }, { a: [{ b: null }] }, { a: [{}] }],
  [{ a: [{ b: "c" }] }, { a: [null, { x: null }] }, { a: [null, {}] }],
  [{ a: [{ b: "c" }] }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } } }],
  [{ a: [{ b: "c" }] }, { z: { y: [{ x: null, w: 1 }] } }, { a: [{ b: "c" }], z: { y: [{ w: 1 }] } }],
  [{ a: [{ b: "c" }] }, { a: { d: null } }, { a: {} }],
  [{ a: [{ b: "c" }] }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } } }],
  [{ a: [{ b: "c" }] }, { g: null }, { a: [{ b: "c" }] }],
  [{ a: [{ b: "c" }] }, { e: { f: null } }, { a: [{ b: "c" }], e: {} }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, {}, { a: { b: "c", d: { e: "f" } }, g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: "c" }, { a: "c", g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { b: "c" }, { a: { b: "c", d: { e: "f" } }, b: "c", g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: null }, { g: 1 }],
  [
    { a: { b: "c", d: { e: "f" } }, g: 1 },
    { a: "b", b: null },
    { a: "b", g: 1 },
  ],
  [
    { a: { b: "c", d: { e: "f" } }, g: 1 },
    { a: { b: "d", c: null } },
    { a: { b: "d", d: { e: "f" } }, g: 1 },
  ],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: [1] }, { a: [1], g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: { b: { c: null } } }, { a: { b: {}, d: { e: "f" } }, g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: [{ b: null }] }, { a: [{ b: null }], g: 1 }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: [null, { x: null }] }, { a: [null, { x: null }], g: 1 }],
  [
    { a: { b: "c", d: { e: "f" } }, g: 1 },
    { a: { bb: { ccc: null, d: 1 } } },
    { a: { b: "c", bb: { d: 1 }, d: { e: "f" } }, g: 1 },
  ],
  [
    { a: { b: "c", d: { e: "f" } }, g: 1 },
    { z: { y: [{ x: null, w: 1 }] } },
    { a: { b: "c", d: { e: "f" } }, g: 1, z: { y: [{ w: 1 }] } },
  ],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { a: { d: null } }, { a: { b: "c" }, g: 1 }],
  [
    { a: { b: "c", d: { e: "f" } }, g: 1 },
    { a: { d: { e: null, h: 1 } } },
    { a: { b: "c", d: { h: 1 } }, g: 1 },
  ],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { g: null }, { a: { b: "c", d: { e: "f" } } }],
  [{ a: { b: "c", d: { e: "f" } }, g: 1 }, { e: { f: null } }, { a: { b: "c", d: { e: "f" } }, e: {}, g: 1 }],
  [{ e: null }, {}, { e: null }],
  [{ e: null }, { a: "c" }, { a: "c", e: null }],
  [{ e: null }, { b: "c" }, { b: "c", e: null }],
  [{ e: null }, { a: null }, { e: null }],
  [{ e: null }, { a: "b", b: null }, { a: "b", e: null }],
  [{ e: null }, { a: { b: "d", c: null } }, { a: { b: "d" }, e: null }],
  [{ e: null }, { a: [1] }, { a: [1], e: null }],
  [{ e: null }, { a: { b: { c: null } } }, { a: { b: {} }, e: null }],
  [{ e: null }, { a: [{ b: null }] }, { a: [{}], e: null }],
  [{ e: null }, { a: [null, { x: null }] }, { a: [null, {}], e: null }],
  [{ e: null }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } }, e: null }],
  [{ e: null }, { z: { y: [{ x: null, w: 1 }] } }, { e: null, z: { y: [{ w: 1 }] } }],
  [{ e: null }, { a: { d: null } }, { a: {}, e: null }],
  [{ e: null }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } }, e: null }],
  [{ e: null }, { g: null }, { e: null }],
  [{ e: null }, { e: { f: null } }, { e: {} }],
  [{ a: "c", b: "b" }, {}, { a: "c", b: "b" }],
  [{ a: "c", b: "b" }, { a: "c" }, { a: "c", b: "b" }],
  [{ a: "c", b: "b" }, { b: "c" }, { a: "c", b: "c" }],
  [{ a: "c", b: "b" }, { a: null }, { b: "b" }],
  [{ a: "c", b: "b" }, { a: "b", b: null }, { a: "b" }],
  [{ a: "c", b: "b" }, { a: { b: "d", c: null } }, { a: { b: "d" }, b: "b" }],
  [{ a: "c", b: "b" }, { a: [1] }, { a: [1], b: "b" }],
  [{ a: "c", b: "b" }, { a: { b: { c: null } } }, { a: { b: {} }, b: "b" }],
  [{ a: "c", b: "b" }, { a: [{ b: null }] }, { a: [{}], b: "b" }],
  [{ a: "c", b: "b" }, { a: [null, { x: null }] }, { a: [null, {}], b: "b" }],
  [{ a: "c", b: "b" }, { a: { bb: { ccc: null, d: 1 } } }, { a: { bb: { d: 1 } }, b: "b" }],
  [{ a: "c", b: "b" }, { z: { y: [{ x: null, w: 1 }] } }, { a: "c", b: "b", z: { y: [{ w: 1 }] } }],
  [{ a: "c", b: "b" }, { a: { d: null } }, { a: {}, b: "b" }],
  [{ a: "c", b: "b" }, { a: { d: { e: null, h: 1 } } }, { a: { d: { h: 1 } }, b: "b" }],
  [{ a: "c", b: "b" }, { g: null }, { a: "c", b: "b" }],
  [{ a: "c", b: "b" }, { e: { f: null } }, { a: "c", b: "b", e: {} }],
];

describe("applyMergePatch", () => {
  for (const [before, patch, after] of merges) {
    it(`merges ${JSON.stringify(patch)} into ${JSON.stringify(before)}`, () => {
      const result = applyMergePatch(deepFreeze(before), deepFreeze(patch));
      expect(result).toEqual(after);
      if (JSON.stringify(before) === JSON.stringify(after) && Object.keys(patch).length === 0)
        expect(result).toBe(before);
    });
  }

  it("shares what the patch leaves alone and gives the same object when nothing changes", () => {
    const before = deepFreeze({ spec: { a: { b: 1 }, c: [1, { d: 2 }] }, status: { e: true } });
    const after = applyMergePatch(before, { spec: { a: { b: 2 } } }) as typeof before;
    expect(after.status).toBe(before.status);
    expect(after.spec.c).toBe(before.spec.c);
    expect(applyMergePatch(before, { spec: { a: { b: 1 }, none: null }, status: {} })).toBe(before);
  });

  it("keeps members where they were and appends new ones", () => {
    const after = applyMergePatch({ b: 1, a: 2, c: 3 }, { d: 4, a: 5, b: null });
    expect(JSON.stringify(after)).toBe('{"a":5,"c":3,"d":4}');
  });
});

describe("decodeMergePatch", () => {
  it("reports duplicate fields", () => {
    expect(decodeMergePatch('{"spec":{"color":"a","color":"b"}}')).toEqual({
      patch: { spec: { color: "b" } },
      strictErrors: ['duplicate field "spec.color"'],
    });
  });
  const mistakes = [
    ["{bad", "error decoding patch: invalid character 'b' looking for beginning of object key string"],
    ["", "error decoding patch: unexpected end of JSON input"],
    [
      "[]",
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    [
      '"x"',
      "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}",
    ],
    [
      "5",
      "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}",
    ],
    [
      "true",
      "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}",
    ],
  ] as const;
  for (const [text, message] of mistakes) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => decodeMergePatch(text)).toThrow(
        expect.objectContaining({ code: 400, reason: "BadRequest", message }),
      );
    });
  }
});

describe("createMergePatch", () => {
  const { object } = fc.letrec<{ object: ValueObject; value: ValueObject[string] }>((tie) => ({
    object: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("value"), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(1, "x", true),
      fc.array(fc.constantFrom(1, 2, "y"), { maxLength: 2 }),
      tie("object"),
    ),
  }));

  it("makes a patch that leads to the target, and none when there is nothing to do", () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        const before = deepFreeze(from);
        expect(applyMergePatch(before, createMergePatch(before, to))).toEqual(to);
        expect(createMergePatch(to, to)).toEqual({});
        expect(applyMergePatch(before, {})).toBe(before);
      }),
    );
  });
});
