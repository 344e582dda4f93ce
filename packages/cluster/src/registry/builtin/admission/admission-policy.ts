/** Admission policies and their bindings. Source: kubernetes pkg/apis/admissionregistration (v1/defaults.go, validation). */
import {
  type DeepReadonly,
  type FieldError,
  dns1123SubdomainErrors,
  pathSegmentNameErrors,
  qualifiedNameErrors,
} from "@bowline/api";
import type {
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "@bowline/api/admissionregistration/v1";
import { policyConditionVariables } from "../../admission-variables.ts";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapField, setField } from "../copy-on-write.ts";
import { checkLabelSelector, checkOneOf } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { checkMatchConditions, checkMatchResources, defaultMatchResources } from "./admission-rule.ts";

const policyDefaults: Fields = Object.freeze({ failurePolicy: "Fail" });

function defaultPolicy(object: StoredObject): StoredObject {
  const spec = fill((object["spec"] ?? {}) as Fields, policyDefaults);
  return setField(object, "spec", mapField(spec, "matchConstraints", defaultMatchResources));
}

function defaultBinding(object: StoredObject): StoredObject {
  return mapField(object, "spec", (spec: Fields) => mapField(spec, "matchResources", defaultMatchResources));
}

type PolicySpec = DeepReadonly<ValidatingAdmissionPolicySpec>;

function checkCommon(problems: FieldProblems, spec: PolicySpec): void {
  if (spec.failurePolicy === undefined) problems.required("spec.failurePolicy");
  else checkOneOf(problems, "spec.failurePolicy", spec.failurePolicy, ["Fail", "Ignore"]);
  if (spec.paramKind !== undefined) checkParamKind(problems, spec.paramKind);
  const constraints = spec.matchConstraints;
  if (constraints === undefined) problems.required("spec.matchConstraints");
  else {
    checkMatchResources(problems, "spec.matchConstraints", constraints);
    if ((constraints.resourceRules?.length ?? 0) === 0)
      problems.required("spec.matchConstraints.resourceRules");
  }
  checkMatchConditions(
    problems,
    "spec.matchConditions",
    spec.matchConditions ?? [],
    policyConditionVariables,
  );
  spec.variables?.forEach(({ name = "", expression = "" }, i) => {
    const at = `spec.variables[${i}]`;
    if (name.trim() === "") problems.required(`${at}.name`, "name is not specified");
    else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name))
      problems.invalid(`${at}.name`, name, "name is not a valid CEL identifier");
    if (expression.trim() === "") problems.required(`${at}.expression`, "expression is not specified");
  });
}

function checkParamKind(
  problems: FieldProblems,
  { apiVersion = "", kind = "" }: DeepReadonly<ParamKind>,
): void {
  if (apiVersion === "") problems.required("spec.paramKind.apiVersion");
  else if (apiVersion.split("/").length > 2) {
    problems.invalid(
      "spec.paramKind.apiVersion",
      apiVersion,
      `unexpected GroupVersion string: ${apiVersion}`,
    );
  }
  if (kind === "") problems.required("spec.paramKind.kind");
}

const auditAnnotationsMax = 20;
const anItem = "validations or auditAnnotations must contain at least one item";

function policyErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object["spec"] ?? {}) as PolicySpec;
  checkCommon(problems, spec);
  const { validations = [], auditAnnotations = [] } = spec;
  if (validations.length === 0 && auditAnnotations.length === 0) {
    problems.required("spec.validations", anItem);
    problems.required("spec.auditAnnotations", anItem);
  }
  validations.forEach((validation, i) => {
    checkValidation(problems, `spec.validations[${i}]`, validation);
  });
  if (auditAnnotations.length > auditAnnotationsMax) {
    problems.invalid(
      "spec.auditAnnotations",
      auditAnnotations,
      `must not have more than ${auditAnnotationsMax} auditAnnotations`,
    );
  }
  auditAnnotations.forEach(({ key, valueExpression = "" }, i) => {
    const at = `spec.auditAnnotations[${i}]`;
    const name = `${object.metadata.name ?? ""}/${key}`;
    problems.allInvalid(`${at}.key`, name, qualifiedNameErrors(name));
    if (valueExpression.trim() === "")
      problems.required(`${at}.valueExpression`, "valueExpression is not specified");
    if (auditAnnotations.findIndex((other) => other.key === key) < i) problems.duplicate(`${at}.key`, key);
  });
  return problems.list;
}

