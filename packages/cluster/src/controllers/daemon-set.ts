/** The DaemonSet controller. Source: kubernetes pkg/controller/daemon (daemon_controller.go, update.go). */
import { type DeepReadonly, type LabelSelector, controllerOf, scaledValue } from "@bowline/api";
import { ControllerRevision, DaemonSet } from "@bowline/api/apps/v1";
import { Node, Pod, type Toleration } from "@bowline/api/core/v1";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
  watch,
} from "@bowline/runtime";
import { claim } from "./claim.ts";
import { ComponentEvents } from "./component-events.ts";
import { byAge, keyOf, managerName, replaceStatus } from "./control-plane.ts";
import { type Revision, ensureRevisions, hashOf, truncateHistory } from "./controller-revisions.ts";
import { matchesNodeAffinity, untoleratedTaints } from "./node-fit.ts";
import { type PodMaker, createPod, deletePod, inGrowingBatches } from "./pods/pod-control.ts";
import {
  type PodState,
  isPodAvailable,
  isPodFinished,
  isPodReady,
  isPodTerminating,
  nextAvailableMs,
} from "./pods/pod-state.ts";
import { SelectorIndex } from "./selector-index.ts";

type SetState = DeepReadonly<DaemonSet>;
type Context = ReconcileContext<DaemonSet>;

const hashLabel = "controller-revision-hash";
const generationAnnotation = "deprecated.daemonset.template.generation";
const burstMax = 250;

/** Daemons run where others may not, and stay when a node is in trouble. */
const ownTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

export function daemonSetController(): ControllerDefinition {
  const events = new ComponentEvents("daemonset-controller");
  const selectors = new SelectorIndex();
  const all = new Map<string, { readonly namespace: string; readonly name: string }>();
  return defineController(DaemonSet, {
    name: "daemonset-controller",
    fieldManager: managerName,
    concurrency: 2,
    owns: [Pod, ControllerRevision],
    watches: [
      watch(Node, () => [...all.values()], {
        predicates: [changed((node) => [node.metadata.labels, node.spec])],
      }),
      watch(Pod, (pod) =>
        controllerOf(pod) === undefined
          ? selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels)
          : undefined,
      ),
    ],
    gone(request) {
      selectors.forget(request);
      all.delete(`${request.namespace}/${request.name}`);
    },
    reconcile(set, ctx) {
      const key = keyOf(set);
      all.set(`${key.namespace}/${key.name}`, key);
      return new DaemonPass(set, ctx, events).run(selectors.note(key, set.spec?.selector as LabelSelector));
    },
  });
}

/** Where a pod of the set belongs. */
interface Place {
  readonly node: DeepReadonly<Node>;
  readonly shouldRun: boolean;
  /** Pods that run there already may stay. */
  readonly mayStay: boolean;
  /** The set's pods on the node, oldest first. */
  readonly pods: readonly PodState[];
}

class DaemonPass {
  readonly #set: SetState;
  readonly #ctx: Context;
  readonly #maker: PodMaker;
  #update!: Revision;

  constructor(set: SetState, ctx: Context, events: ComponentEvents) {
    this.#set = set;
    this.#ctx = ctx;
    this.#maker = { owner: set, template: set.spec?.template, events };
  }

