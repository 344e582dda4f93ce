/**
 * Roles and bindings as the authorizer needs them: by subject. Kept right by the store's events, so that no request ever
 * goes through a list of bindings.
 */
import type { Bucket } from "../../store/bucket.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import type { StoreEvent } from "../../store/watch-hub.ts";
import type { PolicyRule, RoleRef, Subject } from "./policy-rule.ts";

/** One binding that applies to a user. */
export interface Grant {
  /** `ClusterRoleBinding "x" of ClusterRole "y" to Group "z"`, as reasons name it. */
  readonly text: string;
  /** Undefined when the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined;
  /** `clusterrole.rbac.authorization.k8s.io "y" not found`, when it does not. */
  readonly missing: string;
}

interface Binding {
  readonly name: string;
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

const group = "rbac.authorization.k8s.io";

export class RbacIndex {
  readonly roles: Bucket;
  readonly clusterRoles: Bucket;
  readonly #roleBindings: Bucket;
  readonly #clusterRoleBindings: Bucket;
  /** Bindings by `namespace NUL subject`, the namespace being empty for cluster role bindings. */
  readonly #bindings = new Map<string, Map<string, Binding>>();
  readonly #stop: () => void;
  #generation = 0;

  constructor(store: Store) {
    this.roles = store.bucket(`${group}/roles`);
    this.clusterRoles = store.bucket(`${group}/clusterroles`);
    this.#roleBindings = store.bucket(`${group}/rolebindings`);
    this.#clusterRoleBindings = store.bucket(`${group}/clusterrolebindings`);
    for (const bucket of [this.#roleBindings, this.#clusterRoleBindings]) {
      for (const { object } of bucket.list("")) this.#add(object);
    }
    this.#stop = store.onCommit((bucket, event) => this.#committed(bucket, event));
  }

  /** Counts the changes of anything that decides: what was derived at another count is out of date. */
  get generation(): number {
    return this.#generation;
  }

  close(): void {
    this.#stop();
  }

  /** What bindings of a namespace grant to a user name or group; those of the whole cluster for the empty namespace. */
  grants(namespace: string, subject: { readonly kind: "User" | "Group"; readonly name: string }): Grant[] {
    const found = this.#bindings.get(bindingKey(namespace, subjectKey(subject)));
    return found === undefined ? [] : [...found.values()].map((binding) => this.#grant(binding, subject));
  }

  /** The rules of a role, undefined when there is no such role. A Role is looked for in `namespace`. */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role =
      roleRef.kind === "ClusterRole"
        ? this.clusterRoles.get(roleRef.name)
        : this.roles.get(`${namespace}/${roleRef.name}`);
    if (role === undefined) return undefined;
    return (role.object["rules"] as readonly PolicyRule[] | null | undefined) ?? [];
  }

  #grant(binding: Binding, subject: { readonly kind: string; readonly name: string }): Grant {
    const { roleRef, name, namespace } = binding;
    const bound = namespace === "" ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
    const account = /^system:serviceaccount:([^:]*):(.*)$/.exec(subject.name);
    const direct = binding.subjects.some((s) => s.kind === subject.kind && s.name === subject.name);
    const to =
      subject.kind === "User" && account !== null && !direct
        ? `ServiceAccount "${account[2]}/${account[1]}"`
        : `${subject.kind} "${subject.name}"`;
    return {
      text: `${bound} of ${roleRef.kind} "${roleRef.name}" to ${to}`,
      rules: this.rulesOf(roleRef, namespace),
      missing: `${roleRef.kind.toLowerCase()}.${group} "${roleRef.name}" not found`,
    };
  }

  #committed(bucket: Bucket, event: StoreEvent): void {
    const isBinding = bucket === this.#roleBindings || bucket === this.#clusterRoleBindings;
    if (!isBinding && bucket !== this.roles && bucket !== this.clusterRoles) return;
    this.#generation++;
    if (!isBinding) return;
    if (event.previous !== undefined) this.#remove(event.previous.object);
    if (!event.deleted) this.#add(event.current.object);
  }

  #add(object: StoredObject): void {
    const binding = bindingOf(object);
    for (const subject of binding.subjects) {
      const key = bindingKey(binding.namespace, subjectKey(subject));
      const known = this.#bindings.get(key);
      if (known === undefined) this.#bindings.set(key, new Map([[binding.name, binding]]));
      else known.set(binding.name, binding);
    }
  }

  #remove(object: StoredObject): void {
    const binding = bindingOf(object);
    for (const subject of binding.subjects) {
      const key = bindingKey(binding.namespace, subjectKey(subject));
      const known = this.#bindings.get(key);
      known?.delete(binding.name);
      if (known?.size === 0) this.#bindings.delete(key);
    }
  }
}

function bindingOf(object: StoredObject): Binding {
  const { roleRef, subjects } = object as unknown as {
    roleRef: RoleRef;
    subjects?: readonly Subject[] | null;
  };
  const { name = "", namespace = "" } = object.metadata;
  return { name, namespace, roleRef, subjects: subjects ?? [] };
}

function bindingKey(namespace: string, subject: string): string {
  return `${namespace}\0${subject}`;
}

/** A service account is the user of its name. */
function subjectKey({ kind, name, namespace }: { kind: string; name: string; namespace?: string }): string {
  if (kind === "ServiceAccount") return `User\0system:serviceaccount:${namespace ?? ""}:${name}`;
  return `${kind}\0${name}`;
}
