/**
 * APIServices of what the server itself serves: one for each group and version, built-in and custom, and whether each is
 * available. Source: kube-aggregator pkg/controllers (autoregister, status), kubernetes pkg/controlplane/controller/crdregistration.
 */
import {
  type ApiResource,
  type CustomResourceDefinition,
  type DeepReadonly,
  deepFreeze,
  jsonEqual,
} from "@bowline/api";
import type { APIService } from "@bowline/api/apiregistration/v1";
import { type Clock, type Random, rfc3339 } from "@bowline/client";
import type { Bucket } from "../store/bucket.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import type { Store } from "../store/store.ts";
import type { StoreEvent } from "../store/watch-hub.ts";
import {
  type ApiServicePriority,
  apiServicePriority,
  customPriority,
} from "./builtin/api-service-priorities.ts";
import { DeferredNames } from "./deferred-names.ts";
import { withMetadata } from "./metadata.ts";

export interface ApiServiceRegistrarOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** What is served without any definition. */
  readonly builtin: readonly ApiResource[];
  readonly onError: (error: unknown) => void;
}

type Service = DeepReadonly<APIService>;
type Spec = NonNullable<Service["spec"]>;
type Condition = NonNullable<NonNullable<Service["status"]>["conditions"]>[number];
type Verdict = Pick<Condition, "status" | "reason" | "message">;

/** Who keeps an APIService: `onstart`, made when the server starts and left alone then, or `true`, kept at all times. */
const managedLabel = "kube-aggregator.kubernetes.io/automanaged";
const availableLocally: Verdict = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/** Reacts to definitions, to APIServices and to the services they name, soon after each write was answered. */
export class ApiServiceRegistrar {
  readonly #options: ApiServiceRegistrarOptions;
  readonly #bucket: Bucket;
  readonly #definitions: Bucket;
  readonly #services: Bucket;
  readonly #stop: () => void;
  readonly #changed: DeferredNames;
  /** `version.group` of what definitions serve, as of the last look at them. */
  #served: ReadonlySet<string> = new Set();

  constructor(options: ApiServiceRegistrarOptions) {
    this.#options = options;
    const { store, clock, onError } = options;
    this.#changed = new DeferredNames({
      clock,
      onError,
      beforeVisits: () => (this.#served = this.#servedVersions()),
      visit: (name) => this.#reconcile(name),
    });
    this.#bucket = store.bucket("apiregistration.k8s.io/apiservices");
    this.#definitions = store.bucket("apiextensions.k8s.io/customresourcedefinitions");
    this.#services = store.bucket("/services");
    this.#registerBuiltin();
    for (const { object } of this.#definitions.list("")) this.#enqueueVersions(object);
    this.#stop = store.onCommit((bucket, event) => this.#committed(bucket, event));
  }

  close(): void {
    this.#changed.close();
    this.#stop();
  }

  #registerBuiltin(): void {
    for (const { group, version } of this.#options.builtin) {
      const priority = apiServicePriority(group, version);
      const name = `${version}.${group}`;
      if (priority === undefined || this.#bucket.get(name) !== undefined) continue;
      this.#create(name, specOf(group, version, priority), "onstart");
    }
  }

  #committed(bucket: Bucket, { key, current, previous }: StoreEvent): void {
    if (bucket === this.#bucket) this.#changed.add(key);
    else if (bucket === this.#definitions) {
      // versions that are no longer there, too
      this.#enqueueVersions(current.object);
      if (previous !== undefined) this.#enqueueVersions(previous.object);
    } else if (bucket === this.#services) {
      for (const { key: name, object } of this.#bucket.list("")) {
        const { service } = (object as unknown as Service).spec ?? {};
        if (service !== undefined && `${service.namespace}/${service.name}` === key) this.#changed.add(name);
      }
    }
  }

