/** MutatingAdmissionPolicy. Source: k8s.io/apiserver pkg/admission/plugin/policy/mutating (dispatcher.go, patch). */
import {
  type JsonPatchOperation,
  StatusError,
  applyJsonPatch,
  forbidden,
  jsonEqual,
  mergeTyped,
} from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { resourceName } from "../../registry/generic-registry.ts";
import type { Resource } from "../../registry/resource.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import { policyConditionVariables } from "../../registry/admission-variables.ts";
import { MatchConditions } from "../admission/match-conditions.ts";
import { ReinvocationMemory } from "../admission/reinvocation-memory.ts";
import { type MatchCondition, isExempt } from "../admission/request-match.ts";
import { converted, decodedObject, mergeTypeOf } from "../admission/versioned-request.ts";
import {
  type PolicyInvocation,
  type PolicyPorts,
  type PolicyProblem,
  invocationsFor,
  isProblem,
  policyValues,
} from "./policy-evaluation.ts";
import {
  type CompiledVariable,
  PolicyExpression,
  compileVariables,
  type PolicyVariable,
  policyBudget,
  variableValues,
} from "./policy-expressions.ts";
import { PolicyIndex } from "./policy-index.ts";

interface MutatingPolicySpec {
  readonly mutations?: readonly {
    readonly patchType: "ApplyConfiguration" | "JSONPatch";
    readonly applyConfiguration?: { readonly expression: string };
    readonly jsonPatch?: { readonly expression: string };
  }[];
  readonly variables?: readonly PolicyVariable[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly failurePolicy?: string;
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

interface Mutation {
  readonly isJsonPatch: boolean;
  readonly expression: PolicyExpression;
}

interface Compiled {
  readonly mutations: readonly Mutation[];
  readonly variables: readonly CompiledVariable[];
  readonly conditions: MatchConditions;
  readonly reinvokes: boolean;
}

const pluginName = "MutatingAdmissionPolicy";

export class MutatingPolicies {
  readonly plugin: AdmissionPlugin;
  readonly #index: PolicyIndex<Compiled>;
  readonly #ports: PolicyPorts;

  constructor(store: Store, ports: PolicyPorts) {
    this.#ports = ports;
    this.#index = new PolicyIndex(store, {
      policies: "mutatingadmissionpolicies",
      bindings: "mutatingadmissionpolicybindings",
      compile,
    });
    this.plugin = { name: pluginName, mutate: (request) => this.#mutate(request) };
  }

  close(): void {
    this.#index.close();
  }

  async #mutate(request: AdmissionRequest): Promise<StoredObject> {
    const { object } = request;
    if (object === undefined) throw new Error(`admission of ${request.name} without an object`);
    const { active } = this.#index;
    if (active.length === 0 || isExempt(request.resource)) return object;
    const memory = ReinvocationMemory.of(request, pluginName);
    const problems: PolicyProblem<Compiled>[] = [];
    let current = request;
    for (const found of await invocationsFor(active, request, this.#ports)) {
      if (isProblem(found)) {
        problems.push(found);
        continue;
      }
      const id = `${found.policy.name}/${found.binding.name}/${found.param?.metadata.uid ?? ""}`;
      if (memory.skips(id)) continue;
      const changed = await this.#apply(found, current, problems);
      if (changed === "not matched") continue;
      if (changed !== undefined) {
        current = { ...current, object: changed };
        memory.changed();
      }
      if (found.policy.compiled.reinvokes) memory.ran(id);
    }
    memory.end(current.object);
    const serious = problems.filter(({ policy }) => !policy.ignoresFailures);
    if (serious.length > 0) throw refusal(request, serious);
    return current.object ?? object;
  }

  /** The object as the policy changes it, undefined for no change. */
  async #apply(
    invocation: PolicyInvocation<Compiled>,
    request: AdmissionRequest,
    problems: PolicyProblem<Compiled>[],
  ): Promise<StoredObject | undefined | "not matched"> {
    const { policy, binding, resource } = invocation;
    const { compiled } = policy;
    const budget = { remaining: policyBudget };
    const { values: bare, objects } = await policyValues(request, invocation, this.#ports);
    const verdict = compiled.conditions.judge(variableValues(compiled.variables, bare, budget));
    if ("error" in verdict) problems.push({ policy, binding, message: verdict.error });
    if ("error" in verdict || !verdict.matches) return "not matched";
    let object = objects.object as StoredObject;
    for (const mutation of compiled.mutations) {
      const values = variableValues(compiled.variables, { ...bare, object }, budget);
      const result = mutation.expression.evaluate(values, budget);
      try {
        if ("error" in result) throw new Error(result.error);
        object = patched(mutation, resource, object, result.value);
      } catch (error) {
        problems.push({ policy, binding, message: (error as Error).message });
      }
    }
    if (jsonEqual(object as never, objects.object as never)) return undefined;
    return converted(object, resource, request.resource);
  }
}

function compile(policy: StoredObject): Compiled {
  const spec = (policy["spec"] ?? {}) as MutatingPolicySpec;
  const variables = compileVariables(spec.variables ?? []);
  return {
    mutations: (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => {
      const isJsonPatch = patchType === "JSONPatch";
      const text = (isJsonPatch ? jsonPatch : applyConfiguration)?.expression ?? "";
      const resultTypes = [isJsonPatch ? "list(JSONPatch)" : "Object"];
      return {
        isJsonPatch,
        expression: new PolicyExpression(text, { resultTypes, patchTypes: true, variables }),
      };
    }),
    variables,
    conditions: new MatchConditions(spec.matchConditions ?? [], {
      failsOnError: spec.failurePolicy !== "Ignore",
      variables: policyConditionVariables,
    }),
    reinvokes: spec.reinvocationPolicy === "IfNeeded",
  };
}

/** @throws Error when the patch does not fit the object */
function patched(mutation: Mutation, resource: Resource, object: StoredObject, value: unknown): StoredObject {
  if (mutation.isJsonPatch) return jsonPatched(resource, object, value as readonly JsonPatchOperation[]);
  const type = mergeTypeOf(resource, object);
  if (type === undefined) throw new Error(`no schema for ${object.apiVersion}, Kind=${object.kind}`);
  return decodedObject(resource, mergeTyped(type, object, value));
}

function jsonPatched(
  resource: Resource,
  object: StoredObject,
  operations: readonly JsonPatchOperation[],
): StoredObject {
  let value = object as unknown as Parameters<typeof applyJsonPatch>[0];
  for (const operation of operations) {
    try {
      value = applyJsonPatch(value, [operation]);
    } catch (error) {
      // a test that fails means that the patch is not for this object
      if (operation.op === "test") return object;
      throw new Error(`JSON Patch: ${(error as Error).message}`);
    }
  }
  return decodedObject(resource, value);
}

function refusal(request: AdmissionRequest, problems: readonly PolicyProblem<Compiled>[]): StatusError {
  const texts = problems.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy.name)} denied request: ${message}`
      : `policy '${policy.name}' with binding '${binding.name}' denied request: ${message}`,
  );
  const { status } = forbidden(resourceName(request.resource), request.name, "");
  const causes = texts.map((message) => ({ message }));
  return new StatusError({
    ...status,
    message: texts[0] ?? "",
    reason: "Invalid",
    details: { ...status.details, causes },
  });
}
