/**
 * Quotas: what would use more than a namespace may is refused, and the used amounts are kept in the quotas' status.
 * Source: k8s.io/apiserver pkg/admission/plugin/resourcequota (controller.go).
 */
import {
  type Quantity,
  compareQuantities,
  deepFreeze,
  jsonEqual,
  quantityText,
  subtractQuantities,
} from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import { withMetadata } from "../../../registry/metadata.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { Revision, StoredObject } from "../../../store/revision.ts";
import type { Store } from "../../../store/store.ts";
import { kindCounted, podInScopes, usageOf } from "./quota-usage.ts";
import { podSpec } from "./pod-fields.ts";
import { type ResourceList, addLists, emptyList, plainList, resourceList } from "./resource-list.ts";
import { refusal } from "./refusal.ts";

type ScopeSelector = readonly {
  readonly scopeName: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}[];

interface Quota {
  readonly name: string;
  readonly hard: ResourceList;
  readonly scopes: ScopeSelector;
}

/** A request that was let through and is about to be stored. */
interface Reservation {
  readonly kind: string;
  readonly key: string;
  readonly object: StoredObject;
}

/** The admission plug-in, and what keeps the status of quotas up to date. */
export class ResourceQuotas {
  readonly plugin: AdmissionPlugin;
  readonly #store: Store;
  readonly #quotas: Bucket;
  readonly #afterTurn: (run: () => void) => void;
  /** By namespace. */
  readonly #reserved = new Map<string, Set<Reservation>>();
  readonly #dirty = new Set<string>();
  readonly #stop: () => void;
  #scheduled = false;

  /** @param afterTurn runs something once the writes that are under way have ended */
  constructor(store: Store, afterTurn: (run: () => void) => void) {
    this.#store = store;
    this.#quotas = store.bucket("/resourcequotas");
    this.#afterTurn = afterTurn;
    this.plugin = { name: "ResourceQuota", validate: (request) => this.#judge(request) };
    this.#stop = store.onCommit((bucket, event) => {
      if (this.#quotas.size === 0) return;
      const slash = event.key.indexOf("/");
      if (slash < 0) return;
      this.#release(event.key.slice(0, slash), bucket.name, event.key);
      this.#changed(event.key.slice(0, slash));
    });
  }

  close(): void {
    this.#stop();
  }

  #judge(request: AdmissionRequest): void {
    const { operation, object, oldObject, resource, namespace, subresource } = request;
    if (this.#quotas.size === 0 || namespace === "" || object === undefined) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    if (subresource !== "" && subresource !== "resize") return;
    const revisions = this.#quotas.list(`${namespace}/`);
    if (revisions.length === 0) return;
    const { bucket } = resource;
    const before = oldObject === undefined ? emptyList : usageOf(bucket.name, oldObject);
    for (const revision of revisions) {
      const quota = quotaOf(revision);
      if (!applies(quota, bucket.name, object)) continue;
      this.#requireAmounts(request, quota, object);
      const added = delta(usageOf(bucket.name, object), before, quota.hard);
      if (added.size === 0) continue;
      const used = this.#used(quota, namespace, true);
      const exceeded = [...added]
        .filter(([name, amount]) => exceeds(quota, used, name, amount))
        .map(([name]) => name);
      if (exceeded.length > 0) refuse(request, { quota, added, used, names: exceeded.sort() });
    }
    if (operation === "CREATE" && !request.dryRun) this.#reserve(namespace, bucket.name, request);
  }