  #enqueueVersions(definition: StoredObject): void {
    const { group, versions } = (definition as unknown as DeepReadonly<CustomResourceDefinition>).spec;
    for (const { name } of versions) this.#changed.add(`${name}.${group}`);
  }

  #reconcile(name: string): void {
    const wanted = this.#wantedSpec(name);
    const revision = this.#bucket.get(name);
    if (revision === undefined) {
      if (wanted !== undefined) this.#create(name, wanted, "true");
      return;
    }
    const service = revision.object as unknown as Service;
    if (service.metadata.labels?.[managedLabel] === "true") {
      if (wanted === undefined)
        return void this.#bucket.remove(name, revision, (resourceVersion) =>
          changed(revision.object, resourceVersion),
        );
      if (!jsonEqual(service.spec, wanted)) return this.#write(revision, { ...service, spec: wanted });
    }
    this.#setAvailable(revision, service);
  }

  /** What a definition serves; undefined for what none serves, and for the groups that the server has anyway. */
  #wantedSpec(name: string): Spec | undefined {
    const dot = name.indexOf(".");
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
    const isOwn = apiServicePriority(group, version) !== undefined;
    return this.#served.has(name) && !isOwn ? specOf(group, version, customPriority) : undefined;
  }

  /** Once for all names that are looked at together. */
  #servedVersions(): Set<string> {
    return new Set(
      this.#definitions.list("").flatMap(({ object }) => {
        const { group, versions } = (object as unknown as DeepReadonly<CustomResourceDefinition>).spec;
        return versions.filter((each) => each.served).map((each) => `${each.name}.${group}`);
      }),
    );
  }

  #setAvailable(revision: Revision, service: Service): void {
    const verdict = this.#verdict(service);
    const before = service.status?.conditions?.find(({ type }) => type === "Available");
    const isSame =
      before?.status === verdict.status &&
      before.reason === verdict.reason &&
      before.message === verdict.message;
    if (isSame) return;
    const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : this.#now();
    const condition = { type: "Available", ...verdict, lastTransitionTime } as Condition;
    const others = service.status?.conditions?.filter(({ type }) => type !== "Available") ?? [];
    this.#write(revision, { ...service, status: { ...service.status, conditions: [...others, condition] } });
  }

  /** Requests are never passed on to another server, so that what one serves is not to be had here. */
  #verdict({ spec }: Service): Verdict {
    const { service } = spec ?? {};
    if (service === undefined) return availableLocally;
    const { namespace = "", name = "" } = service;
    if (this.#services.get(`${namespace}/${name}`) === undefined) {
      return {
        status: "False",
        reason: "ServiceNotFound",
        message: `service/${name} in "${namespace}" is not present`,
      };
    }
    return {
      status: "False",
      reason: "FailedDiscoveryCheck",
      message: `service/${name} in "${namespace}" is not asked: this server does not pass requests on to others`,
    };
  }

  #create(name: string, spec: Spec, managed: "onstart" | "true"): void {
    const now = this.#now();
    this.#bucket.put(name, undefined, (resourceVersion) => {
      const metadata = {
        name,
        uid: this.#options.random.uuid(),
        resourceVersion,
        creationTimestamp: now,
        labels: { [managedLabel]: managed },
      };
      const conditions = [{ type: "Available", ...availableLocally, lastTransitionTime: now }];
      const service = {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata,
        spec,
        status: { conditions },
      };
      return deepFreeze(service) as unknown as StoredObject;
    });
  }

  #write(revision: Revision, service: Service): void {
    const object = service as unknown as StoredObject;
    this.#bucket.put(revision.key, revision, (resourceVersion) => changed(object, resourceVersion));
  }

  #now(): string {
    return rfc3339(this.#options.clock.now());
  }
}

function changed(object: StoredObject, resourceVersion: string): StoredObject {
  return deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject;
}

function specOf(group: string, version: string, priority: ApiServicePriority): Spec {
  return {
    ...(group === "" ? {} : { group }),
    groupPriorityMinimum: priority.group,
    version,
    versionPriority: priority.version,
  };
}
