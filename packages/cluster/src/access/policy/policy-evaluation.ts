/** What both kinds of policies do for a request: find the bindings and parameters that apply, and the values to evaluate with. */
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import type { StoredObject } from "../../store/revision.ts";
import { admissionValues, celAuthorizer } from "../admission/cel-variables.ts";
import { type MatchPorts, requestNamespace } from "../admission/request-match.ts";
import { type VersionedObjects, versionedObjects } from "../admission/versioned-request.ts";
import type { Authorizer } from "../authorization.ts";
import { type Binding, type Policy, criteriaMatch } from "./policy-index.ts";
import { collectParams } from "./policy-params.ts";

export interface PolicyPorts extends MatchPorts {
  readonly authorizer: Authorizer;
}

/** A policy, one of its bindings and one parameter. */
export interface PolicyInvocation<P> {
  readonly policy: Policy<P>;
  readonly binding: Binding;
  readonly resource: Resource;
  readonly param: StoredObject | null;
}

/** Something about a policy that is wrong; its failure policy decides what that means. */
export interface PolicyProblem<P> {
  readonly policy: Policy<P>;
  readonly binding: Binding | undefined;
  readonly message: string;
}

/** Everything that is to be evaluated for a request, in order. */
export async function invocationsFor<P>(
  policies: readonly Policy<P>[],
  request: AdmissionRequest,
  ports: PolicyPorts,
): Promise<readonly (PolicyInvocation<P> | PolicyProblem<P>)[]> {
  const found: (PolicyInvocation<P> | PolicyProblem<P>)[] = [];
  for (const policy of policies) {
    const resource = attempt(() => criteriaMatch(policy.criteria, request, ports));
    if ("error" in resource) {
      found.push({ policy, binding: undefined, message: `failed to configure policy: ${resource.error}` });
      continue;
    }
    if (resource.value === undefined) continue;
    for (const binding of policy.bindings) {
      try {
        if (criteriaMatch(binding.criteria, request, ports) === undefined) continue;
        const namespace = requestNamespace(request);
        const params = await collectParams(policy.paramKind, binding.paramRef, {
          namespace,
          catalog: ports.catalog,
        });
        for (const param of params) found.push({ policy, binding, resource: resource.value, param });
      } catch (error) {
        found.push({ policy, binding, message: `failed to configure binding: ${(error as Error).message}` });
      }
    }
  }
  return found;
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

export function isProblem<P>(found: PolicyInvocation<P> | PolicyProblem<P>): found is PolicyProblem<P> {
  return "message" in found;
}

/** Values of the variables of a policy's expressions, without the policy's own. */
export async function policyValues(
  request: AdmissionRequest,
  { resource, param }: { readonly resource: Resource; readonly param: StoredObject | null },
  ports: PolicyPorts,
): Promise<{ readonly values: Record<string, unknown>; readonly objects: VersionedObjects }> {
  const objects = await versionedObjects(request, resource);
  const isNamespace = request.resource.bucket === ports.namespaces;
  const namespace = isNamespace ? undefined : ports.namespaces.get(request.namespace)?.object;
  const { authorizer } = ports;
  const { group, plural } = request.resource.api;
  const requestResource = {
    authorizer: celAuthorizer(authorizer, request),
    resource: {
      group,
      resource: plural,
      subresource: request.subresource,
      namespace: request.namespace,
      name: request.name,
    },
  };
  const values = {
    ...admissionValues(request, { resource, objects, namespace, authorizer }),
    "authorizer.requestResource": requestResource,
    params: param,
  };
  return { values, objects };
}
