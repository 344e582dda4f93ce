import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../status/field-error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compileSchema, validateSchema } from "./structural-schema.ts";

// Expected texts are those of k8s.io/apiextensions-apiserver v0.36. The value is the field v of an object.

type Case = readonly [schema: JsonSchema, value: unknown, errors: readonly string[]];

const groups: Record<string, readonly Case[]> = {
  types: [
    [{ type: "string" }, "a", []],
    [{ type: "string" }, "", []],
    [{ type: "string" }, 1, ['v: Invalid value: "integer": v in body must be of type string: "integer"']],
    [{ type: "string" }, 1.5, ['v: Invalid value: "number": v in body must be of type string: "number"']],
    [{ type: "string" }, true, ['v: Invalid value: "boolean": v in body must be of type string: "boolean"']],
    [{ type: "string" }, null, ['v: Invalid value: "null": v in body must be of type string: "null"']],
    [{ type: "string" }, [], ['v: Invalid value: "array": v in body must be of type string: "array"']],
    [{ type: "string" }, {}, ['v: Invalid value: "object": v in body must be of type string: "object"']],
    [{ type: "integer" }, 1, []],
    [{ type: "integer" }, -1, []],
    [{ type: "integer" }, 0, []],
    [
      { type: "integer" },
      1.5,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v',
        'v: Invalid value: "number": v in body must be of type integer: "number"',
      ],
    ],
    [{ type: "integer" }, "1", ['v: Invalid value: "string": v in body must be of type integer: "string"']],
    [
      { type: "integer" },
      true,
      ['v: Invalid value: "boolean": v in body must be of type integer: "boolean"'],
    ],
    [{ type: "integer" }, null, ['v: Invalid value: "null": v in body must be of type integer: "null"']],
    [{ type: "integer" }, [1], ['v: Invalid value: "array": v in body must be of type integer: "array"']],
    [{ type: "integer" }, {}, ['v: Invalid value: "object": v in body must be of type integer: "object"']],
    [
      { type: "integer" },
      100000000000000000000,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in v',
        'v: Invalid value: "number": v in body must be of type integer: "number"',
      ],
    ],
    [{ type: "integer" }, 9007199254740991, []],
    [{ type: "number" }, 1, []],
    [{ type: "number" }, 1.5, []],
    [{ type: "number" }, -0.1, []],
    [{ type: "number" }, 1e300, []],
    [{ type: "number" }, "1.5", ['v: Invalid value: "string": v in body must be of type number: "string"']],
    [{ type: "number" }, false, ['v: Invalid value: "boolean": v in body must be of type number: "boolean"']],
    [{ type: "number" }, null, ['v: Invalid value: "null": v in body must be of type number: "null"']],
    [{ type: "number" }, [], ['v: Invalid value: "array": v in body must be of type number: "array"']],
    [{ type: "boolean" }, true, []],
    [{ type: "boolean" }, false, []],
    [
      { type: "boolean" },
      "true",
      ['v: Invalid value: "string": v in body must be of type boolean: "string"'],
    ],
    [{ type: "boolean" }, 1, ['v: Invalid value: "integer": v in body must be of type boolean: "integer"']],
    [{ type: "boolean" }, null, ['v: Invalid value: "null": v in body must be of type boolean: "null"']],
    [{ type: "boolean" }, {}, ['v: Invalid value: "object": v in body must be of type boolean: "object"']],
    [{ type: "array", items: { type: "string" } }, [], []],
    [{ type: "array", items: { type: "string" } }, ["a"], []],
    [
      { type: "array", items: { type: "string" } },
      ["a", 1],
      ['v[1]: Invalid value: "integer": v[1] in body must be of type string: "integer"'],
    ],
    [
      { type: "array", items: { type: "string" } },
      [null],
      ['v[0]: Invalid value: "null": v[0] in body must be of type string: "null"'],
    ],
    [
      { type: "array", items: { type: "string" } },
      "a",
      ['v: Invalid value: "string": v in body must be of type array: "string"'],
    ],
    [
      { type: "array", items: { type: "string" } },
      {},
      ['v: Invalid value: "object": v in body must be of type array: "object"'],
    ],
    [
      { type: "array", items: { type: "string" } },
      null,
      ['v: Invalid value: "null": v in body must be of type array: "null"'],
    ],
    [{ type: "object" }, {}, []],
    [{ type: "object" }, { a: 1 }, []],
    [{ type: "object" }, [], ['v: Invalid value: "array": v in body must be of type object: "array"']],
    [{ type: "object" }, "a", ['v: Invalid value: "string": v in body must be of type object: "string"']],
    [{ type: "object" }, null, ['v: Invalid value: "null": v in body must be of type object: "null"']],
    [{ type: "object" }, 1, ['v: Invalid value: "integer": v in body must be of type object: "integer"']],
    [{}, "a", []],
    [{}, null, []],
    [{}, 1, []],
  ],
  null: [
    [{ type: "string", nullable: true }, null, []],
    [{ type: "string", nullable: true }, "a", []],
    [
      { type: "string", nullable: true },
      1,
      ['v: Invalid value: "integer": v in body must be of type string: "integer"'],
    ],
    [{ type: "object", nullable: true }, null, []],
    [{ type: "array", items: { type: "string", nullable: true } }, [null, "a"], []],
    [
      { type: "object", properties: { a: { type: "string" } } },
      { a: null },
      ['v.a: Invalid value: "null": v.a in body must be of type string: "null"'],
    ],
    [
      { type: "object", properties: { a: { type: "string", nullable: true } }, required: ["a"] },
      { a: null },
      [],
    ],
    [
      { type: "object", properties: { a: { type: "string", nullable: true } }, required: ["a"] },
      {},
      ["v.a: Required value"],
    ],
    [
      { type: "object", additionalProperties: { type: "string" } },
      { k: null },
      ['v.k: Invalid value: "null": v.k in body must be of type string: "null"'],
    ],
    [
      { type: "string", nullable: true, enum: ["a", null] },
      null,
      ['v: Unsupported value: null: supported values: "a", "null"'],
    ],
    [{ type: "string", nullable: true, enum: ["a", null] }, "a", []],
  ],
  "int or string": [
    [{ "x-kubernetes-int-or-string": true }, 1, []],
    [{ "x-kubernetes-int-or-string": true }, "1", []],
    [
      { "x-kubernetes-int-or-string": true },
      1.5,
      ['v: Invalid value: "number": v in body must be of type integer,string: "number"'],
    ],
    [
      { "x-kubernetes-int-or-string": true },
      true,
      ['v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"'],
    ],
    [
      { "x-kubernetes-int-or-string": true },
      null,
      ['v: Invalid value: "null": v in body must be of type integer,string: "null"'],
    ],
    [
      { "x-kubernetes-int-or-string": true },
      [],
      ['v: Invalid value: "array": v in body must be of type integer,string: "array"'],
    ],
    [{ "x-kubernetes-int-or-string": true }, "50%", []],
    [{ "x-kubernetes-int-or-string": true }, 5.0000000001, []],
    [{ "x-kubernetes-int-or-string": true, nullable: true }, null, []],
    [
      { "x-kubernetes-int-or-string": true, minimum: 3 },
      2,
      ["v: Invalid value: 2: v in body should be greater than or equal to 3"],
    ],
    [{ "x-kubernetes-int-or-string": true, minimum: 3 }, 3, []],
    [{ "x-kubernetes-int-or-string": true, minimum: 3 }, "1", []],
    [{ "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" }, "50%", []],
    [
      { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" },
      "50",
      ["v: Invalid value: \"50\": v in body should match '^[0-9]+%$'"],
    ],
    [{ "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" }, 7, []],
    [{ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, 1, []],
    [{ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, "a", []],
    [
      { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      true,
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Invalid value: "boolean": v in body must be of type integer,string: "boolean"',
        'v: Invalid value: "boolean": v in body must be of type integer: "boolean"',
      ],
    ],
  ],
  enum: [
    [{ type: "string", enum: ["a", "b"] }, "a", []],
    [{ type: "string", enum: ["a", "b"] }, "c", ['v: Unsupported value: "c": supported values: "a", "b"']],
    [{ type: "string", enum: ["a", "b"] }, "", ['v: Unsupported value: "": supported values: "a", "b"']],
    [
      { type: "string", enum: ["a", "b"] },
      1,
      [
        'v: Invalid value: "integer": v in body must be of type string: "integer"',
        'v: Unsupported value: 1: supported values: "a", "b"',
      ],
    ],
    [{ type: "integer", enum: [1, 2] }, 1, []],
    [{ type: "integer", enum: [1, 2] }, 3, ['v: Unsupported value: 3: supported values: "1", "2"']],
    [
      { type: "integer", enum: [1, 2] },
      "1",
      [
        'v: Invalid value: "string": v in body must be of type integer: "string"',
        'v: Unsupported value: "1": supported values: "1", "2"',
      ],
    ],
    [{ type: "number", enum: [1, 1.5, 2] }, 1, []],
    [{ type: "number", enum: [1, 1.5, 2] }, 1.25, []],
    [{ type: "number", enum: [1, 1.5, 2] }, 1.5, []],
    [
      { type: "number", enum: [1, 1.5, 2] },
      3,
      ['v: Unsupported value: 3: supported values: "1", "1.5", "2"'],
    ],
    [{ type: "boolean", enum: [true] }, true, []],
    [{ type: "boolean", enum: [true] }, false, ['v: Unsupported value: false: supported values: "true"']],
    [{ type: "object", enum: [{ a: 1 }] }, { a: 1 }, []],
    [
      { type: "object", enum: [{ a: 1 }] },
      { a: 2 },
      ['v: Unsupported value: {"a":2}: supported values: "{\\"a\\":1}"'],
    ],
    [{ type: "object", enum: [{ a: 1 }] }, {}, ['v: Unsupported value: {}: supported values: "{\\"a\\":1}"']],
    [{ type: "array", items: { type: "string" }, enum: [["a"], []] }, ["a"], []],
    [{ type: "array", items: { type: "string" }, enum: [["a"], []] }, [], []],
    [
      { type: "array", items: { type: "string" }, enum: [["a"], []] },
      ["b"],
      ['v: Unsupported value: ["b"]: supported values: "[\\"a\\"]", "[]"'],
    ],
    [{ enum: ["a", 1, null] }, "a", []],
    [{ enum: ["a", 1, null] }, 1, []],
    [{ enum: ["a", 1, null] }, 97, []],
    [{ enum: ["a", 1, null] }, null, ['v: Unsupported value: null: supported values: "a", "1", "null"']],
    [{ enum: ["a", 1, null] }, "1", ['v: Unsupported value: "1": supported values: "a", "1", "null"']],
    [
      { type: "string", enum: ["line\nbreak", "<x>"] },
      "other",
      ['v: Unsupported value: "other": supported values: "line\\nbreak", "<x>"'],
    ],
  ],
  bounds: [
    [
      { type: "integer", minimum: 2 },
      1,
      ["v: Invalid value: 1: v in body should be greater than or equal to 2"],
    ],
    [{ type: "integer", minimum: 2 }, 2, []],
    [{ type: "integer", minimum: 2 }, 3, []],
    [{ type: "integer", maximum: 2 }, 1, []],
    [{ type: "integer", maximum: 2 }, 2, []],
    [
      { type: "integer", maximum: 2 },
      3,
      ["v: Invalid value: 3: v in body should be less than or equal to 2"],
    ],
    [
      { type: "integer", minimum: 2, exclusiveMinimum: true },
      2,
      ["v: Invalid value: 2: v in body should be greater than 2"],
    ],
    [{ type: "integer", minimum: 2, exclusiveMinimum: true }, 3, []],
    [
      { type: "integer", maximum: 2, exclusiveMaximum: true },
      2,
      ["v: Invalid value: 2: v in body should be less than 2"],
    ],
    [{ type: "integer", maximum: 2, exclusiveMaximum: true }, 1, []],
    [
      { type: "number", minimum: 0.5, maximum: 1.5 },
      0.4,
      ["v: Invalid value: 0.4: v in body should be greater than or equal to 0.5"],
    ],
    [{ type: "number", minimum: 0.5, maximum: 1.5 }, 0.5, []],
    [{ type: "number", minimum: 0.5, maximum: 1.5 }, 1.5, []],
    [
      { type: "number", minimum: 0.5, maximum: 1.5 },
      1.6,
      ["v: Invalid value: 1.6: v in body should be less than or equal to 1.5"],
    ],
    [{ type: "number", minimum: 0.5, maximum: 1.5 }, 1, []],
    [
      { type: "number", minimum: 0.5, maximum: 1.5 },
      2,
      ["v: Invalid value: 2: v in body should be less than or equal to 1"],
    ],
    [
      { type: "number", minimum: 0.5, exclusiveMinimum: true },
      0.5,
      ["v: Invalid value: 0.5: v in body should be greater than 0.5"],
    ],
    [{ type: "number", minimum: 0.5, exclusiveMinimum: true }, 0.6, []],
    [
      { type: "integer", maximum: 2.5 },
      2,
      ['<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in v'],
    ],
    [
      { type: "integer", maximum: 2.5 },
      3,
      [
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in v',
        "v: Invalid value: 3: v in body should be less than or equal to 2.5",
      ],
    ],
    [
      { type: "number", maximum: 2.5 },
      3,
      ["v: Invalid value: 3: v in body should be less than or equal to 2"],
    ],
    [
      { type: "number", maximum: 2.5 },
      2.6,
      ["v: Invalid value: 2.6: v in body should be less than or equal to 2.5"],
    ],
    [
      { type: "integer", minimum: -5, maximum: -2 },
      -6,
      ["v: Invalid value: -6: v in body should be greater than or equal to -5"],
    ],
    [{ type: "integer", minimum: -5, maximum: -2 }, -5, []],
    [
      { type: "integer", minimum: -5, maximum: -2 },
      -1,
      ["v: Invalid value: -1: v in body should be less than or equal to -2"],
    ],
    [
      { type: "number", maximum: 1000000 },
      1000001,
      ["v: Invalid value: 1000001: v in body should be less than or equal to 1000000"],
    ],
    [
      { type: "number", maximum: 1000000 },
      1000000.5,
      ["v: Invalid value: 1.0000005e+06: v in body should be less than or equal to 1e+06"],
    ],
    [{ type: "integer", exclusiveMinimum: true }, 0, []],
    [
      { type: "integer", maximum: 100000000000000000000 },
      1,
      ['<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in v'],
    ],
    [
      { type: "number", maximum: 100000000000000000000 },
      1,
      ["v: Invalid value: 1: v in body should be less than or equal to -9223372036854775808"],
    ],
    [{ type: "number", maximum: 100000000000000000000 }, 1.5, []],
  ],
  "number formats": [
    [{ type: "integer", format: "int32" }, 2147483647, []],
    [
      { type: "integer", format: "int32" },
      2147483648,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v'],
    ],
    [
      { type: "integer", format: "int32" },
      -2147483649,
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v'],
    ],
    [
      { type: "integer", format: "int32" },
      "x",
      ['v: Invalid value: "string": v in body must be of type integer: "string"'],
    ],
    [{ type: "integer", format: "int64" }, 2147483648, []],
    [
      { type: "integer", format: "int64" },
      1.5,
      [
        '<nil>: Invalid value: "": Checked value must be of type integer with format int64 in v',
        'v: Invalid value: "float64": v in body must be of type int64: "float64"',
      ],
    ],
    [{ type: "number", format: "float" }, 1.5, []],
    [
      { type: "number", format: "float" },
      1e39,
      ['<nil>: Invalid value: "": Checked value must be of type number with format float in v'],
    ],
    [{ type: "number", format: "float" }, 1, []],
    [{ type: "number", format: "double" }, 1e300, []],
    [{ type: "integer", format: "date" }, 1, []],
    [
      { type: "integer", format: "date" },
      "2020-01-01",
      ['v: Invalid value: "string": v in body must be of type integer: "string"'],
    ],
    [
      { type: "string", format: "date" },
      5,
      ['v: Invalid value: "int64": v in body must be of type date: "int64"'],
    ],
    [{ type: "string", format: "date" }, true, ['v: Invalid value: "": v in body must be of type date: ""']],
    [{ type: "string", format: "date" }, ["2020-01-01"], []],
    [
      { type: "string", format: "date" },
      { a: 1 },
      ['v: Invalid value: "": v in body must be of type date: ""'],
    ],
  ],
  "multiple of": [
    [{ type: "integer", multipleOf: 3 }, 9, []],
    [{ type: "integer", multipleOf: 3 }, 10, ["v: Invalid value: 10: v in body should be a multiple of 3"]],
    [{ type: "integer", multipleOf: 3 }, 0, []],
    [{ type: "integer", multipleOf: 3 }, -6, []],
    [{ type: "number", multipleOf: 0.1 }, 0.3, []],
    [
      { type: "number", multipleOf: 0.1 },
      0.35,
      ["v: Invalid value: 0.35: v in body should be a multiple of 0.1"],
    ],
    [{ type: "number", multipleOf: 0.01 }, 19.99, []],
    [{ type: "number", multipleOf: 0.01 }, 4.35, []],
    [
      { type: "number", multipleOf: 0.01 },
      0.005,
      ["v: Invalid value: 0.005: v in body should be a multiple of 0.01"],
    ],
    [{ type: "number", multipleOf: 2.5 }, 5, ["v: Invalid value: 5: v in body should be a multiple of 2"]],
    [{ type: "number", multipleOf: 2.5 }, 4, []],
    [{ type: "number", multipleOf: 2.5 }, 7.5, []],
    [
      { type: "integer", multipleOf: 2.5 },
      5,
      ['<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v'],
    ],
    [
      { type: "integer", multipleOf: 2.5 },
      4,
      [
        '<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v',
        "v: Invalid value: 4: v in body should be a multiple of 2.5",
      ],
    ],
    [
      { type: "integer", multipleOf: 0.01 },
      1,
      ['<nil>: Invalid value: "": MultipleOf value must be of type integer (default format) in v'],
    ],
    [{ type: "number", multipleOf: 1.5 }, -4.5, []],
    [{ type: "number", multipleOf: 1.5 }, -4, []],
  ],
  strings: [
    [{ type: "string", maxLength: 3 }, "abc", []],
    [{ type: "string", maxLength: 3 }, "abcd", ["v: Too long: may not be more than 3 bytes"]],
    [{ type: "string", maxLength: 3 }, "日本語", []],
    [{ type: "string", maxLength: 3 }, "日本語日", ["v: Too long: may not be more than 3 bytes"]],
    [{ type: "string", maxLength: 3 }, "\ud83d\ude00\ud83d\ude00\ud83d\ude00", []],
    [{ type: "string", maxLength: 1 }, "ab", ["v: Too long: may not be more than 1 byte"]],
    [{ type: "string", maxLength: 0 }, "", []],
    [{ type: "string", maxLength: 0 }, "a", ["v: Too long: may not be more than 0 bytes"]],
    [
      { type: "string", minLength: 2 },
      "a",
      ['v: Invalid value: "a": v in body should be at least 2 chars long'],
    ],
    [{ type: "string", minLength: 2 }, "ab", []],
    [
      { type: "string", minLength: 2 },
      "\ud83d\ude00",
      ['v: Invalid value: "\ud83d\ude00": v in body should be at least 2 chars long'],
    ],
    [{ type: "string", pattern: "b" }, "abc", []],
    [{ type: "string", pattern: "b" }, "ac", ["v: Invalid value: \"ac\": v in body should match 'b'"]],
    [{ type: "string", pattern: "^a$" }, "a", []],
    [{ type: "string", pattern: "^a$" }, "a\n", ["v: Invalid value: \"a\\n\": v in body should match '^a$'"]],
    [{ type: "string", pattern: "^a$" }, "ab", ["v: Invalid value: \"ab\": v in body should match '^a$'"]],
    [{ type: "string", pattern: "(?i)^AB$" }, "ab", []],
    [{ type: "string", pattern: "^\\p{Greek}+$" }, "αβ", []],
    [
      { type: "string", pattern: "^\\p{Greek}+$" },
      "ab",
      ["v: Invalid value: \"ab\": v in body should match '^\\p{Greek}+$'"],
    ],
    [
      { type: "string", minLength: 2, maxLength: 1, pattern: "x" },
      "a",
      ['v: Invalid value: "a": v in body should be at least 2 chars long'],
    ],
    [
      { type: "string", minLength: 2, maxLength: 1, pattern: "x" },
      "ab",
      ["v: Too long: may not be more than 1 byte"],
    ],
  ],
  lists: [
    [
      { type: "array", items: { type: "string" }, minItems: 1 },
      [],
      ["v: Invalid value: 0: v in body should have at least 1 items"],
    ],
    [{ type: "array", items: { type: "string" }, minItems: 1 }, ["a"], []],
    [{ type: "array", items: { type: "string" }, maxItems: 1 }, ["a"], []],
    [
      { type: "array", items: { type: "string" }, maxItems: 1 },
      ["a", "b"],
      ["v: Too many: 2: must have at most 1 item"],
    ],
    [
      { type: "array", items: { type: "string" }, maxItems: 2 },
      ["a", "b", "c", 1],
      [
        "v: Too many: 4: must have at most 2 items",
        'v[3]: Invalid value: "integer": v[3] in body must be of type string: "integer"',
      ],
    ],
    [
      { type: "array", items: { type: "array", items: { type: "integer" } } },
      [[1], [2, "x"]],
      ['v[1][1]: Invalid value: "string": v[1][1] in body must be of type integer: "string"'],
    ],
    [
      { type: "array", items: { type: "array", items: { type: "integer" } } },
      [1],
      ['v[0]: Invalid value: "integer": v[0] in body must be of type array: "integer"'],
    ],
    [
      { type: "array", items: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } },
      [{ a: 1 }, {}, { a: "x" }],
      [
        "v[1].a: Required value",
        'v[2].a: Invalid value: "string": v[2].a in body must be of type integer: "string"',
      ],
    ],
  ],
  objects: [
    [{ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } }, { a: "x", b: 1 }, []],
    [
      { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } },
      { a: 1, b: "x" },
      [
        'v.a: Invalid value: "integer": v.a in body must be of type string: "integer"',
        'v.b: Invalid value: "string": v.b in body must be of type integer: "string"',
      ],
    ],
    [{ type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } }, { c: 1 }, []],
    [{ type: "object", required: ["a", "b"] }, {}, ["v.a: Required value", "v.b: Required value"]],
    [{ type: "object", required: ["a", "b"] }, { a: 1 }, ["v.b: Required value"]],
    [{ type: "object", required: ["a", "b"] }, { a: 1, b: 2 }, []],
    [
      { type: "object", properties: { p: { type: "object", required: ["q"] } } },
      { p: {} },
      ["v.p.q: Required value"],
    ],
    [{ type: "object", properties: { p: { type: "object", required: ["q"] } } }, { p: { q: 1 } }, []],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      { a: 1, b: "x" },
      ['v.b: Invalid value: "string": v.b in body must be of type integer: "string"'],
    ],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      { "a.b": "x" },
      ['v.a.b: Invalid value: "string": v.a.b in body must be of type integer: "string"'],
    ],
    [
      {
        type: "object",
        properties: {
          m: {
            type: "object",
            additionalProperties: { type: "object", properties: { x: { type: "string" } } },
          },
        },
      },
      { m: { k: { x: 1 } } },
      ['v.m.k.x: Invalid value: "integer": v.m.k.x in body must be of type string: "integer"'],
    ],
    [{ type: "object", additionalProperties: true }, { a: 1 }, []],
    [
      { type: "object", additionalProperties: false },
      { a: 1 },
      ['v: Invalid value: "a": v.a in body is a forbidden property'],
    ],
    [{ type: "object", additionalProperties: false }, {}, []],
    [
      { type: "object", minProperties: 1 },
      {},
      ["v: Invalid value: 0: v in body should have at least 1 properties"],
    ],
    [{ type: "object", minProperties: 1 }, { a: 1 }, []],
    [{ type: "object", maxProperties: 1 }, { a: 1 }, []],
    [{ type: "object", maxProperties: 1 }, { a: 1, b: 2 }, ["v: Too many: 2: must have at most 1 item"]],
    [{ type: "object", maxProperties: 0 }, { a: 1 }, ["v: Too many: 1: must have at most 0 items"]],
    [
      { type: "object", properties: { "a-b": { type: "integer" }, "c/d": { type: "integer" } } },
      { "a-b": "x", "c/d": "y" },
      [
        'v.a-b: Invalid value: "string": v.a-b in body must be of type integer: "string"',
        'v.c/d: Invalid value: "string": v.c/d in body must be of type integer: "string"',
      ],
    ],
  ],
  anyOf: [
    [{ type: "string", anyOf: [{ pattern: "^a" }, { pattern: "z$" }] }, "ab", []],
    [{ type: "string", anyOf: [{ pattern: "^a" }, { pattern: "z$" }] }, "yz", []],
    [
      { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "z$" }] },
      "b",
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        "v: Invalid value: \"b\": v in body should match '^a'",
      ],
    ],
    [
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "integer" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      {},
      ['<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)', "v.a: Required value"],
    ],
    [
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "integer" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { a: 1 },
      [],
    ],
    [
      {
        type: "object",
        properties: { a: { type: "integer" }, b: { type: "integer" } },
        anyOf: [{ required: ["a"] }, { required: ["b"] }],
      },
      { b: 1 },
      [],
    ],
    [{ type: "integer", anyOf: [{ maximum: 1 }, { minimum: 10 }] }, 0, []],
    [
      { type: "integer", anyOf: [{ maximum: 1 }, { minimum: 10 }] },
      5,
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        "v: Invalid value: 5: v in body should be less than or equal to 1",
      ],
    ],
    [{ type: "integer", anyOf: [{ maximum: 1 }, { minimum: 10 }] }, 10, []],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [
          { properties: { a: { enum: ["x"] }, b: { enum: ["x"] } } },
          { properties: { a: { enum: ["y"] } } },
        ],
      },
      { a: "q", b: "x" },
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v.a: Unsupported value: "q": supported values: "x"',
      ],
    ],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [
          { properties: { a: { enum: ["x"] }, b: { enum: ["x"] } } },
          { properties: { a: { enum: ["y"] } } },
        ],
      },
      { a: "q", b: "q" },
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v.a: Unsupported value: "q": supported values: "x"',
        'v.b: Unsupported value: "q": supported values: "x"',
      ],
    ],
    [
      {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        anyOf: [
          { properties: { a: { enum: ["x"] }, b: { enum: ["x"] } } },
          { properties: { a: { enum: ["y"] } } },
        ],
      },
      { a: "y" },
      [],
    ],
    [
      { type: "string", anyOf: [{ maxLength: 1 }] },
      "ab",
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        "v: Too long: may not be more than 1 byte",
      ],
    ],
  ],
  oneOf: [
    [
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      {},
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid',
        "v.a: Required value",
      ],
    ],
    [{ type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] }, { a: 1 }, []],
    [
      { type: "object", oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 1 },
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { type: "integer", oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] },
      0,
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid',
        "v: Invalid value: 0: v in body should be greater than or equal to 1",
      ],
    ],
    [{ type: "integer", oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] }, 1, []],
    [
      { type: "integer", oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] },
      2,
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { type: "integer", oneOf: [{ minimum: 1 }, { minimum: 2 }, { minimum: 3 }] },
      3,
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 3 valid alternatives',
      ],
    ],
    [{ type: "string", oneOf: [{ enum: ["a"] }, { minLength: 3 }] }, "a", []],
    [
      { type: "string", oneOf: [{ enum: ["a"] }, { minLength: 3 }] },
      "b",
      [
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid',
        'v: Unsupported value: "b": supported values: "a"',
      ],
    ],
    [{ type: "string", oneOf: [{ enum: ["a"] }, { minLength: 3 }] }, "abc", []],
  ],
  allOf: [
    [
      { type: "integer", allOf: [{ minimum: 2 }, { maximum: 4 }] },
      1,
      [
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
        "v: Invalid value: 1: v in body should be greater than or equal to 2",
      ],
    ],
    [{ type: "integer", allOf: [{ minimum: 2 }, { maximum: 4 }] }, 3, []],
    [
      { type: "integer", allOf: [{ minimum: 2 }, { maximum: 4 }] },
      5,
      [
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
        "v: Invalid value: 5: v in body should be less than or equal to 4",
      ],
    ],
    [
      { type: "string", allOf: [{ minLength: 5 }, { pattern: "^b" }] },
      "a",
      [
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf). None validated',
        'v: Invalid value: "a": v in body should be at least 5 chars long',
        "v: Invalid value: \"a\": v in body should match '^b'",
      ],
    ],
    [{ type: "string", allOf: [{ minLength: 5 }, { pattern: "^b" }] }, "bbbbb", []],
    [
      { type: "object", allOf: [{ required: ["a"] }, { properties: { a: { minimum: 3 } } }] },
      {},
      ['<nil>: Invalid value: "": "v" must validate all the schemas (allOf)', "v.a: Required value"],
    ],
    [
      { type: "object", allOf: [{ required: ["a"] }, { properties: { a: { minimum: 3 } } }] },
      { a: 1 },
      [
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
        "v.a: Invalid value: 1: v.a in body should be greater than or equal to 3",
      ],
    ],
    [{ type: "object", allOf: [{ required: ["a"] }, { properties: { a: { minimum: 3 } } }] }, { a: 3 }, []],
  ],
  not: [
    [
      { type: "string", not: { enum: ["x"] } },
      "x",
      ['<nil>: Invalid value: "": "v" must not validate the schema (not)'],
    ],
    [{ type: "string", not: { enum: ["x"] } }, "y", []],
    [
      { type: "object", not: { required: ["a"] } },
      { a: 1 },
      ['<nil>: Invalid value: "": "v" must not validate the schema (not)'],
    ],
    [{ type: "object", not: { required: ["a"] } }, {}, []],
    [{ type: "string", not: { not: { pattern: "a" } } }, "a", []],
    [
      { type: "string", not: { not: { pattern: "a" } } },
      "b",
      ['<nil>: Invalid value: "": "v" must not validate the schema (not)'],
    ],
  ],
  "junctors in junctors": [
    [
      {
        type: "string",
        allOf: [{ anyOf: [{ minLength: 3 }, { enum: ["q"] }] }, { not: { pattern: "bad" } }],
      },
      "abc",
      [],
    ],
    [
      {
        type: "string",
        allOf: [{ anyOf: [{ minLength: 3 }, { enum: ["q"] }] }, { not: { pattern: "bad" } }],
      },
      "q",
      [],
    ],
    [
      {
        type: "string",
        allOf: [{ anyOf: [{ minLength: 3 }, { enum: ["q"] }] }, { not: { pattern: "bad" } }],
      },
      "b",
      [
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        'v: Invalid value: "b": v in body should be at least 3 chars long',
      ],
    ],
    [
      {
        type: "string",
        allOf: [{ anyOf: [{ minLength: 3 }, { enum: ["q"] }] }, { not: { pattern: "bad" } }],
      },
      "bad",
      [
        '<nil>: Invalid value: "": "v" must not validate the schema (not)',
        '<nil>: Invalid value: "": "v" must validate all the schemas (allOf)',
      ],
    ],
    [
      {
        type: "object",
        properties: { m: { type: "string" }, n: { type: "integer" } },
        anyOf: [{ oneOf: [{ required: ["m"] }, { required: ["n"] }] }, { maxProperties: 0 }],
      },
      {},
      [],
    ],
    [
      {
        type: "object",
        properties: { m: { type: "string" }, n: { type: "integer" } },
        anyOf: [{ oneOf: [{ required: ["m"] }, { required: ["n"] }] }, { maxProperties: 0 }],
      },
      { m: "a" },
      [],
    ],
    [
      {
        type: "object",
        properties: { m: { type: "string" }, n: { type: "integer" } },
        anyOf: [{ oneOf: [{ required: ["m"] }, { required: ["n"] }] }, { maxProperties: 0 }],
      },
      { m: "a", n: 1 },
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        '<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { type: "array", items: { type: "integer" }, anyOf: [{ maxItems: 1 }, { items: { minimum: 5 } }] },
      [1],
      [],
    ],
    [
      { type: "array", items: { type: "integer" }, anyOf: [{ maxItems: 1 }, { items: { minimum: 5 } }] },
      [6, 7],
      [],
    ],
    [
      { type: "array", items: { type: "integer" }, anyOf: [{ maxItems: 1 }, { items: { minimum: 5 } }] },
      [1, 2],
      [
        '<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)',
        "v[0]: Invalid value: 1: v[0] in body should be greater than or equal to 5",
        "v[1]: Invalid value: 2: v[1] in body should be greater than or equal to 5",
      ],
    ],
  ],
  "several errors": [
    [
      {
        type: "object",
        properties: {
          a: { type: "string", maxLength: 1, enum: ["q"] },
          b: { type: "integer", minimum: 5, multipleOf: 7 },
        },
        required: ["c"],
        maxProperties: 1,
      },
      { a: "xx", b: 3 },
      [
        "v.a: Too long: may not be more than 1 byte",
        'v.a: Unsupported value: "xx": supported values: "q"',
        "v.b: Invalid value: 3: v.b in body should be a multiple of 7",
        "v.b: Invalid value: 3: v.b in body should be greater than or equal to 5",
        "v.c: Required value",
        "v: Too many: 2: must have at most 1 item",
      ],
    ],
  ],
};

