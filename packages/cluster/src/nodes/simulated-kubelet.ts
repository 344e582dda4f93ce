/**
 * Nodes that run nothing: they say of every pod what a kubelet would, in the order and with the delays of a real one.
 * Source: kubernetes pkg/kubelet (status conditions), api/v1/pod.
 */
import type { DeepReadonly } from "@bowline/api";
import { Node, Pod } from "@bowline/api/core/v1";
import { type Client, isConnectionError, rfc3339 } from "@bowline/client";
import { isNotFound } from "@bowline/api";
import { type ControllerDefinition, type ReconcileContext, defineController } from "@bowline/runtime";

export interface SimulatedNodeOptions {
  readonly name: string;
  /** First three bytes of the pod IPs: `10.244.0`. */
  readonly podNetwork: string;
  readonly hostIp: string;
  /** From bound to running, milliseconds. */
  readonly startDelayMs: number;
}

/** Registers the node: ready, with room for many pods. */
export async function registerNode(client: Client, options: SimulatedNodeOptions): Promise<void> {
  const now = rfc3339(client.clock.now());
  const condition = (type: string, status: string, reason: string, message: string): object => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const labels = {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": options.name,
    "kubernetes.io/os": "linux",
  };
  const capacity = { cpu: "32", memory: "256Gi", pods: "1000", "ephemeral-storage": "1Ti" };
  await client.create(Node, {
    metadata: { name: options.name, labels },
    spec: { podCIDR: `${options.podNetwork}.0/24`, podCIDRs: [`${options.podNetwork}.0/24`] },
  });
  const status = {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: options.hostIp },
      { type: "Hostname", address: options.name },
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: client.random.uuid(),
      containerRuntimeVersion: "bowline://simulated",
      kernelVersion: "simulated",
      kubeProxyVersion: "",
      kubeletVersion: "v1.35.0",
      machineID: client.random.uuid(),
      operatingSystem: "linux",
      osImage: "Bowline simulated node",
      systemUUID: client.random.uuid(),
    },
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
  };
  await client.patch(Node, { name: options.name }, { merge: { status } as never }, { subresource: "status" });
}

/** The kubelet of a node as a controller of the pods that are bound to it. */
export function simulatedKubelet(options: SimulatedNodeOptions): ControllerDefinition {
  const addresses = new PodAddresses(options.podNetwork);
  return defineController(Pod, {
    name: `kubelet-${options.name}`,
    concurrency: 20,
    whileDeleting: true,
    reconcile: (pod, ctx) => (pod.spec?.nodeName === options.name ? runPod(pod, ctx, options, addresses) : undefined),
    gone: (request) => addresses.release(`${request.namespace}/${request.name}`),
  });
}

/** Gives each pod of a node an address of its own for as long as it lives. */
class PodAddresses {
  readonly #network: string;
  readonly #byPod = new Map<string, number>();
  readonly #taken = new Set<number>();
  #next = 2;

  constructor(network: string) {
    this.#network = network;
  }

  of(pod: string): string {
    let number = this.#byPod.get(pod);
    if (number === undefined) {
      while (this.#taken.has(this.#next)) this.#next = this.#next >= 65_000 ? 2 : this.#next + 1;
      number = this.#next++;
      this.#byPod.set(pod, number);
      this.#taken.add(number);
    }
    const [a, b] = this.#network.split(".");
    return `${a}.${b}.${number >> 8}.${number & 0xff}`;
  }

  release(pod: string): void {
    const number = this.#byPod.get(pod);
    if (number === undefined) return;
    this.#byPod.delete(pod);
    this.#taken.delete(number);
  }
}

type Answer = Promise<{ requeueAfterMs: number } | undefined>;

async function runPod(
  pod: DeepReadonly<Pod>,
  ctx: ReconcileContext<Pod>,
  options: SimulatedNodeOptions,
  addresses: PodAddresses,
): Answer {
  if (pod.metadata.deletionTimestamp !== undefined) return endPod(pod, ctx);
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return undefined;
  const now = ctx.clock.now();
  if (pod.status?.startTime === undefined) {
    await ctx.patchStatus(startingStatus(pod, now, options));
    ctx.event({ reason: "Pulled", action: "Pulling", note: `Container image "${imageOf(pod)}" already present on machine` });
    if (options.startDelayMs > 0) return { requeueAfterMs: options.startDelayMs };
    return undefined;
  }
  if (pod.status.phase === "Running") return undefined;
  const waitMs = Date.parse(pod.status.startTime) + options.startDelayMs - now;
  if (waitMs > 0 && options.startDelayMs > 0 && waitMs <= options.startDelayMs) return { requeueAfterMs: waitMs };
  const address = addresses.of(`${pod.metadata.namespace}/${pod.metadata.name}`);
  await ctx.patchStatus(runningStatus(pod, now, address));
  ctx.event({ reason: "Started", action: "Starting", note: "Container started" });
  return undefined;
}

function imageOf(pod: DeepReadonly<Pod>): string {
  return pod.spec?.containers?.[0]?.image ?? "";
}

/** The pod stops at once when asked to, and is then taken out of the API. */
async function endPod(pod: DeepReadonly<Pod>, ctx: ReconcileContext<Pod>): Answer {
  try {
    await ctx.client.delete(
      Pod,
      { name: pod.metadata.name ?? "", namespace: pod.metadata.namespace ?? "" },
      { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid ?? "" } },
    );
  } catch (error) {
    if (!isNotFound(error) && !isConnectionError(error)) throw error;
  }
  return undefined;
}

function conditions(pod: DeepReadonly<Pod>, now: number, ready: boolean): object[] {
  const at = rfc3339(now);
  const kept = (type: string, status: "True" | "False", reason?: string): object => {
    const before = pod.status?.conditions?.find((c) => c.type === type);
    if (before?.status === status) return before;
    return { type, status, lastTransitionTime: at, lastProbeTime: null, ...(reason === undefined ? {} : { reason }) };
  };
  const readiness = ready ? "True" : "False";
  const why = ready ? undefined : "ContainersNotReady";
  return [
    kept("PodReadyToStartContainers", readiness),
    kept("Initialized", "True"),
    kept("Ready", readiness, why),
    kept("ContainersReady", readiness, why),
    kept("PodScheduled", "True"),
  ];
}

function startingStatus(pod: DeepReadonly<Pod>, now: number, options: SimulatedNodeOptions): object {
  return {
    phase: "Pending",
    startTime: rfc3339(now),
    hostIP: options.hostIp,
    hostIPs: [{ ip: options.hostIp }],
    conditions: conditions(pod, now, false),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      name: container.name,
      image: container.image ?? "",
      imageID: "",
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: "ContainerCreating" } },
      lastState: {},
    })),
  };
}

function runningStatus(pod: DeepReadonly<Pod>, now: number, address: string): object {
  return {
    phase: "Running",
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: conditions(pod, now, true),
    containerStatuses: (pod.spec?.containers ?? []).map((container, i) => ({
      name: container.name,
      image: container.image ?? "",
      imageID: `bowline://${container.image ?? ""}`,
      containerID: `bowline://${pod.metadata.uid}/${i}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: rfc3339(now) } },
      lastState: {},
    })),
  };
}
