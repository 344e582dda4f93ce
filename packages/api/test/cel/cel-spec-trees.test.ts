import {
  type IncrementalTest,
  getComprehensionSuite,
  getConformanceSuite,
  getParsingSuite,
} from "@bufbuild/cel-spec/testdata/tests.js";
import { describe, expect, it } from "vitest";
import { parse } from "../../src/cel/parser.ts";
import { type Case, casesOf } from "./spec-cases.ts";
import { TreePrinter } from "./tree-text.ts";

// The syntax trees and the syntax errors that cel-go makes of the expressions of its own tests and of the CEL
// specification.

/** Cases that we do not fulfil, each with the reason. A case that passes nevertheless must leave this list. */
const exceptions: Readonly<Record<string, string>> = {
  "parsing/145":
    "cel-go stops within a lexer that has not seen the rest of the text; we read all tokens first",
};

/** cel-go's parser tests run with limits that small texts reach. */
const limits = { depth: 32, recoveries: 4, skippedTokens: 4 };

/** Those tests have optional syntax turned off, which Kubernetes turns on. */
const usesOptionals = ({ test }: Case): boolean => (test.error ?? "").includes("unsupported syntax");

function run(title: string, cases: readonly Case[], verify: (test: IncrementalTest) => void): void {
  describe(title, () => {
    for (const { path, test } of cases.filter((item) => !usesOptionals(item))) {
      const reason = exceptions[path.split(" ")[0] as string];
      if (reason === undefined) it(path, () => verify(test));
      else it.fails(`${path}: ${reason}`, () => verify(test));
    }
  });
}

/** The tree, or the errors when the text is no expression. */
function treeOf(text: string, description: string): string {
  const { node, source, issues } = parse(text, { description, limits });
  return issues.length > 0 ? source.display(issues) : new TreePrinter(false).print(node);
}

for (const [title, suite] of [
  ["trees of cel-go's parser", getParsingSuite()],
  ["trees of comprehensions", getComprehensionSuite()],
  ["trees of the CEL specification", getConformanceSuite()],
] as const) {
  const cases = casesOf(suite).map((item, i) => ({ ...item, path: `${suite.name}/${i} ${item.path}` }));
  run(title, cases, (test) =>
    expect(treeOf(test.original.expr, suite.name === "conformance" ? test.name : "")).toBe(
      test.ast ?? test.error,
    ),
  );
}
