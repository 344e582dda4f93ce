import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../object/object.ts";
import { DecodeError } from "./decode-error.ts";
import { scanJson } from "./json-scanner.ts";
import { decodeJson, encodeJson } from "./json.ts";

// Expected values are those of sigs.k8s.io/json, keys sorted.

/** Text, what it is written as again, duplicate fields. */
const texts: readonly (readonly [string, string, readonly string[]])[] = [
  ["{}", "{}", []],
  ["[]", "[]", []],
  ["null", "null", []],
  ["true", "true", []],
  ["false", "false", []],
  ['"a"', '"a"', []],
  ['"\\u00e9"', '"é"', []],
  ['"\\ud83d\\ude00"', '"😀"', []],
  ['"\\ud83d"', '"�"', []],
  ['"\\ude00x"', '"�x"', []],
  ['"\\ud83dx\\ude00"', '"�x�"', []],
  ['"é😀"', '"é😀"', []],
  ["0", "0", []],
  ["-0", "0", []],
  ["1.5", "1.5", []],
  ["1e5", "100000", []],
  ["1E-5", "0.00001", []],
  ["9007199254740991", "9007199254740991", []],
  ["9007199254740993", "9007199254740993", []],
  ["-9007199254740993", "-9007199254740993", []],
  ["9223372036854775807", "9223372036854775807", []],
  ["9223372036854775808", "9223372036854776000", []],
  ["-9223372036854775808", "-9223372036854775808", []],
  ["-9223372036854775809", "-9223372036854776000", []],
  ["100000000000000000000", "100000000000000000000", []],
  ["1.0", "1", []],
  ["1e2", "100", []],
  ["0.1", "0.1", []],
  ["1e21", "1e+21", []],
  ["1E-7", "1e-7", []],
  ["123456789012345678", "123456789012345678", []],
  ["0.30000000000000004", "0.30000000000000004", []],
  ['{"a":1,"b":2}', '{"a":1,"b":2}', []],
  ['{"a":[1,{"b":2}]}', '{"a":[1,{"b":2}]}', []],
  ['{"a":1,"a":2}', '{"a":2}', ['duplicate field "a"']],
  ['{"a":{"b":1,"b":2},"a":3}', '{"a":3}', ['duplicate field "a.b"', 'duplicate field "a"']],
  [
    '{"a":[{"b":1,"b":2},{"c":1,"c":2}]}',
    '{"a":[{"b":2},{"c":2}]}',
    ['duplicate field "a[0].b"', 'duplicate field "a[1].c"'],
  ],
  ['{"a":[[{"b":1,"b":2}]]}', '{"a":[[{"b":2}]]}', ['duplicate field "a[0][0].b"']],
  ['{"a":1,"a":2,"a":3}', '{"a":3}', ['duplicate field "a"']],
  ['{"a\\u0062":1,"ab":2}', '{"ab":2}', ['duplicate field "ab"']],
  ['{"":1,"":2}', '{"":2}', ['duplicate field ""']],
  ['{"a":{"":1,"":2}}', '{"a":{"":2}}', ['duplicate field "a."']],
  ['{"x\\"y":1,"x\\"y":2}', '{"x\\"y":2}', ['duplicate field "x\\"y"']],
  ['{"a":{"x":1},"b":{"x":1}}', '{"a":{"x":1},"b":{"x":1}}', []],
  ['{"a":{"a":{"a":1,"a":2}}}', '{"a":{"a":{"a":2}}}', ['duplicate field "a.a.a"']],
  ['{"a":"\\"b\\":1","c":"{\\"c\\":1}"}', '{"a":"\\"b\\":1","c":"{\\"c\\":1}"}', []],
  ['{"a":1,"A":2}', '{"A":2,"a":1}', []],
  ['{"a":[1,2],"a":[{"x":1,"x":2}]}', '{"a":[{"x":2}]}', ['duplicate field "a"', 'duplicate field "a[0].x"']],
  ['{"__proto__":1,"__proto__":2}', '{"__proto__":2}', ['duplicate field "__proto__"']],
  ['{"a":null,"a":null}', '{"a":null}', ['duplicate field "a"']],
  [' {"a" : 1 , "a" : 2 } ', '{"a":2}', ['duplicate field "a"']],
  ['[1,2,3,{"a":"b"},[],{},null,true]', '[1,2,3,{"a":"b"},[],{},null,true]', []],
  ['{"a":1.5e300,"b":1e-320,"c":123456.789e3}', '{"a":1.5e+300,"b":1e-320,"c":123456789}', []],
  ['"\\b\\f\\n\\r\\t\\/\\\\\\""', '"\\b\\f\\n\\r\\t/\\\\\\""', []],
  ["\t\n\r {}", "{}", []],
  ['{"a":"<>&\\u2028"}', '{"a":"\\u003c\\u003e\\u0026\\u2028"}', []],
  ['{"k":""}', '{"k":""}', []],
  ['{"n":1234567890123456}', '{"n":1234567890123456}', []],
  ['{"n":12345678901234567,"n":1}', '{"n":1}', ['duplicate field "n"']],
];

