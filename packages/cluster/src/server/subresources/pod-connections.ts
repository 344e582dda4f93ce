/**
 * How the API server reaches the programs in containers: through the kubelet of a pod's node. The server decides who may
 * connect to what and speaks with the client; a node only has to produce and take bytes.
 */

/** A container of a pod that runs on a node. */
export interface ContainerTarget {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
  readonly container: string;
}

/** What of a log is wanted. Source: core/v1 PodLogOptions. */
export interface LogOptions {
  readonly follow: boolean;
  /** The log of the container's previous run. */
  readonly previous: boolean;
  /** Each line begins with its time, RFC 3339 with nanoseconds. */
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  /** RFC 3339. */
  readonly sinceTime: string | undefined;
  readonly limitBytes: number | undefined;
  readonly stream: "All" | "Stdout" | "Stderr";
}

/** The open ends of a session in a container. */
export interface ContainerStreams {
  /** What the client types, until it closes; empty when it did not ask for input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Sizes of the client's terminal as they change. */
  readonly sizes: AsyncIterable<{ readonly width: number; readonly height: number }>;
  readonly tty: boolean;
  /** Resolves when the bytes have left. Output that the client did not ask for is dropped. */
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** One connection to a port of a pod. */
export interface PortStreams {
  readonly incoming: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

/** What a node offers for the pods that run on it. All may throw a StatusError, which the client gets. */
export interface PodConnector {
  log(target: ContainerTarget, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Runs a program; resolves with its exit code. */
  exec(target: ContainerTarget, command: readonly string[], streams: ContainerStreams): Promise<number>;
  /** Joins the container's own program until it or the client ends; resolves with its exit code. */
  attach(target: ContainerTarget, streams: ContainerStreams): Promise<number>;
  /** Serves one connection until either side ends. */
  forward(target: Omit<ContainerTarget, "container">, port: number, streams: PortStreams): Promise<void>;
}

/** The nodes that can be reached, by name. */
export class PodConnectors {
  readonly #nodes = new Map<string, PodConnector>();

  /** Returns what takes it away again. */
  register(node: string, connector: PodConnector): () => void {
    this.#nodes.set(node, connector);
    return () => {
      if (this.#nodes.get(node) === connector) this.#nodes.delete(node);
    };
  }

  of(node: string): PodConnector | undefined {
    return this.#nodes.get(node);
  }
}
