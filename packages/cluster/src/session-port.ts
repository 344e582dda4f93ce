/** What the API server asks of those who run pods, and what the simulated nodes answer; a real one asks kubelets. Source: kubernetes pkg/kubelet/server. */

/** Which pod. */
export interface SessionPod {
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
}

export interface SessionTarget extends SessionPod {
  readonly container: string;
}

/** What of a log is wanted. */
export interface SessionLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly sinceSeconds: number | undefined;
  /** RFC 3339. */
  readonly sinceTime: string | undefined;
  readonly limitBytes: number | undefined;
  readonly stream: "All" | "Stdout" | "Stderr";
}

/** Columns and lines of a terminal. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The open ends of a command or an attachment. */
export interface SessionStreams {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly tty: boolean;
  /** Sizes of the caller's terminal as they change; none without `tty`. */
  readonly sizes: AsyncIterable<TerminalSize>;
  stdout(bytes: Uint8Array): Promise<void>;
  stderr(bytes: Uint8Array): Promise<void>;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/** The open ends of one forwarded connection. */
export interface SessionPort {
  readonly incoming: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  readonly signal: AbortSignal;
}

export interface PodSessionPort {
  /** Whether the node answers at all. */
  reaches(node: string): boolean;
  /** Whether a program can be run in the container now. */
  isRunning(target: SessionTarget): boolean;
  /** @throws StatusError 400 for a container that has not run (before) */
  log(
    target: SessionTarget,
    options: SessionLogOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Runs a program; resolves with its exit code. */
  exec(target: SessionTarget, command: readonly string[], streams: SessionStreams): Promise<number>;
  /** Joins the container's own program; resolves with its exit code when it ends. */
  attach(target: SessionTarget, streams: SessionStreams): Promise<number>;
  /** Serves one connection until either side ends. @throws Error when nothing listens there */
  forward(pod: SessionPod, port: number, streams: SessionPort): Promise<void>;
}
