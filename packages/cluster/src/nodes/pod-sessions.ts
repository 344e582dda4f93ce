/**
 * What a kubelet answers beside running pods: logs, commands, ports. The shapes are those in which the API server asks.
 * Source: kubernetes pkg/kubelet/server, pkg/kubelet (kubelet_pods.go GetKubeletContainerLogs).
 */
import { badRequest } from "@bowline/api";
import { sleep } from "@bowline/client";
import type {
  SessionLogOptions,
  SessionPod,
  SessionPort,
  SessionStreams,
  SessionTarget,
} from "../session-port.ts";
import type { LogLine } from "./container-log.ts";
import { outputBytes } from "./container-output.ts";
import type { ContainerRun } from "./container-run.ts";
import type { ExecProcess } from "./image-behavior.ts";
import { interactiveShell } from "./interactive-shell.ts";
import type { PodWorker } from "./pod-worker.ts";
import type { SimulatedContainer } from "./simulated-container.ts";
import type { SimulatedNodes } from "./simulated-nodes.ts";
import type { ShellIo } from "./shell-commands.ts";
import { isShell, isShellCommand, runShell } from "./simulated-shell.ts";
import { SimulatedTerminal } from "./simulated-terminal.ts";

const utf8 = new TextEncoder();

/** Longest delay that a timer can be set for. */
const timerMaxMs = 2 ** 31 - 1;

/** Logs, commands and ports of the pods on simulated nodes. All may throw a StatusError. */
export class PodSessions {
  readonly #nodes: SimulatedNodes;

  constructor(nodes: SimulatedNodes) {
    this.#nodes = nodes;
  }

  /** Whether the node answers at all. */
  reaches(node: string): boolean {
    return this.#nodes.isUp(node);
  }

  /** Whether a program can be run in the container now. */
  isRunning({ uid, container }: SessionTarget): boolean {
    return this.#nodes.workerByUid(uid)?.find(container)?.isRunning === true;
  }

  /** @throws StatusError 400 for a container that has not run (before) */
  async log(
    target: SessionTarget,
    options: SessionLogOptions,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const worker = this.#nodes.workerByUid(target.uid);
    // the kubelet has not come to it yet
    if (worker === undefined) throw badRequest(`${describe(target)} is waiting to start: ContainerCreating`);
    const container = this.#container(target);
    const run = options.previous ? container.previousRun : (container.run ?? container.previousRun);
    if (run === undefined) throw noLog(target, container, options.previous);
    return logBytes(run, options, signal);
  }

  /** Runs a program; resolves with its exit code. */
  async exec(target: SessionTarget, command: readonly string[], streams: SessionStreams): Promise<number> {
    const container = this.#container(target);
    const run = this.#running(target, container);
    const sent: Promise<void>[] = [];
    const bytesOf = (text: string | Uint8Array): Uint8Array => outputBytes(text, streams.tty);
    const terminal = streams.tty ? new SimulatedTerminal() : undefined;
    void terminal?.follow(streams.sizes);
    const { clock } = run.process;
    const signal = AbortSignal.any([run.process.signal, streams.signal]);
    const process: ExecProcess = {
      ...run.process,
      signal,
      sleep: (milliseconds) => sleep(clock, Math.min(milliseconds, timerMaxMs), signal),
      execCommand: command,
      tty: streams.tty,
      terminal,
      stdin: streams.stdin,
      write: (text) => void sent.push(streams.stdout(bytesOf(text))),
      writeError: (text) => void sent.push((streams.tty ? streams.stdout : streams.stderr)(bytesOf(text))),
    };
    try {
      const { exec } = container.behavior;
      return exec === undefined
        ? await simulatedExec(process, command, streams.signal)
        : ((await exec(process)) ?? 0);
    } catch (error) {
      // what runs in a container ends with it
      if (run.process.signal.aborted) return 137;
      throw error;
    } finally {
      terminal?.close();
      await Promise.allSettled(sent);
    }
  }

  /**
   * Shows the container's output from now on and gives it the caller's input and window size; resolves with its exit code
   * when it ends.
   */
  async attach(target: SessionTarget, streams: SessionStreams): Promise<number> {
    const run = this.#running(target, this.#container(target));
    const tap = run.output.tap(streams.signal);
    void run.takeInput(streams.stdin);
    void run.terminal?.follow(streams.sizes);
    for await (const { bytes, stream } of tap)
      await (stream === "stderr" && !streams.tty ? streams.stderr : streams.stdout)(bytes);
    return run.exit?.code ?? 0;
  }

