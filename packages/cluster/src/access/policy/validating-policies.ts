/** ValidatingAdmissionPolicy. Source: k8s.io/apiserver pkg/admission/plugin/policy/validating (dispatcher.go, validator.go). */
import { type FieldError, StatusError, type StatusReason, forbidden, invalid } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { resourceName } from "../../registry/generic-registry.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import { policyConditionVariables } from "../../registry/admission-variables.ts";
import { MatchConditions } from "../admission/match-conditions.ts";
import { type MatchCondition, isExempt } from "../admission/request-match.ts";
import {
  type PolicyInvocation,
  type PolicyPorts,
  type PolicyProblem,
  invocationsFor,
  isProblem,
  policyValues,
} from "./policy-evaluation.ts";
import {
  type PolicyBudget,
  type CompiledVariable,
  PolicyExpression,
  compileVariables,
  type PolicyVariable,
  policyBudget,
  variableValues,
} from "./policy-expressions.ts";
import { type Binding, type Policy, PolicyIndex } from "./policy-index.ts";

interface ValidationFields {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: StatusReason;
}

export interface ValidatingPolicySpec {
  readonly validations?: readonly ValidationFields[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly variables?: readonly PolicyVariable[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly failurePolicy?: string;
}

interface Compiled {
  readonly validations: readonly (ValidationFields & {
    readonly check: PolicyExpression;
    readonly text: PolicyExpression | undefined;
  })[];
  readonly annotations: readonly { readonly key: string; readonly value: PolicyExpression }[];
  readonly variables: readonly CompiledVariable[];
  readonly conditions: MatchConditions;
}

/** Longest annotation, characters. */
const annotationMax = 10 * 1024;
const messageBytesMax = 5 * 1024;

export class ValidatingPolicies {
  readonly plugin: AdmissionPlugin;
  readonly #index: PolicyIndex<Compiled>;
  readonly #ports: PolicyPorts;

  constructor(store: Store, ports: PolicyPorts) {
    this.#ports = ports;
    this.#index = new PolicyIndex(store, {
      policies: "validatingadmissionpolicies",
      bindings: "validatingadmissionpolicybindings",
      compile,
    });
    this.plugin = { name: "ValidatingAdmissionPolicy", validate: (request) => this.#judge(request) };
  }

  close(): void {
    this.#index.close();
  }

  async #judge(request: AdmissionRequest): Promise<void> {
    if (request.resource.bucket === this.#index.policies && request.subresource === "")
      checkExpressions(request);
    if (isExempt(request.resource)) return;
    const { active } = this.#index;
    if (active.length === 0) return;
    const outcome: Outcome = { denials: [], failures: [], annotations: new Map() };
    for (const found of await invocationsFor(active, request, this.#ports)) {
      if (!isProblem(found)) await this.#evaluate(found, request, outcome);
      else if (!found.policy.ignoresFailures) outcome.denials.push({ ...found, reason: undefined });
    }
    publish(request, outcome);
    const [first] = outcome.denials;
    if (first !== undefined) throw denial(request, first);
  }

  async #evaluate(
    invocation: PolicyInvocation<Compiled>,
    request: AdmissionRequest,
    outcome: Outcome,
  ): Promise<void> {
    const { policy, binding } = invocation;
    const { compiled, ignoresFailures } = policy;
    const budget: PolicyBudget = { remaining: policyBudget };
    const { values: bare } = await policyValues(request, invocation, this.#ports);
    const values = variableValues(compiled.variables, bare, budget);
    const report = (index: number, message: string, reason?: StatusReason): void =>
      act({ policy, binding, message, reason, index }, request, outcome);
    const verdict = compiled.conditions.judge(values);
    if ("error" in verdict) return report(0, verdict.error);
    if (!verdict.matches) return;
    for (const [index, validation] of compiled.validations.entries()) {
      const result = validation.check.evaluate(values, budget);
      if ("error" in result) {
        if (!ignoresFailures) report(index, result.error);
      } else if (result.value !== true) {
        report(index, messageOf(validation, values, budget), validation.reason);
      }
    }
    for (const { key, value } of compiled.annotations) {
      const result = value.evaluate(values, budget);
      if ("error" in result) {
        if (!ignoresFailures)
          outcome.denials.push({ policy, binding, message: result.error, reason: undefined });
      } else if (typeof result.value === "string" && result.value.trim() !== "") {
        annotate(outcome, `${policy.name}/${key}`, result.value.trim().slice(0, annotationMax));
      }
    }
  }
}

interface Denial extends PolicyProblem<Compiled> {
  readonly reason: StatusReason | undefined;
}

interface Outcome {
  readonly denials: Denial[];
  readonly failures: object[];
  readonly annotations: Map<string, string[]>;
}

function compile(policy: StoredObject): Compiled {
  const spec = (policy["spec"] ?? {}) as ValidatingPolicySpec;
  const variables = compileVariables(spec.variables ?? []);
  return {
    validations: (spec.validations ?? []).map((validation) => ({
      ...validation,
      check: new PolicyExpression(validation.expression, { resultTypes: ["bool"], variables }),
      text:
        (validation.messageExpression ?? "") === ""
          ? undefined
          : new PolicyExpression(validation.messageExpression ?? "", { resultTypes: ["string"], variables }),
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      value: new PolicyExpression(valueExpression, { resultTypes: ["string", "null"], variables }),
    })),
    variables,
    conditions: new MatchConditions(spec.matchConditions ?? [], {
      failsOnError: spec.failurePolicy !== "Ignore",
      variables: policyConditionVariables,
    }),
  };
}

/** Does what the binding wants done about a failed validation. */
function act(
  failed: {
    readonly policy: Policy<Compiled>;
    readonly binding: Binding;
    readonly message: string;
    readonly reason: StatusReason | undefined;
    readonly index: number;
  },
  request: AdmissionRequest,
  outcome: Outcome,
): void {
  const { policy, binding, message, index } = failed;
  for (const action of binding.actions) {
    if (action === "Deny") outcome.denials.push(failed);
    if (action === "Warn") {
      request.warn(
        `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
      );
    }
    if (action === "Audit") {
      outcome.failures.push({
        message,
        policy: policy.name,
        binding: binding.name,
        expressionIndex: index,
        validationActions: binding.actions,
      });
    }
  }
}

/** The computed message, else the fixed one, else the expression itself. */
function messageOf(
  { text, message = "", expression }: Compiled["validations"][number],
  values: Readonly<Record<string, unknown>>,
  budget: PolicyBudget,
): string {
  const result = text?.evaluate(values, budget);
  const computed =
    result !== undefined && "value" in result && typeof result.value === "string" ? result.value.trim() : "";
  if (computed !== "" && !computed.includes("\n") && Buffer.byteLength(computed) <= messageBytesMax)
    return computed;
  return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

function annotate({ annotations }: Outcome, key: string, value: string): void {
  const known = annotations.get(key) ?? [];
  if (!known.includes(value)) annotations.set(key, [...known, value]);
}

function publish(request: AdmissionRequest, { annotations, failures }: Outcome): void {
  for (const [key, values] of annotations) request.annotate(key, values.join(", "));
  if (failures.length === 0) return;
  request.annotate(
    "validation.policy.admission.k8s.io/validation_failure",
    JSON.stringify(failures.slice(0, 50)),
  );
}

const codes: Readonly<Partial<Record<StatusReason, number>>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
};

function denial(
  request: AdmissionRequest,
  { policy, binding, message, reason = "Invalid" }: Denial,
): StatusError {
  const by = binding === undefined ? "" : ` with binding '${binding.name}'`;
  const text = `ValidatingAdmissionPolicy '${policy.name}'${by} denied request: ${message}`;
  const { status } = forbidden(resourceName(request.resource), request.name, text);
  const details = { ...status.details, causes: [{ message: text }] };
  return new StatusError({ ...status, reason, code: codes[reason] ?? 422, details });
}

/** A policy whose expressions do not compile is not stored. Source: kubernetes pkg/apis/admissionregistration/validation. */
function checkExpressions({ object, name }: AdmissionRequest): void {
  if (object === undefined) return;
  const { validations, annotations, variables } = compile(object);
  const problem = (field: string, expression: PolicyExpression | undefined): FieldError[] =>
    expression?.problem === undefined
      ? []
      : [{ type: "Invalid", field, badValue: expression.text, detail: expression.problem }];
  const errors = [
    ...variables.flatMap((v, i) => problem(`spec.variables[${i}].expression`, v.compiled)),
    ...validations.flatMap((v, i) => [
      ...problem(`spec.validations[${i}].expression`, v.check),
      ...problem(`spec.validations[${i}].messageExpression`, v.text),
    ]),
    ...annotations.flatMap((a, i) => problem(`spec.auditAnnotations[${i}].valueExpression`, a.value)),
  ];
  if (errors.length > 0) {
    throw invalid({ group: "admissionregistration.k8s.io", kind: "ValidatingAdmissionPolicy" }, name, errors);
  }
}