describe.each(Object.entries(groups))("checking %s", (_group, cases) => {
  it.each(cases)("%j given %j: %j", (schema, value, expected) => {
    const compiled = compileSchema({ type: "object", properties: { v: schema } });
    const errors = validateSchema(compiled, { v: value }).map(fieldErrorText);
    expect(errors.sort()).toEqual(expected);
  });
});

describe("integers beyond the exact range of a double", () => {
  it("takes a bound that only a bigint holds as the double that the server makes of it", () => {
    const schema = { type: "integer", maximum: (2n ** 53n + 1n) as unknown as number };
    const errors = validateSchema(compileSchema(schema), 2n ** 53n + 2n).map(fieldErrorText);
    expect(errors).toEqual([
      "<nil>: Invalid value: 9007199254740994:  in body should be less than or equal to 9007199254740992",
    ]);
  });

  it("refuses a double that is only just the least 64-bit integer", () => {
    const [, error] = validateSchema(compileSchema({ type: "integer", format: "int64" }), -(2 ** 63));
    expect(error?.detail).toBe("Checked value must be of type integer with format int64 in ");
  });

  const bounded = compileSchema({ type: "integer", maximum: 2 ** 62 });

  it("compares them as integers", () => {
    expect(validateSchema(bounded, 2n ** 62n)).toEqual([]);
    expect(validateSchema(bounded, 2n ** 62n + 1n).map(fieldErrorText)).toEqual([
      "<nil>: Invalid value: 4611686018427387905:  in body should be less than or equal to 4611686018427387904",
    ]);
  });

  it("does not take one for an integer that needs more than 64 bits", () => {
    const errors = validateSchema(compileSchema({ type: "integer" }), 2n ** 63n).map(fieldErrorText);
    expect(errors).toEqual([
      '<nil>: Invalid value: "number":  in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in ',
    ]);
  });
});
