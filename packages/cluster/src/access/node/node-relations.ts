/**
 * Which objects a node has to do with: those of the pods that are bound to it. Kept right by the store's events from the first
 * question on; a cluster whose nodes are never asked about pays nothing. Source: kubernetes plugin/pkg/auth/authorizer/node (graph.go).
 */
import type { DeepReadonly } from "@bowline/api";
import type { PersistentVolume, Pod } from "@bowline/api/core/v1";
import type { Bucket } from "../../store/bucket.ts";
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
  /** Keys of the pods by their node; made on the first question. */
  #byNode: Map<string, Set<string>> | undefined;
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
        return this.#volumesOf(node).some((volume) => volume.metadata.name === name);
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

  /** The volumes that are bound to claims of the node's pods. */
  #volumesOf(node: string): DeepReadonly<PersistentVolume>[] {
    const volumes = this.#volumes.list("") as readonly { readonly object: unknown }[];
    return volumes
      .map(({ object }) => object as DeepReadonly<PersistentVolume>)
      .filter(({ spec }) => {
        const { namespace = "", name = "" } = spec?.claimRef ?? {};
        return name !== "" && this.has(node, { resource: "persistentvolumeclaims", namespace, name });
      });
  }

  #keysOf(node: string): ReadonlySet<string> {
    if (this.#byNode === undefined) {
      this.#byNode = new Map();
      for (const { object } of this.#pods.list("")) this.#add(object as unknown as DeepReadonly<Pod>);
      this.#stop = this.#store.onCommit((bucket, event) => this.#committed(bucket, event));
    }
    return this.#byNode.get(node) ?? none;
  }

  #committed(bucket: Bucket, { current, previous, deleted, key }: StoreEvent): void {
    if (bucket !== this.#pods) return;
    const before = (previous?.object as unknown as DeepReadonly<Pod> | undefined)?.spec?.nodeName ?? "";
    const pods = this.#byNode?.get(before);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode?.delete(before);
    if (!deleted) this.#add(current.object as unknown as DeepReadonly<Pod>);
  }

  #add({ metadata, spec }: DeepReadonly<Pod>): void {
    const node = spec?.nodeName ?? "";
    if (node === "") return;
    const key = `${metadata.namespace}/${metadata.name}`;
    const pods = this.#byNode?.get(node);
    if (pods === undefined) this.#byNode?.set(node, new Set([key]));
    else pods.add(key);
  }
}

const none: ReadonlySet<string> = new Set();
