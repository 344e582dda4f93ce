import {
  type IncrementalTest,
  getCheckingSuite,
  getConformanceSuite,
} from "@bufbuild/cel-spec/testdata/tests.js";
import { describe, expect, it } from "vitest";
import { check } from "../../src/cel/checker.ts";
import { CelEnvironment, CelLibraries } from "../../src/cel/environment.ts";
import { declare, memberOverload, overload } from "../../src/cel/function.ts";
import { optionalLibrary } from "../../src/cel/library/optional.ts";
import { standardLibrary } from "../../src/cel/library/standard.ts";
import { parse } from "../../src/cel/parser.ts";
import type { CelIssue } from "../../src/cel/source.ts";
import {
  type CelType,
  celTypes,
  formatType,
  listType,
  mapType,
  opaqueType,
  optionalType,
  structType,
  typeParam,
  wrapperType,
} from "../../src/cel/type.ts";
import { messages } from "./message-types.ts";
import { casesOf, environmentFor } from "./spec-cases.ts";
import { TreePrinter } from "./tree-text.ts";

// The types and the errors that cel-go's checker finds in the expressions of its own tests and of the CEL
// specification.

interface Found {
  readonly checkedAst?: string;
  readonly type?: string;
  readonly error?: string;
}

function found(text: string, environment: CelEnvironment): Found {
  const { node, source, issues } = parse(text, { macros: environment.libraries.macros });
  const problems: CelIssue[] = [...issues];
  if (problems.length === 0) check(node, environment, problems);
  if (problems.length > 0) return { error: source.display(problems) };
  return { checkedAst: new TreePrinter(true).print(node), type: formatType(node.type ?? celTypes.dyn) };
}

function expected({ checkedAst, type, error }: IncrementalTest): Found {
  if (error !== undefined) return { error };
  return { ...(checkedAst === undefined ? {} : { checkedAst }), ...(type === undefined ? {} : { type }) };
}

const { any, bool, bytes, double, dyn, int, string, uint } = celTypes;
const message3 = structType("google.expr.proto3.test.TestAllTypes");
const message2 = structType("google.expr.proto2.test.TestAllTypes");
const setOf = (type: CelType): CelType => opaqueType("set", type);
const item = typeParam("T");

/** The functions that cel-go's checker tests declare. */
const libraries = new CelLibraries([
  standardLibrary,
  { functions: optionalLibrary.functions, types: optionalLibrary.types ?? [] },
  {
    functions: [
      declare("fg_s", overload("fg_s_0", [], string)),
      declare("fi_s_s", memberOverload("fi_s_s_0", [string], string)),
      declare(
        "myfun",
        memberOverload("myfun_instance", [int, bool, uint], int),
        overload("myfun_static", [int, bool, uint], int),
      ),
      declare("size", overload("size_message", [message3], int)),
      declare("set", overload("set_list", [listType(item)], setOf(item))),
      declare("base64.encode", overload("base64_encode_string", [string], string)),
    ],
  },
]);

const defaults: Readonly<Record<string, CelType>> = {
  is: string,
  ii: int,
  iu: uint,
  iz: bool,
  ib: bytes,
  id: double,
  ix: celTypes.null,
};

/** The variables of single tests by their index; the others about `x.field` have a message. */
const variables: Readonly<Record<number, Readonly<Record<string, CelType>>>> = {
  33: { x: listType(int) },
  43: { x: structType("google.expr.proto3.test.Proto2Message") },
  48: { x: mapType(string, dyn), y: listType(dyn), z: dyn },
  49: { x: listType(message3), y: listType(int) },
  50: { x: listType(message3) },
  51: { x: listType(message3) },
  54: { x: bool },
  57: { x: mapType(string, message3) },
  58: { x: mapType(string, message3) },
  70: { lists: dyn },
  73: {},
  74: { x: any, y: wrapperType(int) },
  75: { x: any, y: wrapperType(int) },
  76: { "container.x": message3 },
  81: { x: message3, y: wrapperType(int) },
  90: { args: mapType(string, dyn) },
  91: { a: typeParam("T") },
  92: { pb2: message2, pb3: message3 },
  100: { x: setOf(typeParam("T")) },
  113: { values: listType(mapType(string, string)) },
  115: { testAllTypes: message2 },
  118: { a: optionalType(mapType(string, string)) },
  119: { a: optionalType(dyn) },
  120: { a: optionalType(dyn) },
  132: { null_int: wrapperType(int), null_msg: message2 },
  133: { NotAMessage: wrapperType(int) },
};

/** Tests in which ints and doubles can be compared. */
const mixedComparisons = new Set([70]);

/** Messages that stand for values of CEL's own: only protobuf brings them, Kubernetes has none. */
const wellKnownMessage =
  /google\.protobuf\.\w+\s*\{|\b(?:Bool|Bytes|Double|Float|Int\d+|String|UInt\d+|)Value\s*\{/;

/** The messages of the specification have no field of this name. */
const missingField = /nestedgroup/;

describe("types of cel-go's checker", () => {
  getCheckingSuite().tests.forEach((test, i) => {
    if ((test.error ?? "").includes("unsupported syntax")) return;
    if (wellKnownMessage.test(test.original.expr) || missingField.test(test.original.expr)) return;
    const environment = new CelEnvironment(libraries, {
      variables: variables[i] ?? { ...defaults, x: message3 },
      structs: messages,
      container: test.original.container,
      crossTypeComparisons: mixedComparisons.has(i),
    });
    it(`${i} ${test.original.expr}`, () =>
      expect(found(test.original.expr, environment)).toMatchObject(expected(test)));
  });
});

/** Suites about libraries that Kubernetes does not offer. */
const otherLibraries = /^conformance\/(?:block_ext|encoders_ext|math_ext|proto2_ext)\//;

describe("types of the CEL specification", () => {
  for (const { path, test } of casesOf(getConformanceSuite())) {
    if (
      test.checkedAst === undefined ||
      otherLibraries.test(path) ||
      wellKnownMessage.test(test.original.expr)
    )
      continue;
    it(path, () =>
      expect(
        found(
          test.original.expr,
          environmentFor(test.original, { structs: messages, crossTypeComparisons: false }),
        ),
      ).toEqual(expected(test)),
    );
  }
});
