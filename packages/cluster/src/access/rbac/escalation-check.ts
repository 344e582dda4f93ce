/**
 * Stops users from granting what they do not have: a write of a role needs every permission in it (or the verb escalate),
 * a write of a binding every permission of its role (or the verb bind).
 * Source: kubernetes pkg/registry/rbac (escalation_check.go, policybased storages).
 */
import { type Json, forbidden, jsonEqual, notFound } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { mastersGroup } from "../authorization.ts";
import { type PolicyRule, type RoleRef, ruleText, textList } from "./policy-rule.ts";
import type { RbacAuthorizer } from "./rbac-authorizer.ts";
import type { RbacIndex } from "./rbac-index.ts";
import { compactRules, uncoveredRules } from "./rule-coverage.ts";

const group = "rbac.authorization.k8s.io";
const kinds: ReadonlySet<string> = new Set(["roles", "clusterroles", "rolebindings", "clusterrolebindings"]);

/** Runs after everything else that changes objects: what it judges is what will be stored. */
export function escalationCheck(index: RbacIndex, authorizer: RbacAuthorizer): AdmissionPlugin {
  const allowed = (request: AdmissionRequest, verb: string, resource: string, name: string): boolean =>
    authorizer.authorize({
      user: request.user,
      info: { isResource: true, verb, group, namespace: request.namespace, resource, subresource: "", name },
      path: "",
    }).allowed;

  const confirm = (request: AdmissionRequest, rules: readonly PolicyRule[]): void => {
    const { user, resource, name } = request;
    const owned = authorizer.rulesFor(user, request.namespace);
    const missing = uncoveredRules(owned.rules, rules);
    if (missing.length === 0) return;
    const texts = [...new Set(compactRules(missing).map(ruleText))].sort();
    const unresolved = owned.missing.length === 0 ? "" : `; resolution errors: [${owned.missing.join(", ")}]`;
    const why = `user ${JSON.stringify(user.name)} (groups=${textList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${texts.join("\n")}${unresolved}`;
    throw forbidden({ group, resource: resource.api.plural }, name, why);
  };

  const checkRole = (request: AdmissionRequest): void => {
    const { object, oldObject, resource, name } = request;
    if (oldObject !== undefined && sameApartFromGarbageCollection(object, oldObject)) return;
    // a create has no name yet, so that a rule with resourceNames does not allow it
    const asked = oldObject === undefined ? "" : name;
    if (allowed(request, "escalate", resource.api.plural, asked)) return;
    confirm(request, (object?.["rules"] ?? []) as readonly PolicyRule[]);
    if (object?.["aggregationRule"] || oldObject?.["aggregationRule"]) confirm(request, full);
  };

  const checkBinding = (request: AdmissionRequest): void => {
    const { object, oldObject, namespace } = request;
    if (oldObject !== undefined && sameApartFromGarbageCollection(object, oldObject)) return;
    const roleRef = object?.["roleRef"] as RoleRef | undefined;
    if (roleRef === undefined) return;
    const plural = roleRef.kind === "Role" ? "roles" : "clusterroles";
    if (allowed(request, "bind", plural, roleRef.name)) return;
    const rules = index.rulesOf(roleRef, namespace);
    if (rules === undefined) throw notFound({ group, resource: plural }, roleRef.name);
    confirm(request, rules);
  };

  return {
    name: "RbacEscalation",
    mutate(request) {
      const { resource, object, user, operation } = request;
      const plural = resource.api.plural;
      if (object === undefined) throw new Error(`admission of ${plural} ${operation} without an object`);
      if (resource.api.group !== group || !kinds.has(plural)) return object;
      if (user.groups.includes(mastersGroup)) return object;
      if (plural.endsWith("bindings")) checkBinding(request);
      else checkRole(request);
      return object;
    },
  };
}

/** What an aggregation rule may gather: anything. */
const full: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

/** Owner references and finalizers may always be changed: they grant nothing. */
function sameApartFromGarbageCollection(
  object: AdmissionRequest["object"],
  old: NonNullable<AdmissionRequest["object"]>,
): boolean {
  if (object === undefined) return true;
  const bare = (o: typeof object): Json => {
    const {
      ownerReferences: _o,
      finalizers: _f,
      managedFields: _m,
      resourceVersion: _r,
      ...metadata
    } = o.metadata;
    return { ...o, metadata } as unknown as Json;
  };
  return jsonEqual(bare(object), bare(old));
}
