/** Authorization by roles and bindings. Source: kubernetes plugin/pkg/auth/authorizer/rbac (rbac.go). */
import type { UserInfo } from "../../registry/user.ts";
import { type Authorizer, type Decision, mastersGroup } from "../authorization.ts";
import { type PolicyRule, ruleAllows } from "./policy-rule.ts";
import type { Grant, RbacIndex } from "./rbac-index.ts";

/** Users whose grants are remembered, this many. */
const usersMax = 1000;

/** What a user's bindings say, until any role or binding changes. */
interface UserGrants {
  readonly cluster: readonly Grant[];
  readonly byNamespace: Map<string, readonly Grant[]>;
}

/** Decides by roles and bindings; members of `system:masters` may do everything. */
export class RbacAuthorizer implements Authorizer {
  readonly #index: RbacIndex;
  readonly #users = new Map<string, UserGrants>();
  #generation = -1;

  constructor(index: RbacIndex) {
    this.#index = index;
  }

  authorize({ user, info, path }: Parameters<Authorizer["authorize"]>[0]): Decision {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: "" };
    const missing: string[] = [];
    for (const grants of this.#grantsFor(user, info.isResource ? info.namespace : "")) {
      for (const { text, rules, missing: why } of grants) {
        if (rules === undefined) missing.push(why);
        else if (rules.some((rule) => ruleAllows(rule, info, path))) {
          return { allowed: true, reason: `RBAC: allowed by ${text}` };
        }
      }
    }
    return { allowed: false, reason: missing.length === 0 ? "" : `RBAC: ${joined(missing)}` };
  }

  /** Every rule that applies to a user in a namespace (and in the whole cluster). Roles that are missing are told. */
  rulesFor(user: UserInfo, namespace: string): { rules: readonly PolicyRule[]; missing: readonly string[] } {
    const grants = this.#grantsFor(user, namespace).flat();
    const rules = grants.flatMap((grant) => grant.rules ?? []);
    return { rules, missing: grants.filter((g) => g.rules === undefined).map((g) => g.missing) };
  }

  #grantsFor(user: UserInfo, namespace: string): (readonly Grant[])[] {
    const known = this.#known(user);
    if (namespace === "") return [known.cluster];
    let local = known.byNamespace.get(namespace);
    if (local === undefined) {
      local = this.#collect(user, namespace);
      known.byNamespace.set(namespace, local);
    }
    return [known.cluster, local];
  }

  #known(user: UserInfo): UserGrants {
    if (this.#generation !== this.#index.generation || this.#users.size > usersMax) {
      this.#users.clear();
      this.#generation = this.#index.generation;
    }
    const key = `${user.name}\0${user.groups.join("\0")}`;
    let known = this.#users.get(key);
    if (known === undefined) {
      known = { cluster: this.#collect(user, ""), byNamespace: new Map() };
      this.#users.set(key, known);
    }
    return known;
  }

  #collect(user: UserInfo, namespace: string): Grant[] {
    const ofGroups = user.groups.flatMap((name) => this.#index.grants(namespace, { kind: "Group", name }));
    return [...this.#index.grants(namespace, { kind: "User", name: user.name }), ...ofGroups];
  }
}

function joined(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
}
