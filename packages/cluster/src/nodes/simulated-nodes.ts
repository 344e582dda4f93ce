/** All simulated nodes of a cluster and the kubelet that speaks for them. */
import { type DeepReadonly, createMergePatch, isNotFound } from "@bowline/api";
import { Pod } from "@bowline/api/core/v1";
import type { Client } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  type RequestLike,
  defineController,
} from "@bowline/runtime";
import { ComponentEvents } from "../controllers/component-events.ts";
import type { ImageBehaviors } from "./image-behavior.ts";
import { readReferences } from "./pod-references.ts";
import { podStatus } from "./pod-status.ts";
import { PodWorker } from "./pod-worker.ts";
import type { ContainerNews } from "./simulated-container.ts";
import { SimulatedNode, type SimulatedNodeOptions } from "./simulated-node.ts";

type PodState = DeepReadonly<Pod>;
type Context = ReconcileContext<Pod>;

export interface SimulatedNodesOptions {
  readonly nodes: readonly SimulatedNodeOptions[];
  readonly images?: ImageBehaviors | undefined;
  /** From bound to running for images that do not say, milliseconds. Default 0. */
  readonly podStartDelayMs?: number | undefined;
  /** Registers nodes and sends their heartbeats. */
  readonly client: Client;
}

/** How a pod whose references are missing is tried again. Source: kubernetes pkg/kubelet (volume manager's exponential back-off). */
const missingBaseMs = 500;
const missingMaxMs = 122_000;

/** Index of pods by their address. */
const byAddress = "status.podIP";

/** An ended pod gave its address back. */
function hasEnded(status: PodState["status"]): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** The nodes of a cluster. */
export class SimulatedNodes {
  readonly #nodes = new Map<string, SimulatedNode>();
  readonly #events = new Map<string, ComponentEvents>();
  readonly #options: SimulatedNodesOptions;
  readonly #client: Client;
  /** How often the references of a pod were missing. */
  readonly #misses = new Map<string, number>();
  /** Keys that wait for the kubelet to run. */
  #enqueue: (request: RequestLike) => void = () => {};
  #added = 0;

  constructor(options: SimulatedNodesOptions) {
    this.#options = options;
    this.#client = options.client;
    for (const node of options.nodes) this.#make(node);
  }

