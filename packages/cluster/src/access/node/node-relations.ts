/**
 * Which objects a node has to do with: those of the pods that are bound to it. Kept right by the store's events from the first
 * question on; a cluster whose nodes are never asked about pays nothing. Source: kubernetes plugin/pkg/auth/authorizer/node (graph.go).
 */
import type { DeepReadonly } from "@bowline/api";
import type { PersistentVolume, Pod } from "@bowline/api/core/v1";
import type { Bucket } from "../../store/bucket.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import type { StoreEvent } from "../../store/watch-hub.ts";
import {
  claimNames,
  configMapNames,
  resourceClaimNames,
  secretNames,
  volumeSecretKeys,
} from "./pod-references.ts";

export interface RelatedObject {
  /** `secrets`, `pods`, `persistentvolumes`, ... */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

const mirrorAnnotation = "kubernetes.io/config.mirror";

export class NodeRelations {
  readonly #store: Store;
  readonly #pods: Bucket;
  readonly #volumes: Bucket;
  /** Keys of the pods by their node, and names of the volumes by the claim that they are bound to; made on the first question. */
  #index: { readonly pods: Groups; readonly volumes: Groups } | undefined;
  #stop: () => void = () => {};

  constructor(store: Store) {
    this.#store = store;
    this.#pods = store.bucket("/pods");
    this.#volumes = store.bucket("/persistentvolumes");
  }

  /** Whether a pod of the node leads to the object, or the object names the node itself. */
  has(node: string, { resource, namespace, name }: RelatedObject): boolean {
    switch (resource) {
      case "pods":
        return this.#keysOf(node).has(`${namespace}/${name}`);
      case "serviceaccounts":
        return this.#some(node, namespace, (pod) => pod.spec?.serviceAccountName === name);
      case "configmaps":
        return this.#some(node, namespace, (pod) => configMapNames(pod).has(name));
      case "persistentvolumeclaims":
        return this.#some(node, namespace, (pod) => claimNames(pod).has(name));
      case "resourceclaims":
        return this.#some(node, namespace, (pod) => resourceClaimNames(pod).has(name));
      case "secrets":
        return (
          this.#some(node, namespace, (pod) => secretNames(pod).has(name)) ||
          this.#volumesOf(node).some((volume) => volumeSecretKeys(volume).has(`${namespace}/${name}`))
        );
      case "persistentvolumes":
        return this.#isBoundTo(node, name);
      case "volumeattachments":
        return this.#namesNode("storage.k8s.io/volumeattachments", name, node);
      case "resourceslices":
        return this.#namesNode("resource.k8s.io/resourceslices", name, node);
      default:
        return false;
    }
  }

  close(): void {
    this.#stop();
  }

  #namesNode(bucket: string, name: string, node: string): boolean {
    const found = this.#store.bucket(bucket).get(name)?.object as
      | { spec?: { nodeName?: string } }
      | undefined;
    return found?.spec?.nodeName === node;
  }

  /** A mirror pod gives its node nothing: the node itself has made it. */
  #some(node: string, namespace: string, matches: (pod: DeepReadonly<Pod>) => boolean): boolean {
    return this.#podsOf(node).some(
      (pod) =>
        pod.metadata.namespace === namespace &&
        pod.metadata.annotations?.[mirrorAnnotation] === undefined &&
        matches(pod),
    );
  }

  #podsOf(node: string): DeepReadonly<Pod>[] {
    return [...this.#keysOf(node)].flatMap((key) => {
      const pod = this.#pods.get(key)?.object as unknown as DeepReadonly<Pod> | undefined;
      return pod === undefined ? [] : [pod];
    });
  }

  #isBoundTo(node: string, volume: string): boolean {
    const claim = claimOf(this.#volumes.get(volume)?.object);
    const slash = claim.indexOf("/");
    const [namespace, name] = [claim.slice(0, slash), claim.slice(slash + 1)];
    return claim !== "" && this.has(node, { resource: "persistentvolumeclaims", namespace, name });
  }

  /** The volumes that are bound to claims of the node's pods. */
  #volumesOf(node: string): DeepReadonly<PersistentVolume>[] {
    const { volumes } = this.#indexed();
    return this.#podsOf(node)
      .filter(({ metadata }) => metadata.annotations?.[mirrorAnnotation] === undefined)
      .flatMap((pod) => [...claimNames(pod)].map((name) => `${pod.metadata.namespace}/${name}`))
      .flatMap((claim) => [...volumes.of(claim)])
      .flatMap((name) => (this.#volumes.get(name)?.object ?? []) as DeepReadonly<PersistentVolume>);
  }

  #keysOf(node: string): ReadonlySet<string> {
    return this.#indexed().pods.of(node);
  }

  #indexed(): { readonly pods: Groups; readonly volumes: Groups } {
    if (this.#index === undefined) {
      const index = { pods: new Groups(nodeOf), volumes: new Groups(claimOf) };
      for (const { key, object } of this.#pods.list("")) index.pods.add(key, object);
      for (const { key, object } of this.#volumes.list("")) index.volumes.add(key, object);
      this.#stop = this.#store.onCommit((bucket, event) => {
        if (bucket === this.#pods) index.pods.committed(event);
        else if (bucket === this.#volumes) index.volumes.committed(event);
      });
      this.#index = index;
    }
    return this.#index;
  }
}

/** Keys of objects by one thing that each of them names, or does not. */
class Groups {
  readonly #nameIn: (object: StoredObject | undefined) => string;
  readonly #keys = new Map<string, Set<string>>();

  /** @param nameIn what an object names; `""` for nothing */
  constructor(nameIn: (object: StoredObject | undefined) => string) {
    this.#nameIn = nameIn;
  }

  of(name: string): ReadonlySet<string> {
    return this.#keys.get(name) ?? none;
  }

  add(key: string, object: StoredObject): void {
    const name = this.#nameIn(object);
    if (name === "") return;
    const keys = this.#keys.get(name);
    if (keys === undefined) this.#keys.set(name, new Set([key]));
    else keys.add(key);
  }

  committed({ key, current, previous, deleted }: StoreEvent): void {
    const before = this.#nameIn(previous?.object);
    const keys = this.#keys.get(before);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(before);
    if (!deleted) this.add(key, current.object);
  }
}

function nodeOf(pod: StoredObject | undefined): string {
  return (pod as DeepReadonly<Pod> | undefined)?.spec?.nodeName ?? "";
}

function claimOf(volume: StoredObject | undefined): string {
  const { namespace = "", name = "" } =
    (volume as DeepReadonly<PersistentVolume> | undefined)?.spec?.claimRef ?? {};
  return name === "" ? "" : `${namespace}/${name}`;
}

const none: ReadonlySet<string> = new Set();
