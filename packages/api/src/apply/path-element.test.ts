import { describe, expect, it } from "vitest";
import { path } from "../../test/apply-notation.ts";
import { pathText } from "./field-set.ts";
import {
  PathElementError,
  comparePathElements,
  compareText,
  compareValues,
  encodeElementValue,
  keyElement,
  readPathElement,
  valueElement,
} from "./path-element.ts";

describe("readPathElement", () => {
  it.each([
    "i:0",
    "i:1234",
    "f:",
    "f:spec",
    "f: with spaces   ",
    "f:spec-🚀",
    "f:spec-\\n",
    'k:{"name":"my-container"}',
    'k:{"name":"   name with spaces   "}',
    'k:{"port":"8080","protocol":"TCP"}',
    'k:{"port":8080,"protocol":"TCP"}',
    'k:{"optionalField":null}',
    'k:{"jsonField":{"A":1,"B":null,"C":"D","E":{"F":"G"}}}',
    'k:{"listField":["1","2","3"]}',
    'k:{"name":"你好世界"}',
    'k:{"name":"नमस्ते दुनिया"}',
    "v:null",
    'v:"some-string"',
    "v:1234",
    "v:1.5",
    "v:true",
    'v:{"some":"json"}',
  ])("keeps the canonical element %s", (element) => {
    expect(readPathElement(element)).toBe(element);
  });

  it.each([
    ['v: {"some":"json"}', 'v:{"some":"json"}'],
    ['v:{"some":"json"} ', 'v:{"some":"json"}'],
    ['k: {"name":"c"} ', 'k:{"name":"c"}'],
    ['k:{ "protocol":"udp","port":443}', 'k:{"port":443,"protocol":"udp"}'],
    ['k:{"name\\u002dcontainer":"c"}', 'k:{"name-container":"c"}'],
    ['k:{"name-\\ud83d\\ude80":"c"}', 'k:{"name-🚀":"c"}'],
    ['v:"\\u4f60\\u597d"', 'v:"你好"'],
    ["v: 3", "v:3"],
    ["v:1.0", "v:1"],
    ["v:1e21", "v:1e+21"],
    ['v:"a<b>&c"', 'v:"a\\u003cb\\u003e\\u0026c"'],
  ])("brings %s to %s", (given, canonical) => {
    expect(readPathElement(given)).toBe(canonical);
  });

  it("leaves out kinds of elements that it does not know", () => {
    expect(readPathElement("r:Hello")).toBeUndefined();
  });

  it.each([
    "",
    "v",
    "no-colon",
    "i:index is not a number",
    "i:1.23",
    "i:",
    "i: 0",
    "i:0 ",
    "v:",
    "v:invalid json",
    "k:invalid json",
    'k:{"name":invalid}',
    'v:{"some":" \\x41"}',
    'v:{"a":"b"',
    'k:{"a":"b"',
    'v:{"some":"json"} {"other":"json"}',
    'k:{"name":"c"} garbage',
    "k:[1]",
    'k:"name"',
  ])("refuses %s", (element) => {
    expect(() => readPathElement(element)).toThrow(PathElementError);
  });
});

describe("encodeElementValue", () => {
  it.each([
    [1e-7, "1e-7"],
    [0.5, "0.5"],
    [-3, "-3"],
    [true, "true"],
    [null, "null"],
    ['say "hi"', '"say \\"hi\\""'],
    ["tab\tnew\nline", '"tab\\tnew\\nline"'],
    ["\b\f", '"\\u0008\\u000c"'],
    ["back\\b", '"back\\\\b"'],
    ["line\u2028", '"line\\u2028"'],
    [{ b: 1, a: [2] }, '{"a":[2],"b":1}'],
  ])("writes %j as %s, as Go does", (value, expected) => {
    expect(encodeElementValue(value)).toBe(expected);
  });
});

