/**
 * What the user of a node may do: what every node needs, and of secrets, claims and the like only what its own pods lead to.
 * Source: kubernetes plugin/pkg/auth/authorizer/node (node_authorizer.go).
 */
import { parseFieldSelector } from "@bowline/api";
import type { AuthorizationRequest, Authorizer, Decision } from "../authorization.ts";
import { type PolicyRule, ruleAllows } from "../rbac/policy-rule.ts";
import type { NodeRelations } from "./node-relations.ts";

const userPrefix = "system:node:";
const nodesGroup = "system:nodes";
const leaseNamespace = "kube-node-lease";

type Info = AuthorizationRequest["info"];

interface Question {
  readonly node: string;
  readonly info: Info;
  readonly fieldSelector: string;
}

const allowed: Decision = { allowed: true, reason: "" };
const ownObject = ["get", "create", "update", "patch", "delete"];

export class NodeAuthorizer implements Authorizer {
  readonly #relations: NodeRelations;
  readonly #rules: readonly PolicyRule[];

  /** @param rules what all nodes may do alike */
  constructor(relations: NodeRelations, rules: readonly PolicyRule[]) {
    this.#relations = relations;
    this.#rules = rules;
  }

  authorize({ user, info, path, fieldSelector = "" }: AuthorizationRequest): Decision {
    if (!isNode(user)) return no("");
    const node = user.name.slice(userPrefix.length);
    if (node === "") return no(`unknown node for user ${JSON.stringify(user.name)}`);
    const check = info.isResource ? this.#checks[`${info.group}/${info.resource}`] : undefined;
    if (check !== undefined) return check({ node, info, fieldSelector });
    return this.#rules.some((rule) => ruleAllows(rule, info, path)) ? allowed : no("");
  }

  readonly #checks: Readonly<Record<string, (question: Question) => Decision>> = {
    "/secrets": (question) => this.#read(question),
    "/configmaps": (question) => this.#read(question),
    "/persistentvolumeclaims": (question) =>
      question.info.subresource === "status" ? this.#updateStatus(question) : this.#get(question),
    "/persistentvolumes": (question) => this.#get(question),
    "/serviceaccounts": (question) => this.#createToken(question),
    "/nodes": (question) => nodeDecision(question),
    "/pods": (question) => this.#pod(question),
    "resource.k8s.io/resourceclaims": (question) => this.#get(question),
    "resource.k8s.io/resourceslices": (question) => this.#resourceSlice(question),
    "storage.k8s.io/volumeattachments": (question) => this.#get(question),
    "storage.k8s.io/csinodes": (question) => csiNodeDecision(question),
    "coordination.k8s.io/leases": (question) => leaseDecision(question),
  };

  #related({ node, info }: Question): Decision {
    if (info.name === "") return no("No Object name found");
    return this.#relations.has(node, info)
      ? allowed
      : no(`no relationship found between node '${node}' and this object`);
  }

  #read(question: Question): Decision {
    const { verb, subresource, namespace } = question.info;
    if (!["get", "list", "watch"].includes(verb)) return no("can only read resources of this type");
    if (subresource !== "") return no("cannot read subresource");
    if (namespace === "") return no("can only read namespaced object of this type");
    return this.#related(question);
  }

  #get(question: Question): Decision {
    if (question.info.verb !== "get") return no("can only get individual resources of this type");
    if (question.info.subresource !== "") return no("cannot get subresource");
    return this.#related(question);
  }

  #updateStatus(question: Question): Decision {
    if (!["update", "patch"].includes(question.info.verb)) return no("can only get/update/patch this type");
    return this.#related(question);
  }

  #createToken(question: Question): Decision {
    const { verb, name, subresource } = question.info;
    if (verb !== "create" || name === "") return no("can only create tokens for individual service accounts");
    if (subresource !== "token") return no("can only create token subresource of serviceaccount");
    return this.#related(question);
  }

  #pod(question: Question): Decision {
    const { node, info, fieldSelector } = question;
    const { verb, subresource } = info;
    if (subresource === "status") return ["update", "patch"].includes(verb) ? allowed : no("");
    if (subresource === "eviction") return verb === "create" ? allowed : no("");
    if (subresource !== "") return no("");
    // which of them is the business of NodeRestriction: here the object is not known yet
    if (verb === "create" || verb === "delete") return allowed;
    if (verb === "get") return this.#get(question);
    if (verb !== "list" && verb !== "watch") return no("");
    if (selects(fieldSelector, "spec.nodeName", node)) return allowed;
    if (info.name !== "") return this.#related(question);
    return no("can only list/watch pods with spec.nodeName field selector");
  }

  #resourceSlice(question: Question): Decision {
    const { verb, subresource } = question.info;
    if (subresource !== "") return no("cannot authorize ResourceSlice subresources");
    if (verb === "create") return allowed;
    if (["get", "update", "patch", "delete"].includes(verb)) return this.#related(question);
    if (!["watch", "list", "deletecollection"].includes(verb)) {
      return no(
        "only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection",
      );
    }
    return selects(question.fieldSelector, "nodeName", question.node)
      ? allowed
      : no("can only list/watch/deletecollection resourceslices with nodeName field selector");
  }
}

/** Whether a user is that of a node, as its name and group say. */
export function isNode({ name, groups }: AuthorizationRequest["user"]): boolean {
  return name.startsWith(userPrefix) && groups.includes(nodesGroup);
}

/** Asks one after the other; the reasons of all are told when none allows it. Source: k8s.io/apiserver pkg/authorization/union. */
export function firstToAllow(...authorizers: readonly Authorizer[]): Authorizer {
  return {
    authorize(request) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = authorizer.authorize(request);
        if (decision.allowed) return decision;
        if (decision.reason !== "") reasons.push(decision.reason);
      }
      return no(reasons.join("\n"));
    },
  };
}

function nodeDecision({ node, info }: Question): Decision {
  const { verb, subresource, name } = info;
  if (subresource === "status") return ["update", "patch"].includes(verb) ? allowed : no("");
  if (subresource !== "") return no("");
  if (["create", "update", "patch"].includes(verb)) return allowed;
  if (!["get", "list", "watch"].includes(verb)) return no("");
  if (name === node) return allowed;
  return name === ""
    ? no(`node '${node}' cannot read all nodes, only its own Node object`)
    : no(`node '${node}' cannot read '${name}', only its own Node object`);
}

function leaseDecision({ node, info }: Question): Decision {
  const { verb, namespace, name } = info;
  if (!ownObject.includes(verb)) return no("can only get, create, update, patch, or delete a node lease");
  if (namespace !== leaseNamespace)
    return no(`can only access leases in the ${JSON.stringify(leaseNamespace)} system namespace`);
  if (verb !== "create" && name !== node)
    return no("can only access node lease with the same name as the requesting node");
  return allowed;
}

function csiNodeDecision({ node, info }: Question): Decision {
  const { verb, subresource, name } = info;
  if (!ownObject.includes(verb)) return no("can only get, create, update, patch, or delete a CSINode");
  if (subresource !== "") return no("cannot authorize CSINode subresources");
  if (verb !== "create" && name !== node)
    return no("can only access CSINode with the same name as the requesting node");
  return allowed;
}

/** Whether a field selector demands this value. One that cannot be read demands nothing: the request fails later, and says why. */
function selects(text: string, field: string, value: string): boolean {
  if (text === "") return false;
  try {
    return parseFieldSelector(text).requirements.some(
      (each) => each.field === field && each.operator === "=" && each.value === value,
    );
  } catch {
    return false;
  }
}

function no(reason: string): Decision {
  return { allowed: false, reason };
}
