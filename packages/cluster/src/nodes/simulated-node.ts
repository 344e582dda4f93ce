/** A node that runs nothing: its registration, its heartbeats and the pods that it is believed to run. */
import { type DeepReadonly, isAlreadyExists, isNotFound } from "@bowline/api";
import { Lease } from "@bowline/api/coordination/v1";
import { Node, type Pod, type Taint } from "@bowline/api/core/v1";
import { type Client, type Timer, rfc3339, rfc3339Micro } from "@bowline/client";
import { PodAddresses } from "./pod-addresses.ts";
import type { PodWorker } from "./pod-worker.ts";

export interface SimulatedNodeOptions {
  readonly name: string;
  /** `topology.kubernetes.io/zone`. */
  readonly zone?: string;
  /** `topology.kubernetes.io/region`. */
  readonly region?: string;
  /** Default: 32 CPUs, 256Gi of memory, 1Ti of disk, 1000 pods. */
  readonly capacity?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly DeepReadonly<Taint>[];
  /** First three numbers of the pod addresses: `10.244.0`. Default: by the place in the list. */
  readonly podNetwork?: string;
  readonly hostIp?: string;
}

const defaultCapacity = { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "1000" };

/** Source: kubernetes pkg/kubelet (nodeLeaseDurationSeconds 40, renewed at a quarter; nodeStatusReportFrequency 5 minutes). */
const leaseSeconds = 40;
const heartbeatMs = 10_000;
const statusMs = 300_000;
const leaseNamespace = "kube-node-lease";

type Condition = readonly [type: string, status: "True" | "False", reason: string, message: string];

const conditions: readonly Condition[] = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "kubelet is posting ready status"],
];

export class SimulatedNode {
  readonly name: string;
  readonly hostIp: string;
  readonly workers: Map<string, PodWorker> = new Map();
  readonly addresses: PodAddresses;
  readonly #options: SimulatedNodeOptions;
  readonly #client: Client;
  #timer: Timer | undefined;
  #uid = "";
  #statusAt = 0;
  #isUp = false;

  constructor(options: SimulatedNodeOptions, index: number, client: Client) {
    this.#options = options;
    this.#client = client;
    this.name = options.name;
    this.hostIp = options.hostIp ?? `192.168.${Math.floor(index / 250)}.${(index % 250) + 2}`;
    this.addresses = new PodAddresses(
      options.podNetwork ?? `10.${244 + Math.floor(index / 256)}.${index % 256}`,
    );
  }

  /** False: the machine is gone, as seen from outside: no heartbeats, and its pods stay as they are. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Registers the node, or comes back to it, and begins to send heartbeats. */
  async start(): Promise<void> {
    const node = await this.#register();
    this.#uid = node.metadata.uid ?? "";
    this.#isUp = true;
    await Promise.all([this.#writeStatus(node), this.#renewLease()]);
    this.#schedule();
  }

  stop(): void {
    this.#isUp = false;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = this.#client.clock.setTimer(heartbeatMs, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    try {
      await this.#renewLease();
      if (this.#client.clock.now() - this.#statusAt >= statusMs) await this.#writeStatus(undefined);
    } catch {
      // the next heartbeat tries again; too many of them lost make the node NotReady, as they should
    }
    if (this.#isUp) this.#schedule();
  }

  async #register(): Promise<DeepReadonly<Node>> {
    const { zone, region, labels, taints } = this.#options;
    const network = this.addresses.network;
    const body = {
      metadata: {
        name: this.name,
        labels: {
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/hostname": this.name,
          "kubernetes.io/os": "linux",
          ...(zone === undefined ? {} : { "topology.kubernetes.io/zone": zone }),
          ...(region === undefined ? {} : { "topology.kubernetes.io/region": region }),
          ...labels,
        },
      },
      spec: {
        podCIDR: `${network}.0/24`,
        podCIDRs: [`${network}.0/24`],
        ...(taints === undefined || taints.length === 0 ? {} : { taints: [...taints] }),
      },
    };
    try {
      return await this.#client.create(Node, body as never);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#client.get(Node, { name: this.name });
    }
  }

  async #writeStatus(known: DeepReadonly<Node> | undefined): Promise<void> {
    const node = known ?? (await this.#client.find(Node, { name: this.name }));
    if (node === undefined) return;
    const now = rfc3339(this.#client.clock.now());
    this.#statusAt = this.#client.clock.now();
    const capacity = { ...defaultCapacity, ...this.#options.capacity };
    const status = {
      capacity,
      allocatable: capacity,
      addresses: [
        { type: "InternalIP", address: this.hostIp },
        { type: "Hostname", address: this.name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: node.status?.nodeInfo?.machineID ? node.status.nodeInfo : this.#nodeInfo(),
      conditions: conditions.map(([type, value, reason, message]) => {
        const before = node.status?.conditions?.find((condition) => condition.type === type);
        const lastTransitionTime = before?.status === value ? before.lastTransitionTime : now;
        return { type, status: value, reason, message, lastHeartbeatTime: now, lastTransitionTime };
      }),
    };
    await this.#client.patch(
      Node,
      { name: this.name },
      { merge: { status } as never },
      { subresource: "status" },
    );
  }

  #nodeInfo(): object {
    const { random } = this.#client;
    return {
      architecture: "amd64",
      bootID: random.uuid(),
      containerRuntimeVersion: "bowline://simulated",
      kernelVersion: "simulated",
      kubeProxyVersion: "",
      kubeletVersion: "v1.35.0",
      machineID: random.uuid().replaceAll("-", ""),
      operatingSystem: "linux",
      osImage: "Bowline simulated node",
      systemUUID: random.uuid(),
    };
  }

  async #renewLease(): Promise<void> {
    const key = { name: this.name, namespace: leaseNamespace };
    const spec = {
      holderIdentity: this.name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: rfc3339Micro(this.#client.clock.now()),
    };
    try {
      await this.#client.patch(Lease, key, { merge: { spec } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: this.name, uid: this.#uid }];
      await this.#client.create(Lease, { metadata: { ...key, ownerReferences }, spec });
    }
  }
}

/** Pods by `namespace/name`. */
export function podKey(pod: DeepReadonly<Pod>): string {
  return `${pod.metadata.namespace}/${pod.metadata.name}`;
}
