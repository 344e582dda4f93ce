/** Roles and bindings. Source: kubernetes pkg/apis/rbac (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type FieldError,
  dns1123SubdomainErrors,
  pathSegmentNameErrors,
} from "@bowline/api";
import type { ClusterRole, PolicyRule, RoleBinding, Subject } from "@bowline/api/rbac/v1";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, mapItems } from "./copy-on-write.ts";
import { checkLabelSelector, same } from "./field-checks.ts";
import { FieldProblems } from "./field-problems.ts";
import { compiled } from "./workload/workload-template.ts";

const group = "rbac.authorization.k8s.io";

function checkRule(
  problems: FieldProblems,
  at: string,
  rule: DeepReadonly<PolicyRule>,
  namespaced: boolean,
): void {
  const { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (verbs.length === 0) problems.required(`${at}.verbs`, "verbs must contain at least one value");
  if (nonResourceURLs.length > 0) {
    const field = `${at}.nonResourceURLs`;
    if (namespaced)
      problems.invalid(field, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
    if (apiGroups.length > 0 || resources.length > 0 || resourceNames.length > 0) {
      problems.invalid(
        field,
        nonResourceURLs,
        "rules cannot apply to both regular resources and non-resource URLs",
      );
    }
    return;
  }
  if (apiGroups.length === 0)
    problems.required(`${at}.apiGroups`, "resource rules must supply at least one api group");
  if (resources.length === 0)
    problems.required(`${at}.resources`, "resource rules must supply at least one resource");
}

function roleErrors(namespaced: boolean): (object: StoredObject) => FieldError[] {
  return (object) => {
    const problems = new FieldProblems();
    const { rules, aggregationRule } = object as unknown as DeepReadonly<ClusterRole>;
    rules?.forEach((rule, i) => {
      checkRule(problems, `rules[${i}]`, rule, namespaced);
    });
    if (namespaced || aggregationRule === undefined) return problems.list;
    const field = "aggregationRule.clusterRoleSelectors";
    const selectors = aggregationRule.clusterRoleSelectors ?? [];
    if (selectors.length === 0) {
      problems.required(field, "at least one clusterRoleSelector required if aggregationRule is non-nil");
    }
    selectors.forEach((selector, i) => {
      checkLabelSelector(problems, `${field}[${i}]`, selector as never);
      compiled(selector as never, () => {
        problems.invalid(`${field}[${i}]`, null, "invalid label selector.");
      });
    });
    return problems.list;
  };
}

function bindingErrors(object: StoredObject, namespaced: boolean): FieldProblems {
  const problems = new FieldProblems();
  const { roleRef, subjects } = object as unknown as DeepReadonly<RoleBinding>;
  const { apiGroup = "", kind = "", name = "" } = roleRef ?? {};
  if (apiGroup !== group) problems.notSupported("roleRef.apiGroup", apiGroup, [group]);
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) problems.notSupported("roleRef.kind", kind, kinds);
  if (name === "") problems.required("roleRef.name");
  else problems.allInvalid("roleRef.name", name, pathSegmentNameErrors(name));
  subjects?.forEach((subject, i) => {
    checkSubject(problems, `subjects[${i}]`, subject, namespaced);
  });
  return problems;
}

function checkSubject(
  problems: FieldProblems,
  at: string,
  subject: DeepReadonly<Subject>,
  namespaced: boolean,
): void {
  const { kind = "", name = "", apiGroup = "", namespace = "" } = subject;
  if (name === "") problems.required(`${at}.name`);
  if (kind === "ServiceAccount") {
    if (name !== "") problems.allInvalid(`${at}.name`, name, dns1123SubdomainErrors(name));
    if (apiGroup !== "") problems.notSupported(`${at}.apiGroup`, apiGroup, [""]);
    if (!namespaced && namespace === "") problems.required(`${at}.namespace`);
  } else if (kind === "User" || kind === "Group") {
    if (apiGroup !== group) problems.notSupported(`${at}.apiGroup`, apiGroup, [group]);
  } else problems.notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"]);
}

const bindingParts: Fields = Object.freeze({ roleRef: Object.freeze({}) });
const groupDefault: Fields = Object.freeze({ apiGroup: group });

function bindingDefaults(object: StoredObject): StoredObject {
  const filled = mapField(fill(object, bindingParts), "roleRef", (reference: Fields) =>
    fillZero(reference, groupDefault),
  );
  return mapItems(filled, "subjects", (subject: Fields) =>
    subject["kind"] === "User" || subject["kind"] === "Group" ? fillZero(subject, groupDefault) : subject,
  );
}

function bindingRules(namespaced: boolean): BuiltinRules {
  return {
    name: pathSegmentNameErrors,
    allowCreateOnUpdate: true,
    defaults: bindingDefaults,
    validateCreate: (object) => bindingErrors(object, namespaced).list,
    validateUpdate(object, old) {
      const problems = bindingErrors(object, namespaced);
      if (!same(object["roleRef"], old["roleRef"])) {
        const { apiGroup, kind, name } = (object["roleRef"] ?? {}) as Readonly<Record<string, string>>;
        problems.invalid(
          "roleRef",
          { APIGroup: apiGroup ?? "", Kind: kind ?? "", Name: name ?? "" },
          "cannot change roleRef",
        );
      }
      return problems.list;
    },
  };
}

function roleRules(namespaced: boolean): BuiltinRules {
  const validate = roleErrors(namespaced);
  return {
    name: pathSegmentNameErrors,
    allowCreateOnUpdate: true,
    validateCreate: validate,
    validateUpdate: validate,
  };
}

/** By plural. */
export const rbacRules: Readonly<Record<string, BuiltinRules>> = {
  roles: roleRules(true),
  clusterroles: roleRules(false),
  rolebindings: bindingRules(true),
  clusterrolebindings: bindingRules(false),
};
