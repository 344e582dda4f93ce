/** Who owns whom, by uid. Source: kubernetes pkg/controller/garbagecollector (graph.go, graph_builder.go). */
import { type DeepReadonly, type KubeObject, type OwnerReference, parseApiVersion } from "@bowline/api";
import type { DiscoveredKind } from "@bowline/client";

export type Reference = DeepReadonly<OwnerReference>;

/** What garbage collection needs to know of an object. */
export interface OwnedNode {
  readonly uid: string;
  readonly kind: DiscoveredKind;
  /** `""` for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly owners: readonly Reference[];
  readonly isDeleting: boolean;
  /** Deleted with the policy Orphan: dependents are to be let go. */
  readonly isOrphaning: boolean;
  /** Deleted with the policy Foreground: dependents go first. */
  readonly isForeground: boolean;
}

const noOwners: readonly Reference[] = [];

/** What garbage collection needs to know of an object. */
export function nodeOf(kind: DiscoveredKind, object: DeepReadonly<KubeObject>): OwnedNode {
  const {
    uid = "",
    namespace = "",
    name = "",
    ownerReferences,
    finalizers,
    deletionTimestamp,
  } = object.metadata;
  const isDeleting = deletionTimestamp !== undefined;
  return {
    uid,
    kind,
    namespace,
    name,
    owners: ownerReferences ?? noOwners,
    isDeleting,
    isOrphaning: isDeleting && finalizers?.includes("orphan") === true,
    isForeground: isDeleting && finalizers?.includes("foregroundDeletion") === true,
  };
}

/** Whether a reference of `dependent` names this node rightly: an owner is in the same namespace, or in none. */
export function isOwner(node: OwnedNode, dependent: OwnedNode, reference: Reference): boolean {
  return (
    node.uid === reference.uid &&
    node.name === reference.name &&
    node.kind.kind === reference.kind &&
    node.kind.group === parseApiVersion(reference.apiVersion).group &&
    (node.namespace === "" || node.namespace === dependent.namespace)
  );
}

/**
 * The objects of the cluster and who depends on whom. Owners need not be there: dependents are found by the uid alone, so
 * that order of arrival does not matter.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, OwnedNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): OwnedNode | undefined {
    return this.#nodes.get(uid);
  }

  /** @returns the node as it was before */
  set(node: OwnedNode): OwnedNode | undefined {
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    if (before?.owners === node.owners) return before;
    for (const { uid } of before?.owners ?? []) this.#unlink(uid, node.uid);
    for (const { uid } of node.owners) this.#link(uid, node.uid);
    return before;
  }

  /** @returns the node that was there */
  delete(uid: string): OwnedNode | undefined {
    const before = this.#nodes.get(uid);
    this.#nodes.delete(uid);
    for (const owner of before?.owners ?? []) this.#unlink(owner.uid, uid);
    return before;
  }

  /** Objects with a reference to this uid, right or wrong. */
  dependentsOf(uid: string): OwnedNode[] {
    return Array.from(
      this.#dependents.get(uid) ?? [],
      (dependent) => this.#nodes.get(dependent) as OwnedNode,
    );
  }

  /** Dependents that foreground deletion of the node waits for. */
  blockersOf(node: OwnedNode): OwnedNode[] {
    return this.dependentsOf(node.uid).filter((dependent) =>
      dependent.owners.some((ref) => ref.blockOwnerDeletion === true && isOwner(node, dependent, ref)),
    );
  }

  #link(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner);
    if (set === undefined) this.#dependents.set(owner, new Set([dependent]));
    else set.add(dependent);
  }

  #unlink(owner: string, dependent: string): void {
    const set = this.#dependents.get(owner);
    set?.delete(dependent);
    if (set?.size === 0) this.#dependents.delete(owner);
  }
}
