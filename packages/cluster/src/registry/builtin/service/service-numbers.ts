/**
 * Cluster addresses and node ports: which are taken, and the next free ones.
 * Source: kubernetes pkg/registry/core/service (ipallocator, portallocator).
 */
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import type { Store } from "../../../store/store.ts";

/** 10.96.0.0/12, as kubeadm has it. */
const network = 0x0a600000;
const addressCount = 2 ** 20;
/** Lower ones are for those who ask for a certain address, such as the cluster's DNS at 10.96.0.10. */
const firstDynamicAddress = 257;
export const portMin = 30_000;
export const portMax = 32_767;
const firstDynamicPort = 30_086;

export const addressRange = "10.96.0.0/12";

interface ServiceParts {
  readonly spec?: {
    readonly clusterIPs?: readonly string[];
    readonly healthCheckNodePort?: number;
    readonly ports?: readonly {
      readonly nodePort?: number;
      readonly protocol?: string;
      readonly port?: number;
    }[];
  };
}

/**
 * What services hold, kept by the store's commits. Free numbers are given out in turn: one given to a request that is not
 * stored yet comes again only after all others.
 */
export class ServiceNumbers {
  readonly #bucket: Bucket;
  /** Number of holders, since a port may be held once per protocol. */
  readonly #addresses = new Map<string, number>();
  readonly #ports = new Map<number, number>();
  #nextAddress: number = firstDynamicAddress;
  #nextPort: number = firstDynamicPort;

  constructor(store: Store) {
    this.#bucket = store.bucket("/services");
    for (const { object } of this.#bucket.list("")) this.#count(object, 1);
    store.onCommit((bucket, event) => {
      if (bucket !== this.#bucket) return;
      if (event.previous !== undefined) this.#count(event.previous.object, -1);
      if (!event.deleted) this.#count(event.current.object, 1);
    });
  }

  isAddressTaken(address: string): boolean {
    return this.#addresses.has(address);
  }

  isPortTaken(port: number): boolean {
    return this.#ports.has(port);
  }

  /** Undefined when all are taken. */
  takeAddress(): string | undefined {
    for (let tried = 0; tried < addressCount; tried++) {
      const address = addressText(network + this.#nextAddress);
      this.#nextAddress = this.#nextAddress + 1 < addressCount - 1 ? this.#nextAddress + 1 : 1;
      if (!this.#addresses.has(address)) return address;
    }
    return undefined;
  }

  /** Undefined when all are taken. */
  takePort(): number | undefined {
    for (let tried = portMin; tried <= portMax; tried++) {
      const port = this.#nextPort;
      this.#nextPort = port < portMax ? port + 1 : portMin;
      if (!this.#ports.has(port)) return port;
    }
    return undefined;
  }

  #count(service: StoredObject, change: 1 | -1): void {
    const { spec } = service as unknown as ServiceParts;
    for (const address of spec?.clusterIPs ?? [])
      if (address !== "None") addTo(this.#addresses, address, change);
    const ports = new Set((spec?.ports ?? []).map((port) => port.nodePort ?? 0));
    ports.add(spec?.healthCheckNodePort ?? 0);
    ports.delete(0);
    for (const port of ports) addTo(this.#ports, port, change);
  }
}

function addTo<K>(counts: Map<K, number>, key: K, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count <= 0) counts.delete(key);
  else counts.set(key, count);
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}

/** Whether an IPv4 address is one that services can have. */
export function isInRange(address: string): boolean {
  const [a = 0, b = 0] = address.split(".").map(Number);
  return a === 10 && b >= 96 && b < 112;
}