function checkValidation(problems: FieldProblems, at: string, validation: DeepReadonly<Validation>): void {
  const { expression = "", message = "", messageExpression = "", reason } = validation;
  if (expression.trim() === "") problems.required(`${at}.expression`, "expression is not specified");
  if (messageExpression !== "" && messageExpression.trim() === "")
    problems.invalid(`${at}.messageExpression`, messageExpression, "must be non-empty if specified");
  if (message !== "" && message.trim() === "")
    problems.invalid(`${at}.message`, message, "message must be non-empty if specified");
  else if (/[\n\r]/.test(message.trim()))
    problems.invalid(`${at}.message`, message, "message must not contain line breaks");
  checkOneOf(problems, `${at}.reason`, reason, [
    "Forbidden",
    "Invalid",
    "RequestEntityTooLarge",
    "Unauthorized",
  ]);
}

type BindingSpec = DeepReadonly<ValidatingAdmissionPolicyBindingSpec>;

function bindingErrors(object: StoredObject, validating: boolean): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object["spec"] ?? {}) as BindingSpec;
  const { policyName = "" } = spec;
  if (policyName === "") problems.required("spec.policyName");
  else problems.allInvalid("spec.policyName", policyName, dns1123SubdomainErrors(policyName));
  if (spec.paramRef !== undefined) checkParamRef(problems, spec.paramRef);
  if (spec.matchResources !== undefined)
    checkMatchResources(problems, "spec.matchResources", spec.matchResources);
  if (validating) checkActions(problems, spec.validationActions ?? []);
  return problems.list;
}

function checkParamRef(problems: FieldProblems, reference: DeepReadonly<ParamRef>): void {
  const { name = "", selector, parameterNotFoundAction } = reference;
  const at = "spec.paramRef";
  if (name !== "") {
    problems.allInvalid(`${at}.name`, name, pathSegmentNameErrors(name));
    if (selector !== undefined) problems.forbidden(`${at}.name`, "name and selector are mutually exclusive");
  }
  if (selector !== undefined) {
    checkLabelSelector(problems, `${at}.selector`, selector as never);
    if (name !== "") problems.forbidden(`${at}.selector`, "name and selector are mutually exclusive");
  }
  if (name === "" && selector === undefined)
    problems.required(at, "one of name or selector must be specified");
  if (parameterNotFoundAction === undefined) problems.required(`${at}.parameterNotFoundAction`);
  else checkOneOf(problems, `${at}.parameterNotFoundAction`, parameterNotFoundAction, ["Allow", "Deny"]);
}

function checkActions(problems: FieldProblems, actions: readonly string[]): void {
  const field = "spec.validationActions";
  actions.forEach((action, i) => {
    checkOneOf(problems, `${field}[${i}]`, action, ["Audit", "Deny", "Warn"]);
    if (actions.indexOf(action) < i) problems.duplicate(`${field}[${i}]`, action);
  });
  if (actions.includes("Deny") && actions.includes("Warn")) {
    problems.invalid(
      field,
      actions,
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  }
  if (actions.length === 0) problems.required(field, "at least one validation action is required");
}

export const validatingPolicyRules: BuiltinRules = {
  generation: true,
  allowUnconditionalUpdate: false,
  defaults: defaultPolicy,
  validateCreate: policyErrors,
  validateUpdate: policyErrors,
};

export const validatingBindingRules: BuiltinRules = {
  generation: true,
  allowUnconditionalUpdate: false,
  defaults: defaultBinding,
  validateCreate: (object) => bindingErrors(object, true),
  validateUpdate: (object) => bindingErrors(object, true),
};

export const mutatingPolicyRules: BuiltinRules = {
  generation: true,
  allowUnconditionalUpdate: false,
  defaults: defaultPolicy,
};

export const mutatingBindingRules: BuiltinRules = {
  generation: true,
  allowUnconditionalUpdate: false,
  defaults: defaultBinding,
  validateCreate: (object) => bindingErrors(object, false),
  validateUpdate: (object) => bindingErrors(object, false),
};