describe("pathText", () => {
  it.each([
    [["f:foo", "i:1"], ".foo[1]"],
    [["f:foo", "f:bar", "i:1", "f:baz"], ".foo.bar[1].baz"],
    [
      [
        "f:foo",
        keyElement([
          ["a", "b"],
          ["c", 1],
          ["d", 1.5],
          ["e", true],
        ]),
      ],
      '.foo[a="b",c=1,d=1.5,e=true]',
    ],
    [
      ["f:foo", valueElement("b"), valueElement(5), valueElement(false), valueElement(3.14159)],
      '.foo[="b"][=5][=false][=3.14159]',
    ],
    [["f:apps", keyElement([["name", "app-🚀"]]), "f:image"], '.apps[name="app-🚀"].image'],
    [["f:field with space"], ".field with space"],
    [["f:a", valueElement('app with "quotes"')], '.a[="app with \\"quotes\\""]'],
    [["f:a", valueElement("unicøde")], '.a[="unicøde"]'],
    [["f:a", valueElement(null)], ".a[=null]"],
    [["f:a", valueElement(1e-5)], ".a[=1e-05]"],
    [["f:a", valueElement(0.0001)], ".a[=0.0001]"],
    [["f:a", valueElement(1234567.5)], ".a[=1.2345675e+06]"],
    [["f:a", valueElement(["x", 1])], '.a[=["x",1]]'],
  ])("prints %j as %s", (elements, expected) => {
    expect(pathText(elements)).toBe(expected);
  });

  it.each([".a.b", '.l[key="a",id=1].v', '.s[="x"]', ".l[0].x", ".s[=1.5]"])(
    "is what tables are written in: %s",
    (t) => {
      const sorted = t.replace('key="a",id=1', 'id=1,key="a"');
      expect(pathText(path(t))).toBe(sorted);
    },
  );
});

describe("comparePathElements", () => {
  const ascending = [
    ["f:anteater", "f:zebra"],
    ["f:capybara", 'k:{"dog":3}'],
    ["f:elephant", "v:4"],
    ["f:falcon", "i:5"],
    ['k:{"horse":1}', 'k:{"horse":2}'],
    ['k:{"ibex":1}', 'k:{"jay":1}'],
    ['k:{"kite":1}', 'k:{"kite":1,"kite-2":1}'],
    ['k:{"kite":1}', "v:1"],
    ['k:{"kite":1}', "i:5"],
    ["v:1", "v:2"],
    ["v:1", "i:1"],
    ["i:1", "i:2"],
    ["i:9", "i:10"],
    ['v:"a"', 'v:"a!"'],
    ["v:2", 'v:"1"'],
  ] as const;
  it.each(ascending)("puts %s before %s", (a, b) => {
    expect(comparePathElements(a, b)).toBeLessThan(0);
    expect(comparePathElements(b, a)).toBeGreaterThan(0);
  });

  it.each(["f:bee", 'k:{"goat":1}', "v:1", "i:5"])("finds %s equal to itself", (element) => {
    expect(comparePathElements(element, element)).toBe(0);
  });
});

describe("compareValues", () => {
  it.each([
    [1.14, 3.14],
    [1, 2],
    [1, "aoeu"],
    [1.5, true],
    [1, []],
    [1, {}],
    [1, null],
    ["b-12", "b-9"],
    ["folate", true],
    ["folate", []],
    ["folate", {}],
    ["folate", null],
    [false, true],
    [false, []],
    [false, {}],
    [false, null],
    [[1], [2]],
    [[1], [1, 1]],
    [[1, 1], [2]],
    [[], {}],
    [[], null],
    [{ carotine: 1 }, { carotine: 2 }],
    [{ carotine: 1 }, { ethanol: 1 }],
    [{ carotine: 1 }, { ethanol: 1, carotine: 2 }],
    [{ carotine: 1 }, { carotine: 1, ethanol: 1 }],
    [{ carotine: 1, ethanol: 1 }, { carotine: 2 }],
    [{}, null],
  ])("puts %j before %j", (a, b) => {
    expect(compareValues(a, b)).toBeLessThan(0);
    expect(compareValues(b, a)).toBeGreaterThan(0);
  });

  it.each([
    [1, 1],
    ["folate", "folate"],
    [true, true],
    [[1], [1]],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [null, null],
  ])("finds %j equal to %j", (a, b) => {
    expect(compareValues(a, b)).toBe(0);
  });
});

describe("large integers", () => {
  it("are written and compared exactly", () => {
    expect(encodeElementValue(9007199254740993n)).toBe("9007199254740993");
    expect(compareValues(1, 2n)).toBeLessThan(0);
    expect(compareValues(1n, 1)).toBe(0);
  });
});

describe("compareText", () => {
  it("orders by code point, which UTF-16 does not", () => {
    const [high, rocket] = ["\uffee", "🚀"];
    expect(compareText(high, rocket)).toBeLessThan(0);
    expect([high, rocket].sort()).toEqual([rocket, high]);
  });
});
