import { describe, expect, it } from "vitest";
import {
  type NameCheck,
  dns1035LabelErrors,
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  generatedName,
  labelValueErrors,
  pathSegmentNameErrors,
  qualifiedNameErrors,
} from "./name.ts";

// Expected values are those of k8s.io/apimachinery 0.36.

const checks: readonly NameCheck[] = [
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  dns1035LabelErrors,
  qualifiedNameErrors,
  labelValueErrors,
  pathSegmentNameErrors,
];

const sentences: readonly string[] = [
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
  "name part must be non-empty",
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  "may not be '.'",
  "may not be '..'",
  "must not contain dots",
  "may not contain '/'",
  "prefix part must be non-empty",
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
  "may not contain '%'",
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
  "must be no more than 63 characters",
  "name part must be no more than 63 bytes",
  "must be no more than 63 bytes",
  "must be no more than 253 characters",
  "prefix part must be no more than 253 bytes",
];

/** Name, and for each check which of the sentences it says. */
const names: readonly (readonly [string, readonly (readonly number[])[]])[] = [
  ["", [[0], [1], [2], [3, 4], [], []]],
  ["a", [[], [], [], [], [], []]],
  ["A", [[0], [1], [2], [], [], []]],
  ["1", [[], [], [2], [], [], []]],
  ["-", [[0], [1], [2], [4], [5], []]],
  ["_", [[0], [1], [2], [4], [5], []]],
  [".", [[0], [1], [2], [4], [5], [6]]],
  ["..", [[0], [1], [2], [4], [5], [7]]],
  ["...", [[0], [1], [2], [4], [5], []]],
  ["a-b", [[], [], [], [], [], []]],
  ["a_b", [[0], [1], [2], [], [], []]],
  ["a.b", [[8], [], [2], [], [], []]],
  ["a..b", [[0], [1], [2], [], [], []]],
  ["a-", [[0], [1], [2], [4], [5], []]],
  ["-a", [[0], [1], [2], [4], [5], []]],
  [".a", [[0], [1], [2], [4], [5], []]],
  ["a.", [[0], [1], [2], [4], [5], []]],
  ["a/b", [[0], [1], [2], [], [5], [9]]],
  ["a/", [[0], [1], [2], [3, 4], [5], [9]]],
  ["/a", [[0], [1], [2], [10], [5], [9]]],
  ["a/b/c", [[0], [1], [2], [11], [5], [9]]],
  ["a%b", [[0], [1], [2], [4], [5], [12]]],
  ["%", [[0], [1], [2], [4], [5], [12]]],
  ["a b", [[0], [1], [2], [4], [5], []]],
  ["é", [[0], [1], [2], [4], [5], []]],
  ["日本", [[0], [1], [2], [4], [5], []]],
  ["my-name", [[], [], [], [], [], []]],
  ["123-abc", [[], [], [2], [], [], []]],
  ["My-Name", [[0], [1], [2], [], [], []]],
  ["MyName", [[0], [1], [2], [], [], []]],
  ["my.name", [[8], [], [2], [], [], []]],
  ["my_value", [[0], [1], [2], [], [], []]],
  ["12345", [[], [], [2], [], [], []]],
  ["1a", [[], [], [2], [], [], []]],
  ["a1", [[], [], [], [], [], []]],
  ["example.com", [[8], [], [2], [], [], []]],
  ["example.com/MyName", [[0], [1], [2], [], [5], [9]]],
  ["Example.com/x", [[0], [1], [2], [13], [5], [9]]],
  ["x".repeat(63), [[], [], [], [], [], []]],
  ["x".repeat(64), [[14], [], [14], [15], [16], []]],
  ["x".repeat(253), [[14], [], [14], [15], [16], []]],
  ["x".repeat(254), [[14], [17], [14], [15], [16], []]],
  [
    "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a",
    [[14, 8], [], [14, 2], [15], [16], []],
  ],
  [
    "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a",
    [[14, 8], [17], [14, 2], [15], [16], []],
  ],
  ["éééééééééééééééééééééééééééééééé", [[14, 0], [1], [14, 2], [15, 4], [16, 5], []]],
  ["a\n", [[0], [1], [2], [4], [5], []]],
  ["\na", [[0], [1], [2], [4], [5], []]],
  ["a\tb", [[0], [1], [2], [4], [5], []]],
  ["kubernetes.io/hostname", [[0], [1], [2], [], [5], [9]]],
  ["foregroundDeletion", [[0], [1], [2], [], [], []]],
  ["x.y.z/a_b.c-d", [[0], [1], [2], [], [5], [9]]],
  ["x/" + "y".repeat(64), [[14, 0], [1], [14, 2], [15], [16, 5], [9]]],
  ["x".repeat(254) + "/y", [[14, 0], [17, 1], [14, 2], [18], [16, 5], [9]]],
  ["-/a", [[0], [1], [2], [13], [5], [9]]],
  ["a/-", [[0], [1], [2], [4], [5], [9]]],
  ["a_/b", [[0], [1], [2], [13], [5], [9]]],
  ["a/b_", [[0], [1], [2], [4], [5], [9]]],
  ["A/B", [[0], [1], [2], [13], [5], [9]]],
  ["1/1", [[0], [1], [2], [], [5], [9]]],
  ["a--b", [[], [], [], [], [], []]],
  ["a-.b", [[0], [1], [2], [], [], []]],
  ["a.-b", [[0], [1], [2], [], [], []]],
  ["xn--a", [[], [], [], [], [], []]],
  ["*", [[0], [1], [2], [4], [5], []]],
  ["*.a", [[0], [1], [2], [4], [5], []]],
  ["a:b", [[0], [1], [2], [4], [5], []]],
  ["@", [[0], [1], [2], [4], [5], []]],
  ["a,b", [[0], [1], [2], [4], [5], []]],
];

describe("Name checks", () => {
  for (const [name, expected] of names) {
    it(`judge ${JSON.stringify(name)}`, () => {
      const said = checks.map((check) => check(name).map((sentence) => sentences.indexOf(sentence)));
      expect(said).toEqual(expected);
    });
  }
});

describe("generatedName", () => {
  const counting = (): { next(): number } => {
    let n = 0;
    return { next: () => (n++ % 27) / 27 };
  };

  it("appends five characters of an alphabet without vowels", () => {
    expect(generatedName("web-", counting())).toBe("web-bcdfg");
    expect(generatedName("x", { next: () => 0.999999 })).toBe("x99999");
  });

  it("cuts the prefix so that the name fits into a label", () => {
    expect(generatedName("p".repeat(100), counting())).toBe(`${"p".repeat(58)}bcdfg`);
  });
});
