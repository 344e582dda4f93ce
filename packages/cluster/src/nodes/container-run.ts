/** One run of a container, from its start to its end. */
import type { DeepReadonly } from "@bowline/api";
import type { Container, Pod } from "@bowline/api/core/v1";
import { type Clock, type Random, type Timer, sleep } from "@bowline/client";
import { ByteQueue } from "../byte-queue.ts";
import { ContainerFiles } from "./container-files.ts";
import { ContainerLog } from "./container-log.ts";
import { ContainerOutput } from "./container-output.ts";
import { type ContainerProcess, type ImageBehavior, drawMs } from "./image-behavior.ts";
import { interactiveShell } from "./interactive-shell.ts";
import { isShell, isShellCommand, runShell } from "./simulated-shell.ts";
import { SimulatedTerminal } from "./simulated-terminal.ts";

/** How a run ended. */
export interface Exit {
  readonly code: number;
  readonly reason: string;
  readonly message?: string;
  readonly signal?: number;
}

export interface RunPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Something about the run has changed. */
  changed(): void;
}

export interface RunOptions {
  readonly pod: DeepReadonly<Pod>;
  readonly container: DeepReadonly<Container>;
  readonly behavior: ImageBehavior;
  readonly env: Readonly<Record<string, string>>;
  readonly restartCount: number;
  /** True: without any word on what it does, it ends at once. */
  readonly endsByDefault: boolean;
}

/** Longest delay that a timer can be set for. */
const timerMaxMs = 2 ** 31 - 1;

export class ContainerRun {
  readonly log: ContainerLog = new ContainerLog();
  /** What it writes, as it writes it. */
  readonly output: ContainerOutput = new ContainerOutput();
  readonly startedAt: number;
  readonly id: string;
  readonly process: ContainerProcess;
  /** Its terminal, when it has one. */
  readonly terminal: SimulatedTerminal | undefined;
  /** When it becomes ready by its own words; infinite for never. */
  readonly readyAt: number;
  /** When its liveness probe begins to fail; infinite for never. */
  readonly unhealthyAt: number;
  readonly #ports: RunPorts;
  readonly #options: RunOptions;
  readonly #stop = new AbortController();
  readonly #timers = new Set<Timer>();
  readonly #input = new ByteQueue();
  #exit: Exit | undefined;
  #finishedAt: number | undefined;
  #isReadyOverride: boolean | undefined;

