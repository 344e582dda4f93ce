import { describe, expect, it } from "vitest";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type ExpressionVariable, compileExpression } from "./compile-expression.ts";

function run(
  text: string,
  values: Record<string, unknown>,
  variables?: Record<string, ExpressionVariable>,
): unknown {
  const declared = variables ?? Object.fromEntries(Object.keys(values).map((name) => [name, "dyn" as const]));
  const { expression, error } = compileExpression(text, { variables: declared });
  if (expression === undefined) return { error };
  const result = expression.evaluate(values);
  return result.error === undefined ? result.value : { error: result.error };
}

const request: JsonSchema = {
  type: "object",
  properties: {
    operation: { type: "string" },
    userInfo: { type: "object", properties: { groups: { type: "array", items: { type: "string" } } } },
  },
};

describe("compileExpression", () => {
  it.each([
    ["object.spec.replicas <= 5", { object: { spec: { replicas: 3 } } }, true],
    [
      "object.metadata.labels.all(k, k.startsWith('app'))",
      { object: { metadata: { labels: { app: "x" } } } },
      true,
    ],
    ["object.weight * 2.0", { object: { weight: 1.5 } }, 3],
    ["has(object.spec) ? object.spec : 'none'", { object: {} }, "none"],
    ["object.items.map(i, i.name)", { object: { items: [{ name: "a" }, { name: "b" }] } }, ["a", "b"]],
    ["object == oldObject", { object: { a: [1, { b: null }] }, oldObject: { a: [1, { b: null }] } }, true],
    ["object.?missing.orValue(7)", { object: {} }, 7],
    ["{'a': dyn(1), 'b': dyn([2u, 3u])}", {}, { a: 1, b: [2, 3] }],
    ["b'abc'", {}, "YWJj"],
    ["duration('90s')", {}, "90s"],
    ["timestamp('2024-01-02T03:04:05Z') + duration('1h')", {}, "2024-01-02T04:04:05Z"],
    ["object.big + 1", { object: { big: 9007199254740993n } }, 9007199254740994n],
    ["quantity(object.memory).isGreaterThan(quantity('1Gi'))", { object: { memory: "1536Mi" } }, true],
  ])("evaluates %s over JSON", (text, values, expected) => {
    expect(run(text, values)).toEqual(expected);
  });

  it("checks fields of variables that have a schema", () => {
    expect(
      run("request.operation in ['CREATE', 'UPDATE']", { request: { operation: "CREATE" } }, { request }),
    ).toBe(true);
    expect(run("request.userInfo.user == ''", {}, { request })).toEqual({
      error:
        "ERROR: <input>:1:17: undefined field 'user'\n | request.userInfo.user == ''\n | ................^",
    });
  });

  it("says what type it wanted", () => {
    const options = { variables: { object: "dyn" as const }, resultTypes: ["bool"] };
    expect(compileExpression("'text'", options).error).toBe("must evaluate to bool but got string");
    expect(compileExpression("object.a == 1", options).expression?.resultType).toBe("bool");
    expect(compileExpression("1", { resultTypes: ["string", "bool"] }).error).toBe(
      "must evaluate to one of [string bool] but got int",
    );
  });

  it("fails with what a missing field is", () => {
    expect(run("object.spec.replicas", { object: {} })).toEqual({ error: "no such key: spec" });
    expect(run("1 / object.zero", { object: { zero: 0 } })).toEqual({ error: "division by zero" });
  });

  it("stops at the budget", () => {
    const { expression } = compileExpression("items.all(x, items.all(y, x + y > 0))", {
      variables: { items: "dyn" },
    });
    const items = Array.from({ length: 100 }, (_, i) => i + 1);
    expect(expression?.evaluate({ items }, { budget: 1000 })).toMatchObject({
      error: "operation cancelled: actual cost limit exceeded",
      budgetExceeded: true,
    });
    expect(expression?.evaluate({ items }).value).toBe(true);
  });

  it("reads variables only when they are needed", () => {
    let reads = 0;
    const variables = {
      get slow(): number {
        reads++;
        return 1;
      },
    };
    const { expression } = compileExpression("object.fast || variables.slow == 1", {
      variables: { object: "dyn", variables: "dyn" },
    });
    expect(expression?.evaluate({ object: { fast: true }, variables }).value).toBe(true);
    expect(reads).toBe(0);
    expect(expression?.evaluate({ object: { fast: false }, variables }).value).toBe(true);
    expect(reads).toBeGreaterThan(0);
  });

  it("asks the authorizer", () => {
    const questions: unknown[] = [];
    const { expression } = compileExpression(
      "authorizer.group('apps').resource('deployments').namespace('default').check('create').allowed()",
      { variables: { authorizer: "authorizer" } },
    );
    const authorizer = (question: unknown): { allowed: boolean } => {
      questions.push(question);
      return { allowed: true };
    };
    expect(expression?.evaluate({ authorizer }).value).toBe(true);
    expect(questions).toEqual([
      expect.objectContaining({
        verb: "create",
        group: "apps",
        resource: "deployments",
        namespace: "default",
      }),
    ]);
  });

  it("does not change what it reads", () => {
    const object = Object.freeze({ list: Object.freeze([3, 1, 2]) });
    expect(run("object.list.sort() == [1, 2, 3]", { object })).toBe(true);
  });
});

describe("compileExpression with patch types", () => {
  const patch = (text: string): unknown => {
    const { expression, error } = compileExpression(text, {
      variables: { object: "dyn" },
      patchTypes: true,
      resultTypes: ["Object", "list(JSONPatch)"],
    });
    return expression?.evaluate({ object: { spec: { n: 1 } } }).value ?? { error };
  };

  it.each([
    [
      "Object{spec: Object.spec{n: object.spec.n + 1, list: [Object.spec.list{a: 'x'}]}}",
      { spec: { n: 2, list: [{ a: "x" }] } },
    ],
    [
      "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('x/y~z'), value: {'k': 1}}]",
      [{ op: "add", path: "/a/x~1y~0z", value: { k: 1 } }],
    ],
  ])("builds %s", (text, expected) => {
    expect(patch(text)).toEqual(expected);
  });

  it("wants a patch as the result, and known fields", () => {
    expect(patch("1")).toEqual({ error: "must evaluate to one of [Object list(JSONPatch)] but got int" });
    expect(patch("[JSONPatch{operation: 'add'}]")).toMatchObject({
      error: expect.stringContaining("undefined field 'operation'"),
    });
    expect(compileExpression("Object{}").error).toContain("undeclared reference to 'Object'");
  });
});