  async run(
    selector: Parameters<typeof claim>[3]["selector"],
  ): Promise<{ requeueAfterMs: number } | undefined> {
    const ctx = this.#ctx as never;
    const set = this.#set;
    const collisionCount = set.status?.collisionCount ?? 0;
    const revisions = await ensureRevisions(set as never, ctx, { selector, collisionCount });
    this.#update = revisions.update;
    const members = (): Promise<PodState[]> => claim(Pod, set, ctx, { selector });
    const places = await this.#places(await members());
    await this.#manage(places);
    const settled = await this.#places(await members());
    if ((set.spec?.updateStrategy?.type ?? "RollingUpdate") === "RollingUpdate") await this.#roll(settled);
    const pods = await members();
    await this.#writeStatus(await this.#places(pods), revisions.collisionCount);
    const used = new Set(pods.map((pod) => pod.metadata.labels?.[hashLabel]));
    const isLive = (revision: Revision): boolean => revision === this.#update || used.has(hashOf(revision));
    await truncateHistory(set as never, ctx, { all: revisions.all, isLive });
    const requeueAfterMs = nextAvailableMs(pods, this.#minReadyMs, this.#ctx.clock.now());
    return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  }

  get #minReadyMs(): number {
    return (this.#set.spec?.minReadySeconds ?? 0) * 1000;
  }

  async #places(pods: readonly PodState[]): Promise<Place[]> {
    const byNode = new Map<string, PodState[]>();
    for (const pod of [...pods].sort(byAge)) {
      const name = nodeOf(pod);
      const list = byNode.get(name);
      if (list === undefined) byNode.set(name, [pod]);
      else list.push(pod);
    }
    const template = this.#set.spec?.template?.spec;
    const tolerations = [...(template?.tolerations ?? []), ...this.#tolerations()];
    return (await this.#ctx.list(Node)).map((node) => {
      const fits = matchesNodeAffinity(template, node);
      const taints = (effects: readonly string[]): boolean =>
        untoleratedTaints(node.spec?.taints ?? [], tolerations, effects).length === 0;
      return {
        node,
        shouldRun: fits && taints(["NoSchedule", "NoExecute"]),
        mayStay: fits && taints(["NoExecute"]),
        pods: byNode.get(node.metadata.name ?? "") ?? [],
      };
    });
  }