  /** Serves one connection until either side ends. */
  async forward(target: SessionPod, port: number, streams: SessionPort): Promise<void> {
    const worker = this.#worker(target);
    const owner =
      worker.mains.find(({ spec }) => spec.ports?.some(({ containerPort }) => containerPort === port)) ??
      worker.mains[0];
    const connection = {
      pod: worker.pod,
      port,
      incoming: streams.incoming,
      send: streams.send.bind(streams),
      signal: streams.signal,
    };
    if (owner?.behavior.connect !== undefined) return owner.behavior.connect(connection);
    const isNamed = owner?.spec.ports?.some(({ containerPort }) => containerPort === port) === true;
    if (!isNamed) throw new Error(`dial tcp4 127.0.0.1:${port}: connect: connection refused`);
    await answerHttp(`${target.namespace}/${target.pod} port ${port}\n`, streams);
  }

  #worker({ pod, uid }: SessionPod): PodWorker {
    const worker = this.#nodes.workerByUid(uid);
    if (worker === undefined)
      throw badRequest(`pod ${JSON.stringify(pod)} does not run on a node that can be reached`);
    return worker;
  }

  #container(target: SessionTarget): SimulatedContainer {
    const found = this.#worker(target).find(target.container);
    if (found === undefined)
      throw badRequest(`container ${target.container} is not valid for pod ${target.pod}`);
    return found;
  }

  #running({ container: name, pod }: SessionTarget, container: SimulatedContainer): ContainerRun {
    const { run } = container;
    if (run === undefined || run.exit !== undefined) {
      throw badRequest(`container ${JSON.stringify(name)} of pod ${JSON.stringify(pod)} is not running`);
    }
    return run;
  }
}

function describe({ container, pod }: SessionTarget): string {
  return `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)}`;
}

function noLog(target: SessionTarget, container: SimulatedContainer, isPrevious: boolean): Error {
  const text = describe(target);
  if (isPrevious) return badRequest(`previous terminated ${text} not found`);
  const { reason = "ContainerCreating" } = container.waiting ?? {};
  return badRequest(
    /^(ErrImagePull|ImagePullBackOff)$/.test(reason)
      ? `${text} is waiting to start: trying and failing to pull image`
      : `${text} is waiting to start: ${reason}`,
  );
}

async function* logBytes(
  run: ContainerRun,
  options: SessionLogOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const now = run.process.clock.now();
  const since =
    options.sinceSeconds === undefined
      ? Date.parse(options.sinceTime ?? "") || 0
      : now - options.sinceSeconds * 1000;
  const isWanted = (line: LogLine): boolean =>
    line.at >= since && (options.stream === "All" || line.stream === options.stream.toLowerCase());
  const present = [...run.log.lines];
  const wanted = present.filter(isWanted);
  const shown =
    options.tailLines === undefined ? wanted : wanted.slice(Math.max(0, wanted.length - options.tailLines));
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  const encode = (line: LogLine): Uint8Array => {
    const bytes = utf8.encode(options.timestamps ? `${stamp(line.at)} ${line.text}\n` : `${line.text}\n`);
    const cut = bytes.subarray(0, left);
    left -= cut.length;
    return cut;
  };
  for (const line of shown) {
    if (left <= 0) return;
    yield encode(line);
  }
  if (!options.follow) return;
  for await (const line of run.log.follow(signal, present.length)) {
    if (left <= 0) return;
    if (isWanted(line)) yield encode(line);
  }
}

/** RFC 3339 with nanoseconds. */
function stamp(at: number): string {
  return `${new Date(at).toISOString().slice(0, -1)}000000Z`;
}

/** Runs what the simulated shell knows; a shell without a script reads its commands from its input. */
async function simulatedExec(
  process: ExecProcess,
  command: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  if (isShellCommand(command)) return runShell(command, ioOf(process));
  const [program = ""] = command;
  if (isShell(program)) return interactiveShell(process, signal);
  process.writeError(`exec: ${JSON.stringify(program)}: executable file not found in $PATH\n`);
  return 127;
}

function ioOf(process: ExecProcess): ShellIo {
  const { stdin, write, writeError } = process;
  return { process, stdin, write, writeError };
}

async function answerHttp(text: string, streams: SessionPort): Promise<void> {
  const body = `simulated: ${text}`;
  for await (const _request of streams.incoming) {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    await streams.send(utf8.encode(`${head}${body}`));
    return;
  }
}