  get names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  /** Registers all nodes, and has them take up the pods that they ran, or were to run, before. */
  async start(): Promise<void> {
    if (this.#nodes.size === 0) return;
    await Promise.all(Array.from(this.#nodes.values(), (node) => node.start()));
    await this.#wakeAll();
  }

  stop(): void {
    for (const node of this.#nodes.values()) {
      node.stop();
      for (const worker of node.workers.values()) worker.close();
      node.workers.clear();
    }
  }

  /** Adds a node to the running cluster. */
  async add(options: SimulatedNodeOptions): Promise<void> {
    await this.#make(options).start();
    await this.#wakeAll(options.name);
  }

  /** The node falls silent, as when its machine or its network dies. @throws Error when there is no such node */
  fail(name: string): void {
    this.#node(name).stop();
  }

  /** The node is back; its pods go on where they were. @throws Error when there is no such node */
  async recover(name: string): Promise<void> {
    const node = this.#node(name);
    if (node.isUp) return;
    await node.start();
    await this.#wakeAll(name);
  }

  /** The worker of a pod, for logs and commands; undefined when its node does not run it. */
  workerOf(pod: PodState): PodWorker | undefined {
    return this.#nodes.get(pod.spec?.nodeName ?? "")?.workers.get(pod.metadata.uid ?? "");
  }

  /** Whether a node answers. */
  isUp(name: string): boolean {
    return this.#nodes.get(name)?.isUp === true;
  }

  /** Address of a node; `""` when there is no such node. */
  nodeIp(name: string): string {
    return this.#nodes.get(name)?.hostIp ?? "";
  }

  /** The address that a pod has on a node for as long as it lives; `""` when there is no such node. */
  podIp(node: string, uid: string): string {
    return this.#nodes.get(node)?.addresses.of(uid) ?? "";
  }

  /** The worker of a pod by its uid. */
  workerByUid(uid: string): PodWorker | undefined {
    for (const node of this.#nodes.values()) {
      const worker = node.workers.get(uid);
      if (worker !== undefined) return node.isUp ? worker : undefined;
    }
    return undefined;
  }

  /** The kubelet of all nodes. */
  controller(): ControllerDefinition {
    return defineController(Pod, {
      name: "kubelet",
      fieldManager: "kubelet",
      concurrency: 20,
      whileDeleting: true,
      predicates: [(event) => this.#nodes.has(event.object.spec?.nodeName ?? "")],
      sources: [
        {
          name: "containers",
          start: ({ enqueue, signal }) => {
            this.#enqueue = enqueue;
            return new Promise((resolve) =>
              signal.addEventListener("abort", () => resolve(), { once: true }),
            );
          },
        },
      ],
      reconcile: (pod, ctx) => this.#reconcile(pod, ctx),
      gone: (request) => this.#forget(request.namespace, request.name),
    });
  }

  async #reconcile(pod: PodState, ctx: Context): Promise<{ requeueAfterMs: number } | undefined> {
    const node = this.#nodes.get(pod.spec?.nodeName ?? "");
    if (node === undefined || !node.isUp) return undefined;
    const worker = this.#worker(node, pod, ctx);
    if (worker === undefined) return undefined;
    const { resolved, retryMs } = await this.#resolve(worker, pod, ctx);
    const nextAt = worker.sync(pod, resolved);
    const hasRun = worker.all.some((container) => container.hasRun);
    if (hasRun || worker.end === undefined) await this.#writeStatus(node, worker, pod, ctx);
    if (pod.metadata.deletionTimestamp !== undefined && worker.end !== undefined) {
      await this.#remove(node, worker, pod, ctx);
      return undefined;
    }
    const waitMs = Math.min(nextAt - ctx.clock.now(), retryMs);
    return Number.isFinite(waitMs) ? { requeueAfterMs: Math.max(1, waitMs) } : undefined;
  }

  /** The pod's worker; undefined when there is nothing to run (any more). */
  #worker(node: SimulatedNode, pod: PodState, ctx: Context): PodWorker | undefined {
    const uid = pod.metadata.uid ?? "";
    const known = node.workers.get(uid);
    if (known !== undefined) return known;
    if (hasEnded(pod.status)) return undefined;
    const worker = new PodWorker(pod, this.#options.images, {
      clock: ctx.clock,
      random: this.#client.random,
      startDelayMs: this.#options.podStartDelayMs ?? 0,
      changed: () => this.#wake(pod),
      tell: (news) => this.#tell(node, worker.pod, news, ctx),
    });
    node.workers.set(uid, worker);
    return worker;
  }

  /** Reads the references of a pod that has not started; a running one has them. */
  async #resolve(
    worker: PodWorker,
    pod: PodState,
    ctx: Context,
  ): Promise<{ resolved: Parameters<PodWorker["sync"]>[1]; retryMs: number }> {
    const { resolved, mountProblems } = await readReferences(pod, ctx);
    const isMissing = resolved.problems.size > 0 && worker.mains.some((container) => !container.hasRun);
    if (!isMissing) {
      this.#misses.delete(worker.uid);
      return { resolved, retryMs: Number.POSITIVE_INFINITY };
    }
    for (const { message } of mountProblems) {
      this.#recorder(pod.spec?.nodeName ?? "").record(ctx, pod, {
        type: "Warning",
        reason: "FailedMount",
        message,
      });
    }
    const misses = this.#misses.get(worker.uid) ?? 0;
    this.#misses.set(worker.uid, misses + 1);
    return { resolved, retryMs: Math.min(missingMaxMs, missingBaseMs * 2 ** misses) };
  }

  async #writeStatus(node: SimulatedNode, worker: PodWorker, pod: PodState, ctx: Context): Promise<void> {
    const podIp = await this.#addressOf(node, worker.uid, pod, ctx);
    const status = podStatus(worker, { hostIp: node.hostIp, podIp }, ctx.clock.now());
    const patch = createMergePatch((pod.status ?? {}) as never, status as never);
    // an ended pod keeps its place in lists and its resources, but no address
    if (worker.end !== undefined) node.addresses.release(worker.uid);
    if (Object.keys(patch).length > 0) await ctx.patchStatus(patch as never);
  }

  /**
   * The address of a pod. A kubelet that has just begun, or sees an older state of the cluster, does not know all others yet:
   * whoever has the address that a pod would get keeps it.
   */
  async #addressOf(node: SimulatedNode, uid: string, pod: PodState, ctx: Context): Promise<string> {
    const { addresses } = node;
    const known = pod.status?.podIP;
    if (known !== undefined || addresses.has(uid)) return addresses.of(uid, known);
    ctx.cache.addIndex(Pod, byAddress, ({ status }) => (status?.podIP === undefined ? [] : [status.podIP]));
    for (;;) {
      const address = addresses.of(uid);
      const index = { name: byAddress, value: address };
      const holders = await ctx.cache.list(Pod, { index, consistency: "any" });
      const holder = holders.find(({ metadata, status }) => metadata.uid !== uid && !hasEnded(status));
      if (holder === undefined) return address;
      addresses.release(uid);
      addresses.of(holder.metadata.uid ?? "", address);
    }
  }

  async #remove(node: SimulatedNode, worker: PodWorker, pod: PodState, ctx: Context): Promise<void> {
    const { name = "", namespace = "", uid = "" } = pod.metadata;
    try {
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal: ctx.signal };
      await ctx.client.delete(Pod, { name, namespace }, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#drop(node, worker);
  }

  /** A pod that is gone from the API is killed, whatever it does. */
  #forget(namespace: string, name: string): void {
    for (const node of this.#nodes.values()) {
      for (const worker of node.workers.values()) {
        const { metadata } = worker.pod;
        if (metadata.name === name && metadata.namespace === namespace) this.#drop(node, worker);
      }
    }
  }

  #drop(node: SimulatedNode, worker: PodWorker): void {
    node.workers.delete(worker.uid);
    worker.close();
    node.addresses.release(worker.uid);
    this.#misses.delete(worker.uid);
  }

  #tell(node: SimulatedNode, pod: PodState, news: ContainerNews, ctx: Context): void {
    const list = {
      init: "initContainers",
      sidecar: "initContainers",
      main: "containers",
      ephemeral: "ephemeralContainers",
    }[news.role];
    const { type, reason, message } = news;
    this.#recorder(node.name).record(ctx, pod, {
      type,
      reason,
      message,
      fieldPath: `spec.${list}{${news.container}}`,
    });
  }

  #recorder(node: string): ComponentEvents {
    let events = this.#events.get(node);
    if (events === undefined) this.#events.set(node, (events = new ComponentEvents("kubelet", node)));
    return events;
  }

  #wake(pod: PodState): void {
    this.#enqueue({ namespace: pod.metadata.namespace ?? "", name: pod.metadata.name ?? "" });
  }

  /** Pods whose events came while their node was silent were left alone. */
  async #wakeAll(node?: string): Promise<void> {
    const options = node === undefined ? {} : { fieldSelector: { "spec.nodeName": node } };
    for (const pod of (await this.#client.list(Pod, options)).items) this.#wake(pod);
  }

  #make(options: SimulatedNodeOptions): SimulatedNode {
    const node = new SimulatedNode(options, this.#added++, this.#client);
    this.#nodes.set(options.name, node);
    return node;
  }

  #node(name: string): SimulatedNode {
    const node = this.#nodes.get(name);
    if (node === undefined)
      throw new Error(`there is no simulated node ${name} (nodes: ${this.names.join(", ") || "none"})`);
    return node;
  }
}
