import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Labels, compileLabelSelector, matchLabels, parseLabelSelector } from "./label-selector.ts";
import { SelectorError } from "./selector-error.ts";

// Expected values are those of k8s.io/apimachinery 0.36.

const objects: readonly Labels[] = [
  {},
  { a: "b" },
  { a: "c" },
  { a: "" },
  { a: "1" },
  { a: "2" },
  { a: "-6" },
  { a: "x" },
  { b: "c" },
  { a: "b", b: "c" },
  { a: "b", c: "d" },
  { in: "in" },
  { notin: "notin" },
  { "x/y": "z" },
  { c: "d", b: "3", a: "1" },
  { "app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "a" },
  { a: "10" },
  { a: "in" },
];

/** Query, canonical query, which of the objects match. */
const queries: readonly (readonly [string, string, readonly number[]])[] = [
  ["", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]],
  ["  ", "", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]],
  ["a", "a", [1, 2, 3, 4, 5, 6, 7, 9, 10, 14, 16, 17]],
  ["!a", "!a", [0, 8, 11, 12, 13, 15]],
  ["a=b", "a=b", [1, 9, 10]],
  ["a==b", "a==b", [1, 9, 10]],
  ["a!=b", "a!=b", [0, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17]],
  ["a = b", "a=b", [1, 9, 10]],
  ["a=", "a=", [3]],
  ["a!=", "a!=", [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]],
  ["a==", "a==", [3]],
  ["a in (b)", "a in (b)", [1, 9, 10]],
  ["a in (b,c)", "a in (b,c)", [1, 2, 9, 10]],
  ["a in (c,b)", "a in (b,c)", [1, 2, 9, 10]],
  ["a notin (b)", "a notin (b)", [0, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17]],
  ["a notin (b,c)", "a notin (b,c)", [0, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17]],
  ["a in ()", "a in ()", [3]],
  ["a notin ()", "a notin ()", [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]],
  ["a in (,)", "a in ()", [3]],
  ["a in (b,)", "a in (,b)", [1, 3, 9, 10]],
  ["a in (,b)", "a in (,b)", [1, 3, 9, 10]],
  ["a in (b,,c)", "a in (,b,c)", [1, 2, 3, 9, 10]],
  ["a in ( b , c )", "a in (b,c)", [1, 2, 9, 10]],
  ["a,b", "a,b", [9, 14]],
  ["a,!b", "a,!b", [1, 2, 3, 4, 5, 6, 7, 10, 16, 17]],
  ["a=b,c=d", "a=b,c=d", [10]],
  ["c=d,a=b", "a=b,c=d", [10]],
  ["a=b,a=c", "a=b,a=c", []],
  ["a>1", "a>1", [5, 16]],
  ["a<1", "a<1", [6]],
  ["a > 1", "a>1", [5, 16]],
  ["a>9223372036854775807", "a>9223372036854775807", []],
  ["! a", "!a", [0, 8, 11, 12, 13, 15]],
  ["in", "in", [11]],
  ["in in (in)", "in in (in)", [11]],
  ["notin", "notin", [12]],
  ["notin notin (notin)", "notin notin (notin)", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17]],
  ["in=in", "in=in", [11]],
  ["a=in", "a=in", [17]],
  ["a=notin", "a=notin", []],
  ["a in (in,notin)", "a in (in,notin)", [17]],
  ["in,notin", "in,notin", []],
  ["x/y", "x/y", [13]],
  ["x/y=z", "x/y=z", [13]],
  ["a.b/c", "a.b/c", []],
  ["A", "A", []],
  ["A=B", "A=B", []],
  ["a_b=c.d-e", "a_b=c.d-e", []],
  ["a=b_c", "a=b_c", []],
  ["a\tin\n(b)", "a in (b)", [1, 9, 10]],
  ["a=b\n", "a=b", [1, 9, 10]],
  ["a=b\r,c", "a=b,c", [10]],
  ["k".repeat(63), "k".repeat(63), []],
  ["a=" + "v".repeat(63), "a=" + "v".repeat(63), []],
  [
    "b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b/x",
    "b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b/x",
    [],
  ],
  ["a in (b),b in (c)", "a in (b),b in (c)", [9]],
  ["a in(b)", "a in (b)", [1, 9, 10]],
  ["a notin(b)", "a notin (b)", [0, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17]],
  ["a=1,b>2,c in (d),!e", "a=1,b>2,c in (d),!e", [14]],
  [
    "app.kubernetes.io/name=web,app.kubernetes.io/instance in (a,b)",
    "app.kubernetes.io/instance in (a,b),app.kubernetes.io/name=web",
    [15],
  ],
  ["a,b,c", "a,b,c", [14]],
  ["a=,b=c", "a=,b=c", []],
  ["a==,b", "a==,b", []],
];