/** Text, error. */
const mistakes: readonly (readonly [string, string])[] = [
  ["", "unexpected end of JSON input"],
  ["  ", "unexpected end of JSON input"],
  ["{", "unexpected end of JSON input"],
  ["}", "invalid character '}' looking for beginning of value"],
  ["[", "unexpected end of JSON input"],
  ["]", "invalid character ']' looking for beginning of value"],
  ["nul", "invalid character ' ' in literal null (expecting 'l')"],
  ["tru", "invalid character ' ' in literal true (expecting 'e')"],
  ["truE", "invalid character 'E' in literal true (expecting 'e')"],
  ["fals", "invalid character ' ' in literal false (expecting 'e')"],
  ["nulll", "invalid character 'l' after top-level value"],
  ['"', "unexpected end of JSON input"],
  ['"a', "unexpected end of JSON input"],
  ['"\\', "invalid character ' ' in string escape code"],
  ['"\\u', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"\\q"', "invalid character 'q' in string escape code"],
  ['"\\uzzzz"', "invalid character 'z' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"a\tb"', "invalid character '\\t' in string literal"],
  ['"\u0000"', "invalid character '\\x00' in string literal"],
  ["-", "invalid character ' ' in numeric literal"],
  ["+1", "invalid character '+' looking for beginning of value"],
  ["01", "invalid character '1' after top-level value"],
  ["1.", "invalid character ' ' after decimal point in numeric literal"],
  [".5", "invalid character '.' looking for beginning of value"],
  ["1e", "invalid character ' ' in exponent of numeric literal"],
  ["1e+", "invalid character ' ' in exponent of numeric literal"],
  ["1e400", "json: cannot unmarshal number 1e400 into Go value of type float64"],
  ["-1e400", "json: cannot unmarshal number -1e400 into Go value of type float64"],
  ["1.e5", "invalid character 'e' after decimal point in numeric literal"],
  ["-a", "invalid character 'a' in numeric literal"],
  ["12a", "invalid character 'a' after top-level value"],
  ["1 2", "invalid character '2' after top-level value"],
  ['{"a":}', "invalid character '}' looking for beginning of value"],
  ['{"a":1', "unexpected end of JSON input"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a"}', "invalid character '}' after object key"],
  ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
  ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ["{,}", "invalid character ',' looking for beginning of object key string"],
  ['{"a":1,,"b":2}', "invalid character ',' looking for beginning of object key string"],
  ['{"a":1}}', "invalid character '}' after top-level value"],
  ["{} {}", "invalid character '{' after top-level value"],
  ["{}x", "invalid character 'x' after top-level value"],
  ["[1,2", "unexpected end of JSON input"],
  ["[1,]", "invalid character ']' looking for beginning of value"],
  ["[,1]", "invalid character ',' looking for beginning of value"],
  ["[1 2]", "invalid character '2' after array element"],
  ["[1}", "invalid character '}' after array element"],
  ['{"a":1]', "invalid character ']' after object key:value pair"],
  ["[1]]", "invalid character ']' after top-level value"],
  ["a", "invalid character 'a' looking for beginning of value"],
  ["'x'", "invalid character '\\'' looking for beginning of value"],
  ["é", "invalid character 'Ã' looking for beginning of value"],
  ["😀", "invalid character 'ð' looking for beginning of value"],
  ["﻿{}", "invalid character 'ï' looking for beginning of value"],
  ["NaN", "invalid character 'N' looking for beginning of value"],
  ["Infinity", "invalid character 'I' looking for beginning of value"],
  ["undefined", "invalid character 'u' looking for beginning of value"],
  ["//x", "invalid character '/' looking for beginning of value"],
  ['{"a":1} //x', "invalid character '/' after top-level value"],
  ['{"a":tru}', "invalid character '}' in literal true (expecting 'e')"],
  ['{"a":nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['{"a":"b', "unexpected end of JSON input"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1.x}', "invalid character 'x' after decimal point in numeric literal"],
  ['{"a":1e+x}', "invalid character 'x' in exponent of numeric literal"],
];

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

describe("decodeJson", () => {
  for (const [text, written, duplicates] of texts) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const { value, duplicateFields } = decodeJson(text);
      expect(encodeJson(sorted(value))).toBe(written);
      expect(duplicateFields).toEqual(duplicates);
    });
  }
  for (const [text, message] of mistakes) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(() => decodeJson(text)).toThrow(new DecodeError(message));
    });
  }

  it("keeps integers of 64 bits exact and makes larger ones floats", () => {
    expect(decodeJson("[9007199254740991,9223372036854775807,9223372036854775808]").value).toEqual([
      9007199254740991,
      9223372036854775807n,
      9223372036854775808,
    ]);
  });

  it("reports at most a hundred duplicates", () => {
    const members = Array.from({ length: 150 }, (_, i) => `"k${i}":1,"k${i}":2`);
    expect(decodeJson(`{${members.join(",")}}`).duplicateFields).toHaveLength(100);
  });

  it("reads documents of 2,000 levels, and no deeper", () => {
    const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    expect(decodeJson(nested(2_000)).duplicateFields).toEqual([]);
    expect(() => decodeJson(nested(2_001))).toThrow(new DecodeError("exceeded max depth"));
    expect(() => decodeJson(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`)).toThrow("exceeded max depth");
  });

  it("agrees with JSON.parse on all JSON, and with its own careful reader", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const expected = JSON.parse(text, (_key, value) => (value === 0 ? 0 : value)) as Json;
        const { value, duplicateFields } = decodeJson(text);
        const rounded = JSON.stringify(value, (_key, item) =>
          typeof item === "bigint" ? Number(item) : item,
        );
        expect(rounded).toBe(JSON.stringify(expected));
        expect(duplicateFields).toEqual([]);
        expect(scanJson(text)).toEqual({ value, duplicateFields });
      }),
    );
  });
});

describe("encodeJson", () => {
  it("escapes what the server escapes", () => {
    expect(encodeJson({ a: "<&>\u2028\u2029'é" })).toBe('{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\'é"}');
  });

  it("writes a bigint as its digits, leaves undefined members out", () => {
    expect(encodeJson({ a: [9223372036854775807n, { b: 1n, c: undefined }], d: undefined, e: "x" })).toBe(
      '{"a":[9223372036854775807,{"b":1}],"e":"x"}',
    );
  });

  it("indents by two when asked for, in the same way with and without a bigint", () => {
    const value = { a: [], b: {}, c: [1, { d: "<" }] };
    const text = encodeJson(value, { pretty: true });
    expect(text).toBe(
      '{\n  "a": [],\n  "b": {},\n  "c": [\n    1,\n    {\n      "d": "\\u003c"\n    }\n  ]\n}',
    );
    expect(encodeJson({ ...value, c: [1n, { d: "<" }] }, { pretty: true })).toBe(text);
  });

  it("writes what it reads back", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const normal = decodeJson(JSON.stringify(value)).value;
        expect(decodeJson(encodeJson(normal)).value).toEqual(normal);
        expect(decodeJson(encodeJson(normal, { pretty: true })).value).toEqual(normal);
      }),
    );
  });

  it("writes integers of 64 bits that it reads back", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        const { value } = decodeJson(encodeJson([integer]));
        expect(value).toEqual([Number.isSafeInteger(Number(integer)) ? Number(integer) : integer]);
      }),
    );
  });
});
