/** What containers of an image do on simulated nodes, said in TypeScript. */
import type { DeepReadonly } from "@bowline/api";
import type { Container, Pod } from "@bowline/api/core/v1";
import type { Clock, Random } from "@bowline/client";
import type { TerminalSize } from "../session-port.ts";
import type { ContainerFiles } from "./container-files.ts";

/** Milliseconds on the cluster's clock; a range is drawn from the cluster's random source. */
export type Delay = number | { readonly minMs: number; readonly maxMs: number };

/** A running container, as scripts see it. */
export interface ContainerProcess {
  readonly pod: DeepReadonly<Pod>;
  readonly container: DeepReadonly<Container>;
  /** Command and arguments, as the pod says; empty when the image's own are meant. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** 0 for the first run. */
  readonly restartCount: number;
  /** Its files, in memory; a restart begins with new ones. Commands of `kubectl exec` and `kubectl cp` see the same. */
  readonly files: ContainerFiles;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted when the container is asked to stop. */
  readonly signal: AbortSignal;
  /** Writes a line of the log. */
  log(line: string): void;
  /**
   * What those who attach to it type (`kubectl attach -i`), for a container with `stdin: true`. It ends when the first of them
   * closes it and the container says `stdinOnce`; without `stdin: true` it is empty. Iterate once. Throws as `sleep` does.
   */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Whether it has a terminal. */
  readonly tty: boolean;
  /** Its terminal, when it has one. */
  readonly terminal: Terminal | undefined;
  /** Writes output as it is. Lines of it are in the log when they are whole; who is attached sees it at once. */
  write(text: string | Uint8Array): void;
  writeError(text: string | Uint8Array): void;
  /** Overrides what probes say of readiness, from now on. */
  setReady(isReady: boolean): void;
  /** Waits. @throws the signal's reason as soon as the container is asked to stop */
  sleep(milliseconds: number): Promise<void>;
}

/** The terminal of a program. Its size is the one of the window that somebody looks at it with. */
export interface Terminal {
  /** Undefined until somebody's window said one. */
  readonly size: TerminalSize | undefined;
  /** The present size, if there is one, and then each that it changes to, until the program or the session ends. */
  sizes(): AsyncIterable<TerminalSize>;
}

/**
 * A command that somebody runs in a container (`kubectl exec`): input, output and terminal are those of the caller. The
 * input ends when the caller closes it.
 */
export interface ExecProcess extends ContainerProcess {
  readonly execCommand: readonly string[];
}

/** A connection to a port of a pod. */
export interface PodConnection {
  readonly pod: DeepReadonly<Pod>;
  readonly port: number;
  /** What the caller sends, until it closes. */
  readonly incoming: AsyncIterable<Uint8Array>;
  send(bytes: Uint8Array): Promise<void>;
  /** Aborted when the caller has gone. */
  readonly signal: AbortSignal;
}

/**
 * What containers of an image do. Everything is optional: by default a container runs at once, is ready at once, and runs
 * until it is stopped, or, in a pod that is not to be restarted, ends with code 0.
 * ```ts
 * images: {
 *   "example.com/slow": { startDelayMs: 5000, readyAfterMs: 2000 },
 *   "example.com/flaky": { exitAfterMs: 1000, exitCode: [1, 1, 0] },
 *   "example.com/report": { run: async (p) => { p.log("working"); await p.sleep(60_000); return 0; } },
 * }
 * ```
 */
export interface ImageBehavior {
  /** From being due to running: pulling and creating. Default: the cluster's `podStartDelayMs`. */
  readonly startDelayMs?: Delay;
  /** The image cannot be pulled, for this reason. */
  readonly pullError?: string;
  /** From running to ready; false: never. Default 0. */
  readonly readyAfterMs?: Delay | false;
  /** From running to failing its liveness probe, if it has one. Default: never. */
  readonly unhealthyAfterMs?: Delay;
  /** From running to ending by itself. Default: never. */
  readonly exitAfterMs?: Delay;
  /** With which code: one for all runs, or one for each in turn, of which the last repeats. Default 0. */
  readonly exitCode?: number | readonly number[];
  /** `OOMKilled` and the like. Default `Completed` or `Error`, by the code. */
  readonly exitReason?: string;
  /** What it leaves in its termination log. */
  readonly terminationMessage?: string;
  /** Files that it has when it starts, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Lines that it logs when it starts. */
  readonly logs?: readonly string[] | ((process: ContainerProcess) => readonly string[]);
  /** From being asked to stop to ending. Beyond the grace period it is killed (code 137). Default 0. */
  readonly stopAfterMs?: Delay;
  /** A program: runs when the container starts; what it returns is the exit code (nothing: 0), throwing is code 1. */
  readonly run?: (process: ContainerProcess) => number | void | Promise<number | void>;
  /** Answers a probe of the pod's; called as often as the probe says. Default: by the times above, without any calls. */
  readonly probe?: (type: ProbeType, process: ContainerProcess) => boolean;
  /** Answers `kubectl exec`. Default: a few commands of a simulated shell. */
  readonly exec?: (process: ExecProcess) => number | void | Promise<number | void>;
  /** Serves a connection to a port (`kubectl port-forward`). Default: ports that the container names answer HTTP with a line. */
  readonly connect?: (connection: PodConnection) => void | Promise<void>;
  /** What `kubectl top` and autoscalers see, as quantities. Default: what the container requests, halved. */
  readonly usage?: { readonly cpu?: string; readonly memory?: string };
}

export type ProbeType = "startup" | "readiness" | "liveness";

/**
 * Behaviours by image: `nginx:1.27` (this very one), `nginx` (any tag or digest), `example.com/*` (a prefix). The longest
 * name wins. A function decides for itself.
 */
export type ImageBehaviors =
  | Readonly<Record<string, ImageBehavior>>
  | ((image: string, pod: DeepReadonly<Pod>) => ImageBehavior | undefined);

/** Images that every cluster knows, to try things with. */
export const builtinImages: Readonly<Record<string, ImageBehavior>> = {
  "bowline.dev/never-ready": { readyAfterMs: false },
  "bowline.dev/crash": { exitAfterMs: 1000, exitCode: 1, logs: ["crashing as told"] },
  "bowline.dev/missing": { pullError: "not found" },
  "bowline.dev/stubborn": { stopAfterMs: Number.POSITIVE_INFINITY },
};

/** Finds the behaviour of an image. */
export function behaviorOf(
  image: string,
  pod: DeepReadonly<Pod>,
  behaviors: ImageBehaviors | undefined,
): ImageBehavior {
  if (typeof behaviors === "function") return behaviors(image, pod) ?? lookUp(image, builtinImages) ?? {};
  return lookUp(image, behaviors ?? {}) ?? lookUp(image, builtinImages) ?? {};
}

function lookUp(
  image: string,
  behaviors: Readonly<Record<string, ImageBehavior>>,
): ImageBehavior | undefined {
  const exact = behaviors[image] ?? behaviors[withoutTag(image)];
  if (exact !== undefined) return exact;
  const prefixes = Object.keys(behaviors).filter(
    (name) => name.endsWith("*") && image.startsWith(name.slice(0, -1)),
  );
  const longest = prefixes.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : behaviors[longest];
}

function withoutTag(image: string): string {
  return image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
}

/** A time out of a delay. */
export function drawMs(delay: Delay | undefined, fallback: number, random: Random): number {
  if (delay === undefined) return fallback;
  if (typeof delay === "number") return delay;
  return delay.minMs + random.next() * (delay.maxMs - delay.minMs);
}
