/**
 * The life of CustomResourceDefinitions: their conditions, what they make the server serve, and their end.
 * Source: apiextensions-apiserver pkg/controller (status, establish, finalizer), pkg/apiserver/customresource_handler.go.
 */
import {
  type CustomResourceDefinition,
  computeCrdStatus,
  customResourceCleanupFinalizer,
  deepFreeze,
  forbidden,
  isCrdConditionTrue,
  jsonEqual,
  terminatingCrdStatus,
} from "@bowline/api";
import { type Clock, rfc3339 } from "@bowline/client";
import { DeferredNames } from "./deferred-names.ts";
import type { Bucket } from "../store/bucket.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import type { Store } from "../store/store.ts";
import type { StoreEvent } from "../store/watch-hub.ts";
import { type Converter, customResources, renameVersion } from "./custom-resource.ts";
import { type WriteContext, removeStored } from "./generic-registry.ts";
import { deleteObject } from "./delete-object.ts";
import { withMetadata } from "./metadata.ts";
import type { Resource } from "./resource.ts";
import type { ResourceCatalog } from "./resource-catalog.ts";

export interface CrdControllerOptions {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly clock: Clock;
  /** The built-in resource of CRDs themselves. */
  readonly definitions: Resource;
  /** What deletes of custom resources are made with when their definition goes. */
  readonly writeContext: () => WriteContext;
  /** The converter of a definition with conversion strategy Webhook. */
  readonly webhookConverter: (crd: CustomResourceDefinition) => Converter;
  readonly onError: (error: unknown) => void;
}

interface Served {
  /** What the resources were built from. */
  readonly crd: CustomResourceDefinition;
  readonly resources: readonly Resource[];
}

/** Reacts to every change of a CRD, soon after the write was answered, as the real server's controllers do. */
export class CrdController {
  readonly #options: CrdControllerOptions;
  readonly #served = new Map<string, Served>();
  readonly #stop: () => void;
  readonly #changed: DeferredNames;

  constructor(options: CrdControllerOptions) {
    this.#options = options;
    const { clock, onError } = options;
    this.#changed = new DeferredNames({ clock, onError, visit: (name) => this.#reconcile(name) });
    for (const revision of options.definitions.bucket.list("")) this.#reconcile(revision.key);
    this.#stop = options.store.onCommit((bucket, event) => this.#committed(bucket, event));
  }

  close(): void {
    this.#changed.close();
    this.#stop();
  }

  #committed(bucket: Bucket, event: StoreEvent): void {
    if (bucket === this.#options.definitions.bucket) this.#changed.add(event.key);
    else if (event.deleted && bucket.size === 0) {
      for (const [name, { crd }] of this.#served)
        if (bucketName(crd) === bucket.name) this.#changed.add(name);
    }
  }

  #reconcile(name: string): void {
    const revision = this.#options.definitions.bucket.get(name);
    if (revision === undefined) {
      this.#unserve(name);
      this.#enqueueWaiting(name);
      return;
    }
    const crd = revision.object as unknown as CustomResourceDefinition;
    if (crd.metadata.deletionTimestamp !== undefined) return this.#terminate(name, revision, crd);
    const status = computeCrdStatus(crd, { others: this.#others(name), now: this.#now() });
    const current = this.#writeStatus(revision, crd, status);
    this.#serve(name, current);
    if (!jsonEqual(current.status?.acceptedNames, crd.status?.acceptedNames)) this.#enqueueWaiting(name);
  }

  /** Definitions of the same group that wait for names may get those that `name` gave up. */
  #enqueueWaiting(name: string): void {
    const group = groupOf(name);
    for (const other of this.#others(name)) {
      const isWaiting = other.spec.group === group && !isCrdConditionTrue(other, "NamesAccepted");
      if (isWaiting) this.#changed.add(other.metadata.name ?? "");
    }
  }

  #others(name: string): CustomResourceDefinition[] {
    return this.#options.definitions.bucket
      .list("")
      .filter((r) => r.key !== name)
      .map((r) => r.object as unknown as CustomResourceDefinition);
  }

  #now(): string {
    return rfc3339(this.#options.clock.now());
  }

