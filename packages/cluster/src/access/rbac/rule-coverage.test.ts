import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestAttributes } from "../authorization.ts";
import { type PolicyRule, ruleAllows, ruleText } from "./policy-rule.ts";
import { compactRules, uncoveredRules } from "./rule-coverage.ts";

const some = (...values: string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
const resourceRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some("get", "list", "*"),
  apiGroups: some("", "apps", "*"),
  resources: some("pods", "pods/log", "*/log", "*"),
  resourceNames: fc.oneof(fc.constant([]), some("a", "b")),
});
const urlRule: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some("get", "post", "*"),
  nonResourceURLs: some("/a", "/a/*", "/a/b", "*"),
});
const rules = fc.array(fc.oneof(resourceRule, urlRule), { maxLength: 4 });

const resourceRequest = fc.record({
  isResource: fc.constant(true),
  verb: fc.constantFrom("get", "list", "watch"),
  group: fc.constantFrom("", "apps", "other"),
  namespace: fc.constant("ns"),
  resource: fc.constantFrom("pods", "nodes"),
  subresource: fc.constantFrom("", "log", "exec"),
  name: fc.constantFrom("", "a", "b", "c"),
});
const none = { group: "", namespace: "", resource: "", subresource: "", name: "" };
const request: fc.Arbitrary<{ info: RequestAttributes; path: string }> = fc.oneof(
  resourceRequest.map((info) => ({ info, path: "" })),
  fc
    .record({
      verb: fc.constantFrom("get", "post", "put"),
      path: fc.constantFrom("/a", "/a/b", "/a/b/c", "/z"),
    })
    .map(({ verb, path }) => ({ info: { ...none, isResource: false, verb }, path })),
);

describe("uncoveredRules", () => {
  it("is empty only when nothing is allowed that was not allowed before", () => {
    const run = fc.property(rules, rules, request, (owned, wanted, { info, path }) => {
      fc.pre(uncoveredRules(owned, wanted).length === 0);
      const allowed = (list: readonly PolicyRule[]): boolean =>
        list.some((rule) => ruleAllows(rule, info, path));
      return !allowed(wanted) || allowed(owned);
    });
    fc.assert(run, { numRuns: 500 });
  });

  it("finds every set of rules covered by itself and by everything", () => {
    const everything: PolicyRule[] = [
      { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
      { verbs: ["*"], nonResourceURLs: ["*"] },
    ];
    fc.assert(
      fc.property(rules, (list) => {
        expect(uncoveredRules(list, list)).toEqual([]);
        expect(uncoveredRules(everything, list)).toEqual([]);
      }),
    );
  });

  it.each<[string, PolicyRule, PolicyRule, string[]]>([
    [
      "a verb more",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] },
      ['{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}'],
    ],
    [
      "any name instead of one",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] },
      { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
      ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}'],
    ],
    [
      "a star instead of all resources that there are",
      { verbs: ["get"], apiGroups: [""], resources: ["pods", "nodes"] },
      { verbs: ["get"], apiGroups: [""], resources: ["*"] },
      ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}'],
    ],
    [
      "a longer path",
      { verbs: ["get"], nonResourceURLs: ["/a"] },
      { verbs: ["get"], nonResourceURLs: ["/a/*"] },
      ['{NonResourceURLs:["/a/*"], Verbs:["get"]}'],
    ],
    [
      "nothing, with a subresource of all",
      { verbs: ["get"], apiGroups: ["*"], resources: ["*/scale"] },
      { verbs: ["get"], apiGroups: ["apps"], resources: ["deployments/scale"] },
      [],
    ],
  ])("tells what is missing: %s", (_name, owned, wanted, expected) => {
    expect(compactRules(uncoveredRules([owned], [wanted])).map(ruleText)).toEqual(expected);
  });
});