  #tolerations(): readonly Toleration[] {
    const isHost = this.#set.spec?.template?.spec?.hostNetwork === true;
    const network: Toleration = {
      key: "node.kubernetes.io/network-unavailable",
      operator: "Exists",
      effect: "NoSchedule",
    };
    return isHost ? [...ownTolerations, network] : ownTolerations;
  }

  /** One pod on every node that should have one, none elsewhere. */
  async #manage(places: readonly Place[]): Promise<void> {
    const missing: string[] = [];
    const surplus: PodState[] = [];
    for (const { node, shouldRun, mayStay, pods } of places) {
      const living = pods.filter((pod) => !isPodTerminating(pod));
      const ended = living.filter(isPodFinished);
      for (const pod of ended) this.#sayEnded(pod, node);
      surplus.push(...ended);
      const running = living.filter((pod) => !isPodFinished(pod));
      if (!mayStay) surplus.push(...running);
      // during an update with surge there may be an old and a new one
      else if (running.length > 1) surplus.push(...this.#doubles(running));
      if (shouldRun && pods.length === 0) missing.push(node.metadata.name ?? "");
    }
    await Promise.all(surplus.map((pod) => deletePod(this.#maker, this.#ctx as never, pod)));
    await inGrowingBatches(Math.min(missing.length, burstMax), (i) => this.#create(missing[i] as string));
  }

  #doubles(running: readonly PodState[]): PodState[] {
    const isSurging = this.#surge(1) > 0;
    const olds = running.filter((pod) => !this.#isNew(pod));
    const news = running.filter((pod) => this.#isNew(pod));
    return isSurging ? [...olds.slice(1), ...news.slice(1)] : running.slice(1);
  }

  #sayEnded(pod: PodState, node: DeepReadonly<Node>): void {
    const [reason, word] =
      pod.status?.phase === "Failed" ? ["FailedDaemonPod", "failed"] : ["SucceededDaemonPod", "succeeded"];
    const verb = word === "failed" ? "kill" : "delete";
    const message = `Found ${word} daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node.metadata.name}, will try to ${verb} it`;
    this.#maker.events.record(this.#ctx, this.#set, {
      type: word === "failed" ? "Warning" : "Normal",
      reason,
      message,
    });
  }

  async #create(node: string): Promise<void> {
    const template = this.#set.spec?.template?.spec;
    const term = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] };
    const nodeAffinity = {
      ...template?.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    };
    const generation = this.#set.metadata.annotations?.[generationAnnotation];
    await createPod(this.#maker, this.#ctx as never, {
      labels: {
        [hashLabel]: hashOf(this.#update),
        ...(generation === undefined ? {} : { "pod-template-generation": generation }),
      },
      spec: {
        affinity: { ...template?.affinity, nodeAffinity },
        tolerations: [...(template?.tolerations ?? []), ...this.#tolerations()],
      },
    });
  }

  #isNew(pod: PodState): boolean {
    return pod.metadata.labels?.[hashLabel] === hashOf(this.#update);
  }

  #surge(total: number): number {
    return scaledValue(this.#set.spec?.updateStrategy?.rollingUpdate?.maxSurge ?? 0, {
      total,
      rounding: "up",
    });
  }

  /** Replaces old pods, as many at once as may be unavailable; with surge new ones come beside the old. */
  async #roll(places: readonly Place[]): Promise<void> {
    const wanted = places.filter((place) => place.shouldRun);
    const total = wanted.length;
    const maxSurge = this.#surge(total);
    const given = this.#set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
    const maxUnavailable = scaledValue(given, { total, rounding: "up" });
    if (maxSurge > 0) return this.#rollWithSurge(wanted, maxSurge);
    const now = this.#ctx.clock.now();
    const isUp = (pod: PodState): boolean =>
      isPodAvailable(pod, this.#minReadyMs, now) && !isPodTerminating(pod);
    let unavailable = wanted.filter(({ pods }) => !pods.some(isUp)).length;
    for (const { pods } of wanted) {
      const old = pods.find((pod) => !this.#isNew(pod) && !isPodTerminating(pod));
      if (old === undefined || pods.some((pod) => this.#isNew(pod))) continue;
      if (isUp(old)) {
        if (unavailable >= Math.max(1, maxUnavailable)) continue;
        unavailable++;
      }
      await deletePod(this.#maker, this.#ctx as never, old);
    }
  }

  async #rollWithSurge(wanted: readonly Place[], maxSurge: number): Promise<void> {
    const now = this.#ctx.clock.now();
    let surging = wanted.filter(
      ({ pods }) => pods.some((pod) => this.#isNew(pod)) && pods.some((pod) => !this.#isNew(pod)),
    ).length;
    for (const { node, pods } of wanted) {
      const old = pods.find((pod) => !this.#isNew(pod) && !isPodTerminating(pod));
      const fresh = pods.find((pod) => this.#isNew(pod));
      if (old === undefined) continue;
      if (fresh !== undefined) {
        if (isPodAvailable(fresh, this.#minReadyMs, now))
          await deletePod(this.#maker, this.#ctx as never, old);
      } else if (!isPodReady(old)) await deletePod(this.#maker, this.#ctx as never, old);
      else if (surging < maxSurge) {
        surging++;
        await this.#create(node.metadata.name ?? "");
      }
    }
  }

  async #writeStatus(places: readonly Place[], collisionCount: number): Promise<void> {
    const now = this.#ctx.clock.now();
    const wanted = places.filter((place) => place.shouldRun);
    const count = (test: (pod: PodState) => boolean): number =>
      wanted.filter(({ pods }) => pods.some(test)).length;
    const available = count((pod) => isPodAvailable(pod, this.#minReadyMs, now));
    await replaceStatus(this.#set as never, this.#ctx as never, {
      observedGeneration: this.#set.metadata.generation,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: count(() => true),
      numberMisscheduled: places.filter((place) => !place.shouldRun && place.pods.length > 0).length,
      numberReady: count(isPodReady),
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
      updatedNumberScheduled: count((pod) => this.#isNew(pod)),
      collisionCount: collisionCount > 0 ? collisionCount : undefined,
    });
  }
}

/** The node that the pod is on, or is made for. */
function nodeOf(pod: PodState): string {
  if (pod.spec?.nodeName) return pod.spec.nodeName;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0] ?? "";
}
