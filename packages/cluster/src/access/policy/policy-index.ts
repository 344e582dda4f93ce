/** Policies with their bindings, compiled when they change, kept right by the store's events. */
import {
  type LabelMatcher,
  type LabelSelector,
  type StatusError,
  compileLabelSelector,
  isStatusError,
} from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import type { Bucket } from "../../store/bucket.ts";
import type { Revision, StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import {
  type MatchPorts,
  type RequestRule,
  matchedResource,
  namespaceSelected,
  objectSelected,
} from "../admission/request-match.ts";
import type { ParamKind, ParamRef } from "./policy-params.ts";

/** Source: admissionregistration.k8s.io/v1 MatchResources. */
interface MatchFields {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly RequestRule[];
  readonly excludeResourceRules?: readonly RequestRule[];
  readonly matchPolicy?: "Exact" | "Equivalent";
}

/** What a policy or a binding is for, compiled. */
export interface Criteria {
  readonly namespaceSelector: LabelMatcher | undefined;
  readonly objectSelector: LabelMatcher | undefined;
  readonly rules: readonly RequestRule[];
  readonly excluded: readonly RequestRule[];
  readonly equivalent: boolean;
}

export interface Binding {
  readonly name: string;
  readonly criteria: Criteria | undefined;
  readonly paramRef: ParamRef | undefined;
  readonly actions: readonly string[];
}

/** A policy of either kind. `P` is what is compiled of its own fields. */
export interface Policy<P> {
  readonly name: string;
  readonly criteria: Criteria | undefined;
  readonly paramKind: ParamKind | undefined;
  readonly ignoresFailures: boolean;
  readonly compiled: P;
  readonly bindings: readonly Binding[];
}

export class PolicyIndex<P> {
  readonly policies: Bucket;
  readonly #bindings: Bucket;
  readonly #compile: (policy: StoredObject) => P;
  readonly #compiled = new Map<string, { readonly revision: Revision; readonly compiled: P }>();
  readonly #stop: () => void;
  #active: readonly Policy<P>[] | undefined;

  constructor(
    store: Store,
    given: {
      readonly policies: string;
      readonly bindings: string;
      readonly compile: (policy: StoredObject) => P;
    },
  ) {
    this.policies = store.bucket(`admissionregistration.k8s.io/${given.policies}`);
    this.#bindings = store.bucket(`admissionregistration.k8s.io/${given.bindings}`);
    this.#compile = given.compile;
    this.#stop = store.onCommit((bucket) => {
      if (bucket === this.policies || bucket === this.#bindings) this.#active = undefined;
    });
  }

  /** Policies that have bindings, by name. */
  get active(): readonly Policy<P>[] {
    this.#active ??= this.#join();
    return this.#active;
  }

  close(): void {
    this.#stop();
    this.#compiled.clear();
  }

  #join(): readonly Policy<P>[] {
    const byPolicy = new Map<string, Binding[]>();
    for (const { object } of this.#bindings.list("")) {
      const { policyName, binding } = bindingOf(object);
      const known = byPolicy.get(policyName);
      if (known === undefined) byPolicy.set(policyName, [binding]);
      else known.push(binding);
    }
    return this.policies.list("").flatMap((revision) => {
      const bindings = byPolicy.get(revision.key);
      return bindings === undefined ? [] : [this.#policy(revision, bindings)];
    });
  }

  #policy(revision: Revision, bindings: readonly Binding[]): Policy<P> {
    let known = this.#compiled.get(revision.key);
    if (known?.revision !== revision) {
      known = { revision, compiled: this.#compile(revision.object) };
      this.#compiled.set(revision.key, known);
    }
    const { matchConstraints, paramKind, failurePolicy } = (revision.object["spec"] ?? {}) as {
      matchConstraints?: MatchFields;
      paramKind?: ParamKind;
      failurePolicy?: string;
    };
    return {
      name: revision.key,
      criteria: criteriaOf(matchConstraints),
      paramKind,
      ignoresFailures: failurePolicy === "Ignore",
      compiled: known.compiled,
      bindings,
    };
  }
}

function bindingOf(object: StoredObject): { readonly policyName: string; readonly binding: Binding } {
  const { policyName, matchResources, paramRef, validationActions } = (object["spec"] ?? {}) as {
    policyName?: string;
    matchResources?: MatchFields;
    paramRef?: ParamRef;
    validationActions?: readonly string[];
  };
  const binding = {
    name: object.metadata.name ?? "",
    criteria: criteriaOf(matchResources),
    paramRef,
    actions: validationActions ?? [],
  };
  return { policyName: policyName ?? "", binding };
}

function criteriaOf(fields: MatchFields | undefined): Criteria | undefined {
  if (fields === undefined) return undefined;
  const selector = (given: LabelSelector | undefined): LabelMatcher | undefined =>
    given === undefined || Object.values(given).every((part) => Object.keys(part as object).length === 0)
      ? undefined
      : compileLabelSelector(given);
  return {
    namespaceSelector: selector(fields.namespaceSelector),
    objectSelector: selector(fields.objectSelector),
    rules: fields.resourceRules ?? [],
    excluded: fields.excludeResourceRules ?? [],
    equivalent: fields.matchPolicy !== "Exact",
  };
}

/** The resource, in the version that the criteria name; undefined when they are not for the request. @throws StatusError */
export function criteriaMatch(
  criteria: Criteria | undefined,
  request: AdmissionRequest,
  { catalog, namespaces }: MatchPorts,
): Resource | undefined {
  if (criteria === undefined) return request.resource;
  let problem: StatusError | undefined;
  try {
    if (!namespaceSelected(criteria.namespaceSelector, request, namespaces)) return undefined;
  } catch (error) {
    // only a policy that is for the request otherwise has to know its namespace
    if (!isStatusError(error)) throw error;
    problem = error;
  }
  if (!objectSelected(criteria.objectSelector, request)) return undefined;
  const { rules, excluded, equivalent } = criteria;
  if (matchedResource(request, excluded, { equivalent, catalog }) !== undefined) return undefined;
  const matched =
    rules.length === 0 ? request.resource : matchedResource(request, rules, { equivalent, catalog });
  if (matched !== undefined && problem !== undefined) throw problem;
  return matched;
}