  /** Stores a changed status; gives the CRD as it is then. */
  #writeStatus(
    revision: Revision,
    crd: CustomResourceDefinition,
    status: CustomResourceDefinition["status"],
  ): CustomResourceDefinition {
    if (jsonEqual(status, crd.status)) return crd;
    const object = { ...revision.object, status } as unknown as StoredObject;
    const written = this.#options.definitions.bucket.put(revision.key, revision, (resourceVersion) => {
      return deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject;
    });
    return written.object as unknown as CustomResourceDefinition;
  }

  #serve(name: string, crd: CustomResourceDefinition): void {
    if (!isCrdConditionTrue(crd, "Established")) return;
    const before = this.#served.get(name);
    const same =
      before !== undefined &&
      jsonEqual(before.crd.spec, crd.spec) &&
      jsonEqual(before.crd.status?.acceptedNames, crd.status?.acceptedNames);
    if (same) return;
    const resources = customResources(crd, {
      bucket: this.#options.store.bucket(bucketName(crd)),
      createRefusal: (object) => this.#createRefusal(name, object),
      convert:
        crd.spec.conversion?.strategy === "Webhook" ? this.#options.webhookConverter(crd) : renameVersion,
    });
    if (before !== undefined) {
      this.#options.catalog.remove(before.resources);
      // open watches show objects as they were defined before: they end, and go on under the new definition
      before.resources[0]?.bucket.closeSubscriptions();
    }
    this.#options.catalog.add(resources);
    this.#served.set(name, { crd, resources });
  }

  #unserve(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#options.catalog.remove(served.resources);
    served.resources[0]?.bucket.closeSubscriptions();
  }

  /** While its custom resources are being deleted, a definition accepts no new ones. */
  #createRefusal(name: string, object: string): Error | undefined {
    const revision = this.#options.definitions.bucket.get(name);
    const crd = revision?.object as unknown as CustomResourceDefinition | undefined;
    if (crd?.metadata.deletionTimestamp === undefined) return undefined;
    if (!crd.metadata.finalizers?.includes(customResourceCleanupFinalizer)) return undefined;
    const { group, names } = crd.spec;
    return forbidden(
      { group, resource: names.plural },
      object,
      "create not allowed while custom resource definition is terminating",
    );
  }

  /** Deletes the custom resources of a CRD that is being deleted, then lets the CRD go. */
  #terminate(name: string, revision: Revision, crd: CustomResourceDefinition): void {
    if (!crd.metadata.finalizers?.includes(customResourceCleanupFinalizer)) return;
    const resource = this.#served.get(name)?.resources[0];
    const bucket = this.#options.store.bucket(bucketName(crd));
    if (bucket.size > 0 && resource !== undefined) {
      const status = terminatingCrdStatus(crd, { state: "inProgress", now: this.#now() });
      this.#writeStatus(revision, crd, status);
      void this.#deleteInstances(resource).catch(this.#options.onError);
      return;
    }
    this.#release(revision, crd);
  }

  async #deleteInstances(resource: Resource): Promise<void> {
    const options = {
      dryRun: false,
      gracePeriodSeconds: undefined,
      propagationPolicy: undefined,
      orphanDependents: undefined,
      preconditions: undefined,
    };
    for (const { object } of resource.bucket.list("")) {
      const { name = "", namespace = "", deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) continue;
      await deleteObject(resource, this.#options.writeContext(), { namespace, name, options });
    }
  }

  #release(revision: Revision, crd: CustomResourceDefinition): void {
    const { bucket } = this.#options.definitions;
    const finalizers = (crd.metadata.finalizers ?? []).filter((f) => f !== customResourceCleanupFinalizer);
    const status = terminatingCrdStatus(crd, { state: "completed", now: this.#now() });
    if (finalizers.length === 0) {
      removeStored(this.#options.definitions, revision);
      return;
    }
    const object = { ...revision.object, status } as unknown as StoredObject;
    bucket.put(revision.key, revision, (resourceVersion) => {
      return deepFreeze(withMetadata(object, { resourceVersion, finalizers })) as StoredObject;
    });
  }
}

/** Of a definition, which is named `plural.group`. */
function groupOf(name: string): string {
  return name.slice(name.indexOf(".") + 1);
}

function bucketName(crd: CustomResourceDefinition): string {
  return `${crd.spec.group}/${crd.spec.names.plural}`;
}
