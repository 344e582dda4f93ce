/** Which requests a webhook or a policy is for. Source: kubernetes pkg/apis/admissionregistration (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type ExpressionVariable,
  compileExpression,
  pathSegmentNameErrors,
  qualifiedNameErrors,
} from "@bowline/api";
import type {
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "@bowline/api/admissionregistration/v1";
import { type Fields, fill, mapItems } from "../copy-on-write.ts";
import { checkLabelSelector, checkOneOf } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

const scopeDefault: Fields = Object.freeze({ scope: "*" });
const matchDefaults: Fields = Object.freeze({
  matchPolicy: "Equivalent",
  namespaceSelector: Object.freeze({}),
  objectSelector: Object.freeze({}),
});

export function defaultRule(rule: Fields): Fields {
  return fill(rule, scopeDefault);
}

export function defaultMatchResources(resources: Fields): Fields {
  const filled = mapItems(fill(resources, matchDefaults), "resourceRules", defaultRule);
  return mapItems(filled, "excludeResourceRules", defaultRule);
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

export function checkRule(problems: FieldProblems, at: string, rule: DeepReadonly<RuleWithOperations>): void {
  const { operations: given = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  if (given.length === 0) problems.required(`${at}.operations`);
  checkAlone(problems, `${at}.operations`, given, "operations");
  given.forEach((operation, i) => {
    checkOneOf(problems, `${at}.operations[${i}]`, operation, operations);
  });
  if (apiGroups.length === 0) problems.required(`${at}.apiGroups`);
  checkAlone(problems, `${at}.apiGroups`, apiGroups, "API groups");
  if (apiVersions.length === 0) problems.required(`${at}.apiVersions`);
  checkAlone(problems, `${at}.apiVersions`, apiVersions, "API versions");
  apiVersions.forEach((version, i) => {
    if (version === "") problems.required(`${at}.apiVersions[${i}]`);
  });
  checkResources(problems, `${at}.resources`, resources);
  checkOneOf(problems, `${at}.scope`, scope, ["*", "Cluster", "Namespaced"]);
}

function checkAlone(problems: FieldProblems, field: string, values: readonly string[], what: string): void {
  if (values.length > 1 && values.includes("*"))
    problems.invalid(field, values, `if '*' is present, must not specify other ${what}`);
}

function checkResources(problems: FieldProblems, field: string, resources: readonly string[]): void {
  if (resources.length === 0) problems.required(field);
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  let plain = false;
  resources.forEach((entry, i) => {
    if (entry === "") return problems.required(`${field}[${i}]`);
    const slash = entry.indexOf("/");
    if (slash < 0) {
      plain = entry !== "*";
      return;
    }
    const resource = entry.slice(0, slash);
    const subresource = entry.slice(slash + 1);
    const shadow = (by: string): void =>
      problems.invalid(`${field}[${i}]`, entry, `if '${by}' is present, must not specify ${entry}`);
    if (wholeResources.has(resource)) shadow(`${resource}/*`);
    if (wholeSubresources.has(subresource)) shadow(`*/${subresource}`);
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  });
  if (resources.length > 1 && resources.includes("*/*"))
    problems.invalid(field, resources, "if '*/*' is present, must not specify other resources");
  if (resources.includes("*") && plain) {
    problems.invalid(
      field,
      resources,
      "if '*' is present, must not specify other resources without subresources",
    );
  }
}

export function checkMatchResources(
  problems: FieldProblems,
  at: string,
  resources: DeepReadonly<MatchResources>,
): void {
  checkOneOf(problems, `${at}.matchPolicy`, resources.matchPolicy, ["Equivalent", "Exact"]);
  checkLabelSelector(problems, `${at}.namespaceSelector`, resources.namespaceSelector as never);
  checkLabelSelector(problems, `${at}.objectSelector`, resources.objectSelector as never);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    resources[list]?.forEach((rule, i) => {
      checkNamedRule(problems, `${at}.${list}[${i}]`, rule);
    });
  }
}

function checkNamedRule(
  problems: FieldProblems,
  at: string,
  rule: DeepReadonly<NamedRuleWithOperations>,
): void {
  const names = rule.resourceNames ?? [];
  names.forEach((name, i) => {
    problems.allInvalid(`${at}.resourceNames[${i}]`, name, pathSegmentNameErrors(name));
    if (names.indexOf(name) < i) problems.duplicate(`${at}.resourceNames[${i}]`, name);
  });
  checkRule(problems, at, rule as DeepReadonly<RuleWithOperations>);
}

const conditionsMax = 64;

/** Names, and expressions on the variables that they can see. */
export function checkMatchConditions(
  problems: FieldProblems,
  at: string,
  conditions: readonly DeepReadonly<MatchCondition>[],
  variables: Readonly<Record<string, ExpressionVariable>>,
): void {
  if (conditions.length > conditionsMax) {
    const detail = `must have at most ${conditionsMax} items`;
    problems.add([{ type: "TooMany", field: at, badValue: conditions.length, detail }]);
  }
  conditions.forEach(({ name = "", expression = "" }, i) => {
    if (expression.trim() === "") problems.required(`${at}[${i}].expression`);
    else {
      const { error } = compileExpression(expression, { variables, resultTypes: ["bool"] });
      const detail = error?.startsWith("must evaluate to") ? error : `compilation failed: ${error}`;
      if (error !== undefined) problems.invalid(`${at}[${i}].expression`, expression, detail);
    }
    if (name === "") problems.required(`${at}[${i}].name`);
    else {
      problems.allInvalid(`${at}[${i}].name`, name, qualifiedNameErrors(name));
      if (conditions.findIndex((condition) => condition.name === name) < i)
        problems.duplicate(`${at}[${i}].name`, name);
    }
  });
}