const nameForm =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueForm =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** Query, error. */
const mistakes: readonly (readonly [string, string])[] = [
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a<-5", `unable to parse requirement: values[0][a]: Invalid value: "-5": ${valueForm}`],
  [
    "a>x",
    "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    "a>1.5",
    "unable to parse requirement: values[0]: Invalid value: \"1.5\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    "a>9223372036854775808",
    "unable to parse requirement: values[0]: Invalid value: \"9223372036854775808\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  ["a gt 1", "unable to parse requirement: found 'gt', expected: in, notin, =, ==, !=, gt, lt"],
  ["a lt 1", "unable to parse requirement: found 'lt', expected: in, notin, =, ==, !=, gt, lt"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=b=c", "found '=', expected: ',' or 'end of string'"],
  ["=a", "found '=', expected: !, identifier, or 'end of string'"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in b)", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ["a in (b))", "found ')', expected: ',' or 'end of string'"],
  ["(a)", "found '(', expected: !, identifier, or 'end of string'"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["!!a", "unable to parse requirement: found '!', expected: identifier"],
  ["a!", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ["a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["!a in (b)", "found 'in', expected: ',' or 'end of string'"],
  ["a=!b", "unable to parse requirement: found '!', expected: identifier"],
  ["a=(b)", "unable to parse requirement: found '(', expected: identifier"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["a=b,", "found '', expected: identifier after ','"],
  ["a,,b", "found ',', expected: identifier after ','"],
  [",a", "found ',', expected: !, identifier, or 'end of string'"],
  ["a=b,,c=d", "found ',', expected: identifier after ','"],
  [
    "a/b/c",
    "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  ],
  ["/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ["a/", `unable to parse requirement: <nil>: Invalid value: "a/": name part must be non-empty; ${nameForm}`],
  [
    "x.y/",
    `unable to parse requirement: <nil>: Invalid value: "x.y/": name part must be non-empty; ${nameForm}`,
  ],
  ["-a", `unable to parse requirement: <nil>: Invalid value: "-a": ${nameForm}`],
  ["a-", `unable to parse requirement: <nil>: Invalid value: "a-": ${nameForm}`],
  ["_a", `unable to parse requirement: <nil>: Invalid value: "_a": ${nameForm}`],
  ["a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ${valueForm}`],
  ["a=b-", `unable to parse requirement: values[0][a]: Invalid value: "b-": ${valueForm}`],
  ["a=b/c", `unable to parse requirement: values[0][a]: Invalid value: "b/c": ${valueForm}`],
  ["a=é", `unable to parse requirement: values[0][a]: Invalid value: "é": ${valueForm}`],
  ["é=b", `unable to parse requirement: <nil>: Invalid value: "é": ${nameForm}`],
  [
    "k".repeat(64) + "=x",
    'unable to parse requirement: <nil>: Invalid value: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk": name part must be no more than 63 bytes',
  ],
  [
    "a=" + "v".repeat(64),
    'unable to parse requirement: values[0][a]: Invalid value: "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv": must be no more than 63 bytes',
  ],
  [
    "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a/x",
    'unable to parse requirement: <nil>: Invalid value: "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a/x": prefix part must be no more than 253 bytes',
  ],
  ["a===b", "unable to parse requirement: found '=', expected: identifier"],
  ["a=>b", "unable to parse requirement: found '>', expected: identifier"],
  ["a<>b", "unable to parse requirement: found '>', expected: identifier"],
  ["a<=b", "unable to parse requirement: found '=', expected: identifier"],
  ["a!==b", "unable to parse requirement: found '=', expected: identifier"],
  ["a in (-)", `unable to parse requirement: values[0][a]: Invalid value: "-": ${valueForm}`],
  ["a=b\u0000c", "found 'c', expected: ',' or 'end of string'"],
  ["a in (B_)", `unable to parse requirement: values[0][a]: Invalid value: "B_": ${valueForm}`],
  ["a in (b),", "found '', expected: identifier after ','"],
  ["a notin", "unable to parse requirement: found '' expected: '('"],
  ["a in", "unable to parse requirement: found '' expected: '('"],
  [
    "a >",
    "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    "Aé/b",
    "unable to parse requirement: <nil>: Invalid value: \"Aé/b\": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  ],
  ["x/é", `unable to parse requirement: <nil>: Invalid value: "x/é": ${nameForm}`],
  ["a in (b,c", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (b,c,", "unable to parse requirement: found '', expected: ',', or identifier"],
  ["a in (,", "unable to parse requirement: found '', expected: ',', or identifier"],
  ["a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ["a ()", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
  ["a (b)", "unable to parse requirement: found '(', expected: in, notin, =, ==, !=, gt, lt"],
  ["a)", "unable to parse requirement: found ')', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=b)", "found ')', expected: ',' or 'end of string'"],
  ["<a", "found '<', expected: !, identifier, or 'end of string'"],
  [">a", "found '>', expected: !, identifier, or 'end of string'"],
  ["a!(b)", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"],
  ["x y z", "unable to parse requirement: found 'y', expected: in, notin, =, ==, !=, gt, lt"],
];

describe("parseLabelSelector", () => {
  for (const [query, canonical, matching] of queries) {
    it(`reads ${JSON.stringify(query)}`, () => {
      const selector = parseLabelSelector(query);
      expect(selector.toString()).toBe(canonical);
      expect(objects.flatMap((labels, i) => (selector.matches(labels) ? [i] : []))).toEqual(matching);
      expect(selector.everything).toBe(canonical === "");
    });
  }
  for (const [query, message] of mistakes) {
    it(`refuses ${JSON.stringify(query)}`, () => {
      expect(() => parseLabelSelector(query)).toThrow(new SelectorError(message));
    });
  }

  it("takes an object without labels for one with none", () => {
    expect(parseLabelSelector("!a").matches(undefined)).toBe(true);
    expect(parseLabelSelector("a").matches(undefined)).toBe(false);
  });

  it("does not mistake inherited names for labels", () => {
    expect(parseLabelSelector("toString").matches({})).toBe(false);
    expect(parseLabelSelector("constructor notin (x)").matches({})).toBe(true);
  });
});

describe("compileLabelSelector", () => {
  it("selects nothing without a selector and everything with an empty one", () => {
    expect(compileLabelSelector(undefined).nothing).toBe(true);
    expect(compileLabelSelector(null).matches({ a: "b" })).toBe(false);
    expect(compileLabelSelector({}).everything).toBe(true);
    expect(compileLabelSelector({ matchLabels: {}, matchExpressions: [] }).matches(undefined)).toBe(true);
  });

  it("combines labels and expressions", () => {
    const selector = compileLabelSelector({
      matchLabels: { app: "web" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["b", "a"] },
        { key: "debug", operator: "DoesNotExist" },
        { key: "env", operator: "Exists" },
        { key: "zone", operator: "NotIn", values: ["x"] },
      ],
    });
    expect(selector.toString()).toBe("app=web,!debug,env,tier in (a,b),zone notin (x)");
    expect(selector.matches({ app: "web", tier: "a", env: "" })).toBe(true);
    expect(selector.matches({ app: "web", tier: "a", env: "", zone: "x" })).toBe(false);
    expect(selector.matches({ app: "web", tier: "a", env: "", debug: "" })).toBe(false);
  });

  const wrong = [
    [
      { key: "a", operator: "In" },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { key: "a", operator: "NotIn", values: [] },
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
    ],
    [
      { key: "a", operator: "Exists", values: ["x"] },
      'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
    ],
    [{ key: "a", operator: "Foo" }, '"Foo" is not a valid label selector operator'],
    [
      { key: "a b", operator: "In", values: ["-"] },
      `[key: Invalid value: "a b": ${nameForm}, values[0][a b]: Invalid value: "-": ${valueForm}]`,
    ],
  ] as const;
  for (const [requirement, message] of wrong) {
    it(`refuses ${JSON.stringify(requirement)}`, () => {
      const matchExpressions = [
        { ...requirement, values: "values" in requirement ? [...requirement.values] : [] },
      ];
      expect(() => compileLabelSelector({ matchExpressions })).toThrow(new SelectorError(message));
    });
  }
});

describe("Label selectors", () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,3}$/);
  const requirement = fc.oneof(
    word,
    word.map((key) => `!${key}`),
    fc.tuple(word, fc.constantFrom("=", "==", "!="), word).map((parts) => parts.join("")),
    fc
      .tuple(word, fc.constantFrom("in", "notin"), fc.array(word, { minLength: 1, maxLength: 3 }))
      .map(([key, operator, values]) => `${key} ${operator} (${values.join(",")})`),
    fc.tuple(word, fc.constantFrom(">", "<"), fc.nat()).map((parts) => parts.join("")),
  );
  const query = fc.array(requirement, { maxLength: 4 }).map((parts) => parts.join(","));
  const labels = fc.dictionary(word, fc.oneof(word, fc.integer().map(String)));

  it("mean the same when printed and read again", () => {
    fc.assert(
      fc.property(query, labels, (text, object) => {
        const selector = parseLabelSelector(text);
        const again = parseLabelSelector(selector.toString());
        expect(again.toString()).toBe(selector.toString());
        expect(again.matches(object)).toBe(selector.matches(object));
      }),
    );
  });

  it("made of labels match what has those labels", () => {
    fc.assert(
      fc.property(labels, labels, (wanted, more) => {
        expect(matchLabels(wanted).matches({ ...more, ...wanted })).toBe(true);
      }),
    );
  });
});
