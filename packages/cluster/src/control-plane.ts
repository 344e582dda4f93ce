/** The control plane and the nodes of a cluster: managers on transports into it. */
import { Node } from "@bowline/api/core/v1";
import { type Client, type Clock, type Random, type Transport, createClient } from "@bowline/client";
import {
  type ControllerDefinition,
  type KeyPair,
  type Manager,
  createManager,
  silentLogger,
} from "@bowline/runtime";
import { controllerManager } from "./controllers/controller-manager.ts";
import type { MetricScript } from "./controllers/autoscaler/metric-source.ts";
import { RootCertificatePublisher } from "./controllers/namespace-content.ts";
import type { ImageBehaviors } from "./nodes/image-behavior.ts";
import { schedulerController } from "./nodes/scheduler/scheduler.ts";
import type { SimulatedNodeOptions } from "./nodes/simulated-node.ts";
import { PodSessions } from "./nodes/pod-sessions.ts";
import { SimulatedMetrics } from "./nodes/simulated-metrics.ts";
import { SimulatedNodes } from "./nodes/simulated-nodes.ts";
import { stageControllers } from "./nodes/stages/stage-controllers.ts";
import { type CompiledStage, compileStage } from "./nodes/stages/compile-stage.ts";
import type { Stage } from "./nodes/stages/stage.ts";

export interface ControlPlaneOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** A transport for a component; the name is its user's: `kube-scheduler`. */
  transport(component: string): Transport;
  /** How many nodes, or which. Default 1. */
  readonly nodes?: number | readonly SimulatedNodeOptions[] | undefined;
  readonly images?: ImageBehaviors | undefined;
  readonly podStartDelayMs?: number | undefined;
  readonly stages?: readonly Stage[] | undefined;
  readonly metrics?: MetricScript | undefined;
  /** PEM of the authority that signed the server's certificate, for every namespace; `""` while there is none. */
  rootCertificate(): string;
  /** The authority that signs certificates, made on first use. */
  certificateAuthority(): KeyPair;
}

/** Controllers, scheduler and nodes of one cluster. */
export class ControlPlane {
  readonly nodes: SimulatedNodes;
  /** Logs, commands and ports of the pods, for the API server. */
  readonly sessions: PodSessions;
  /** What containers use. */
  readonly metrics: SimulatedMetrics;
  readonly #options: ControlPlaneOptions;
  readonly #client: Client;
  readonly #managers: Manager[] = [];
  readonly #stages: readonly CompiledStage[];
  readonly #rootCertificates: RootCertificatePublisher;

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.#stages = (options.stages ?? []).map(compileStage);
    const { clock, random } = options;
    this.#rootCertificates = new RootCertificatePublisher(() => options.rootCertificate());
    this.#client = createClient({
      transport: options.transport("kubelet"),
      clock,
      random,
      fieldManager: "kubelet",
    });
    this.nodes = new SimulatedNodes({
      nodes: nodesOf(options.nodes ?? 1),
      images: options.images,
      podStartDelayMs: options.podStartDelayMs,
      client: this.#client,
    });
    this.sessions = new PodSessions(this.nodes);
    this.metrics = new SimulatedMetrics(options.metrics, options.images);
  }

  /** Resolves when all controllers run and the nodes are registered. */
  async start(): Promise<void> {
    this.#manage("kube-controller-manager", () =>
      controllerManager({
        rootCertificates: this.#rootCertificates,
        metrics: this.metrics,
        signer: {
          authority: () => this.#options.certificateAuthority(),
          random: (bytes) => this.#options.random.bytes(bytes),
        },
      }),
    );
    this.#manage("kube-scheduler", (manager) => [schedulerController(manager.cache)]);
    this.#manage("kubelet", (manager) => this.#kubelets(manager));
    await Promise.all(this.#managers.map((manager) => manager.start()));
    await this.nodes.start();
    await this.#untilSchedulable();
  }

  /** Stages for pods take the place of the simulated kubelet. */
  #kubelets(manager: Manager): ControllerDefinition[] {
    const place = {
      now: () => this.#options.clock.now(),
      nodeIp: (node: string) => this.nodes.nodeIp(node),
      podIp: (node: string, uid: string) => this.nodes.podIp(node, uid),
    };
    const stages = this.#stages;
    const isUp = (node: string): boolean => this.nodes.isUp(node);
    const hasPods = stages.some(({ apiVersion, kind }) => apiVersion === "v1" && kind === "Pod");
    const simulated = hasPods ? [] : [this.nodes.controller()];
    return [...simulated, ...stageControllers({ stages, place, isUp, manager })];
  }

  /** Nodes are tainted until they are known to be ready: pods that are made at once must find them so. */
  async #untilSchedulable(): Promise<void> {
    const waiting = new Set(this.nodes.names);
    if (waiting.size === 0) return;
    const watch = await this.#client.watch(Node);
    for await (const event of watch) {
      if (event.type === "BOOKMARK") continue;
      const { metadata, status, spec } = event.object;
      const isReady = status?.conditions?.some(
        ({ type, status: value }) => type === "Ready" && value === "True",
      );
      const isTainted = spec?.taints?.some(({ key }) => key === "node.kubernetes.io/not-ready");
      if (isReady === true && isTainted !== true) waiting.delete(metadata.name ?? "");
      if (waiting.size === 0) break;
    }
    watch.close();
  }

  /** The root certificate is another one now: it is published again. */
  rootCertificateChanged(): void {
    this.#rootCertificates.changed();
  }

  async stop(): Promise<void> {
    this.nodes.stop();
    await Promise.all(this.#managers.map((manager) => manager.stop()));
  }

  #manage(name: string, controllers: (manager: Manager) => readonly ControllerDefinition[]): void {
    const { clock, random } = this.#options;
    const manager = createManager({
      name,
      transport: this.#options.transport(name),
      clock,
      random,
      logger: silentLogger,
      hostName: "bowline",
    });
    for (const controller of controllers(manager)) manager.add(controller);
    this.#managers.push(manager);
  }
}

function nodesOf(nodes: number | readonly SimulatedNodeOptions[]): readonly SimulatedNodeOptions[] {
  return typeof nodes === "number"
    ? Array.from({ length: nodes }, (_, i) => ({ name: `node-${i + 1}` }))
    : nodes;
}