  constructor(options: RunOptions, ports: RunPorts) {
    const { behavior } = options;
    const { clock, random } = ports;
    this.#options = options;
    this.#ports = ports;
    this.startedAt = clock.now();
    this.id = Array.from(random.bytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("");
    this.terminal = options.container.tty === true ? new SimulatedTerminal() : undefined;
    if (options.container.stdin !== true) this.#input.end();
    this.process = this.#makeProcess();
    const ready = behavior.readyAfterMs;
    this.readyAt = ready === false ? Number.POSITIVE_INFINITY : this.startedAt + drawMs(ready, 0, random);
    this.unhealthyAt = this.startedAt + drawMs(behavior.unhealthyAfterMs, Number.POSITIVE_INFINITY, random);
    this.#begin();
  }

  get exit(): Exit | undefined {
    return this.#exit;
  }

  get finishedAt(): number | undefined {
    return this.#finishedAt;
  }

  /** What the program itself said of its readiness; undefined when it said nothing. */
  get readyOverride(): boolean | undefined {
    return this.#isReadyOverride;
  }

  get isStopping(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Asks it to end, and kills it after the grace period. */
  stop(graceMs: number): void {
    if (this.#exit !== undefined) return;
    const isFirst = !this.#stop.signal.aborted;
    const { behavior } = this.#options;
    if (isFirst) this.#stop.abort(new Error("the container is asked to stop"));
    this.#input.end();
    const needsMs = drawMs(behavior.stopAfterMs, 0, this.#ports.random);
    if (isFirst && needsMs < graceMs && behavior.run === undefined) {
      if (needsMs <= 0) return this.end({ code: 0, reason: "Completed" });
      this.#after(needsMs, () => this.end({ code: 0, reason: "Completed" }));
    }
    if (graceMs <= 0) return this.kill();
    this.#after(graceMs, () => this.kill());
  }

  kill(): void {
    this.end({ code: 137, reason: "Error" });
  }

  end(exit: Exit): void {
    if (this.#exit !== undefined) return;
    this.#exit = exit;
    this.#finishedAt = this.#ports.clock.now();
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    if (!this.#stop.signal.aborted) this.#stop.abort(new Error("the container has ended"));
    this.log.close();
    this.terminal?.close();
    this.#input.end();
    this.output.end();
    this.#ports.changed();
  }

  /** Gives it what somebody types. Source of `stdinOnce`: kubernetes core/v1 Container. */
  async takeInput(bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const { stdin = false, stdinOnce = false } = this.#options.container;
    for await (const chunk of bytes) if (stdin) await this.#input.push(chunk);
    if (stdinOnce) this.#input.end();
  }

  #begin(): void {
    const { behavior, endsByDefault } = this.#options;
    const { logs } = behavior;
    for (const line of typeof logs === "function" ? logs(this.process) : (logs ?? [])) this.process.log(line);
    if (behavior.run !== undefined) {
      void this.#runProgram(behavior.run);
    } else if (behavior.exitAfterMs !== undefined || behavior.exitCode !== undefined) {
      this.#after(drawMs(behavior.exitAfterMs, 0, this.#ports.random), () => this.end(this.#plannedExit()));
    } else if (isShellCommand(this.process.command)) {
      void this.#runProgram((process) => runShell(process.command, shellIo(process, this)));
    } else if (this.#isTypedTo) {
      void this.#runProgram((process) => interactiveShell(process, this.#stop.signal));
    } else if (endsByDefault) {
      this.#after(0, () => this.end(this.#exitWith(0)));
    }
  }

  /** Who wants to type to a container of which nothing else is known finds a shell in it. */
  get #isTypedTo(): boolean {
    const [program, ...args] = this.process.command;
    const isShellAlone = program === undefined || (isShell(program) && args.length === 0);
    return this.#options.container.stdin === true && isShellAlone;
  }

  async #runProgram(run: NonNullable<ImageBehavior["run"]>): Promise<void> {
    try {
      const code = await run(this.process);
      this.end(this.#exitWith(code ?? 0));
    } catch (error) {
      if (this.#stop.signal.aborted) return this.end({ code: 143, reason: "Error" });
      this.process.log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      this.end(this.#exitWith(1));
    }
  }

  #plannedExit(): Exit {
    const { behavior, restartCount } = this.#options;
    const codes = [behavior.exitCode ?? 0].flat();
    return this.#exitWith(codes[Math.min(restartCount, codes.length - 1)] ?? 0);
  }

  #exitWith(code: number): Exit {
    const { exitReason, terminationMessage } = this.#options.behavior;
    const message = terminationMessage ?? this.#messageFromLog(code);
    return {
      code,
      reason: exitReason ?? (code === 0 ? "Completed" : "Error"),
      ...(message === undefined ? {} : { message }),
    };
  }

  /** A container may ask for the end of its log as its last word. */
  #messageFromLog(code: number): string | undefined {
    if (code === 0 || this.#options.container.terminationMessagePolicy !== "FallbackToLogsOnError")
      return undefined;
    const text = this.log.lines
      .slice(-80)
      .map((line) => `${line.text}\n`)
      .join("");
    return text === "" ? undefined : text.slice(-2048);
  }

  #after(delayMs: number, work: () => void): void {
    if (delayMs > timerMaxMs) return;
    const timer = this.#ports.clock.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      work();
    });
    this.#timers.add(timer);
  }

  #makeProcess(): ContainerProcess {
    const { pod, container, env, restartCount } = this.#options;
    const { clock, random } = this.#ports;
    const { signal } = this.#stop;
    return {
      pod,
      container,
      command: [...(container.command ?? []), ...(container.args ?? [])],
      env,
      restartCount,
      files: initialFiles(this.#options),
      clock,
      random,
      signal,
      log: (line) => this.write(`${line}\n`, "stdout"),
      stdin: typedTo(this.#input, () => {
        // a program that has ended may leave a reader behind: it is no one to tell
        if (this.#exit === undefined) signal.throwIfAborted();
      }),
      tty: this.terminal !== undefined,
      terminal: this.terminal,
      write: (text) => this.write(text, "stdout"),
      writeError: (text) => this.write(text, this.terminal === undefined ? "stderr" : "stdout"),
      setReady: (isReady) => {
        this.#isReadyOverride = isReady;
        this.#ports.changed();
      },
      sleep: (milliseconds) =>
        milliseconds > timerMaxMs ? untilStopped(signal) : sleep(clock, milliseconds, signal),
    };
  }

  #partial = { stdout: "", stderr: "" };

  /** Adds to the log; what has no line's end yet waits for it, but not for those who are attached. */
  write(text: string | Uint8Array, stream: "stdout" | "stderr"): void {
    this.output.write(text, stream, this.terminal !== undefined);
    const added = typeof text === "string" ? text : new TextDecoder().decode(text);
    const lines = `${this.#partial[stream]}${added}`.split("\n");
    this.#partial[stream] = lines.pop() ?? "";
    for (const line of lines) this.log.add({ at: this.#ports.clock.now(), text: line, stream });
  }
}

function initialFiles({ pod, behavior }: RunOptions): ContainerFiles {
  const hostname = pod.spec?.hostname ?? pod.metadata.name ?? "";
  return new ContainerFiles({ "/etc/hostname": `${hostname}\n`, ...behavior.files });
}

/** What is typed, until it ends. @throws what `check` throws */
async function* typedTo(
  input: AsyncIterable<Uint8Array>,
  check: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const bytes of input) {
    check();
    yield bytes;
  }
  check();
}

function shellIo(process: ContainerProcess, run: ContainerRun): Parameters<typeof runShell>[1] {
  return {
    process,
    write: (text) => run.write(text, "stdout"),
    writeError: (text) => run.write(text, "stderr"),
  };
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