  /** With a quota on an amount, every container has to say how much it wants. */
  #requireAmounts(request: AdmissionRequest, quota: Quota, object: StoredObject): void {
    if (request.resource.bucket.name !== "/pods" || request.operation !== "CREATE") return;
    const missing = missingAmounts(quota, object);
    if (missing.length === 0) return;
    const why = `failed quota: ${quota.name}: must specify ${missing.join("; ")}`;
    throw refusal(request, why);
  }

  #reserve(namespace: string, kind: string, request: AdmissionRequest): void {
    if (request.object === undefined) return;
    const reservation: Reservation = { kind, key: `${namespace}/${request.name}`, object: request.object };
    const known = this.#reserved.get(namespace) ?? new Set();
    this.#reserved.set(namespace, known.add(reservation));
    // what is not stored by then was refused by somebody else
    this.#afterTurn(() => this.#reserved.get(namespace)?.delete(reservation));
  }

  #release(namespace: string, kind: string, key: string): void {
    for (const reservation of this.#reserved.get(namespace) ?? []) {
      if (reservation.kind === kind && reservation.key === key)
        this.#reserved.get(namespace)?.delete(reservation);
    }
  }

  /** What is used in a namespace of the amounts that a quota limits. */
  #used(quota: Quota, namespace: string, withReserved: boolean): ResourceList {
    const kinds = new Set([...quota.hard.keys()].map(kindCounted).filter((kind) => kind !== undefined));
    let total: ResourceList = new Map();
    for (const kind of kinds) {
      const stored = this.#store.bucket(kind).list(`${namespace}/`);
      const coming = withReserved
        ? [...(this.#reserved.get(namespace) ?? [])].filter((r) => r.kind === kind)
        : [];
      for (const { object } of [...stored, ...coming]) {
        if (applies(quota, kind, object)) total = addLists(total, usageOf(kind, object));
      }
    }
    const zero = resourceList(Object.fromEntries([...quota.hard.keys()].map((name) => [name, "0"])));
    return new Map(
      [...quota.hard.keys()].map((name) => [name, total.get(name) ?? (zero.get(name) as Quantity)]),
    );
  }

  #changed(namespace: string): void {
    this.#dirty.add(namespace);
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => this.#writeStatus());
  }

  #writeStatus(): void {
    this.#scheduled = false;
    const namespaces = [...this.#dirty];
    this.#dirty.clear();
    for (const namespace of namespaces) {
      for (const revision of this.#quotas.list(`${namespace}/`)) {
        const quota = quotaOf(revision);
        const status = { hard: plainList(quota.hard), used: plainList(this.#used(quota, namespace, false)) };
        if (jsonEqual(status, (revision.object["status"] ?? null) as never)) continue;
        this.#quotas.put(revision.key, revision, (resourceVersion) => {
          const object = { ...revision.object, status } as unknown as StoredObject;
          return deepFreeze(withMetadata(object, { resourceVersion })) as StoredObject;
        });
      }
    }
  }
}

function quotaOf({ object }: Revision): Quota {
  const spec = (object["spec"] ?? {}) as {
    hard?: unknown;
    scopes?: readonly string[];
    scopeSelector?: { matchExpressions?: ScopeSelector };
  };
  const scopes = (spec.scopes ?? []).map((scopeName) => ({ scopeName }));
  return {
    name: object.metadata.name ?? "",
    hard: resourceList(spec.hard),
    scopes: [...scopes, ...(spec.scopeSelector?.matchExpressions ?? [])],
  };
}

function applies({ scopes }: Quota, kind: string, object: StoredObject): boolean {
  if (scopes.length === 0) return true;
  return kind === "/pods" && podInScopes(object, scopes);
}

/** What is used more than before of the limited amounts. */
function delta(now: ResourceList, before: ResourceList, hard: ResourceList): ResourceList {
  const added = new Map<string, Quantity>();
  for (const [name, amount] of now) {
    if (!hard.has(name)) continue;
    const old = before.get(name);
    if (old === undefined) added.set(name, amount);
    else if (compareQuantities(amount, old) > 0) added.set(name, subtractQuantities(amount, old));
  }
  return added;
}

function exceeds({ hard }: Quota, used: ResourceList, name: string, amount: Quantity): boolean {
  const total = addLists(new Map([[name, amount]]), new Map([[name, used.get(name) as Quantity]])).get(
    name,
  ) as Quantity;
  return compareQuantities(total, hard.get(name) as Quantity) > 0;
}

function refuse(
  request: AdmissionRequest,
  about: {
    readonly quota: Quota;
    readonly added: ResourceList;
    readonly used: ResourceList;
    readonly names: readonly string[];
  },
): never {
  const { quota, added, used, names } = about;
  const shown = (list: ResourceList): string =>
    names.map((name) => `${name}=${quantityText(list.get(name) as Quantity)}`).join(",");
  const why = `exceeded quota: ${quota.name}, requested: ${shown(added)}, used: ${shown(used)}, limited: ${shown(quota.hard)}`;
  throw refusal(request, why);
}

const compute = /^(requests\.|limits\.)?(cpu|memory)$/;

/** `limits.cpu for: a,b`, by amount. */
function missingAmounts({ hard }: Quota, pod: StoredObject): string[] {
  const spec = podSpec(pod);
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  return [...hard.keys()]
    .filter((name) => compute.test(name))
    .sort()
    .flatMap((name) => {
      const kind = name.startsWith("limits.") ? "limits" : "requests";
      const plain = name.replace(/^(requests|limits)\./, "");
      const silent = containers.filter((c) => c.resources?.[kind]?.[plain] === undefined).map((c) => c.name);
      return silent.length === 0 ? [] : [`${name} for: ${silent.sort().join(",")}`];
    });
}
