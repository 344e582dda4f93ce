/** One client with a cluster of its own: runs commands, collects verdicts. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { type Outcome, type Step, mismatches } from "./step.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** A command that takes longer than this hangs: it is ended and has failed. */
const commandLimitMs = 120_000;
const retryPauseMs = 200;

export interface Verdict {
  readonly claim: string;
  /** Empty: it holds. */
  readonly failure: string;
  /** How long it took, where it was measured. */
  readonly elapsedMs?: number;
}

export class Session {
  /** Where commands run; removed at the end. */
  readonly folder: string;
  readonly kubeconfig: string;
  readonly verdicts: Verdict[] = [];
  readonly #server: ChildProcess;
  readonly #environment: Record<string, string>;
  readonly #heard: (verdict: Verdict) => void;
  #serverErrors = "";

  private constructor(folder: string, server: ChildProcess, options: SessionOptions) {
    this.folder = folder;
    this.kubeconfig = path.join(folder, "kubeconfig");
    this.#server = server;
    this.#heard = options.heard;
    this.#environment = {
      HOME: folder,
      KUBECONFIG: this.kubeconfig,
      LC_ALL: "C.UTF-8",
      ...options.environment,
      PATH: [...(options.programs ?? []), process.env["PATH"] ?? ""].join(path.delimiter),
    };
    server.stderr?.on("data", (chunk: Buffer) => {
      this.#serverErrors += chunk.toString();
    });
  }

  /** @throws Error when the server does not come up */
  static async start(options: SessionOptions): Promise<Session> {
    const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-interop-"));
    const script = [path.join(root, "tools/run.mjs"), path.join(root, "interop/server.ts")];
    const server = spawn(process.execPath, [...script, path.join(folder, "kubeconfig")], {
      cwd: root,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const session = new Session(folder, server, options);
    await session.#ready();
    return session;
  }

  async #ready(): Promise<void> {
    const ended = once(this.#server, "close");
    const printed = once(this.#server.stdout ?? this.#server, "data");
    const first: unknown[] = await Promise.race([printed, ended]);
    if (!String(first[0]).startsWith("ready"))
      throw new Error(`the server did not come up:\n${String(first[0])}\n${this.#serverErrors}`);
  }

  /** Runs a step; one that does not hold is noted, never thrown. */
  async run(step: Step): Promise<void> {
    const start = Date.now();
    const end = start + step.withinSeconds * 1000;
    let outcome = await this.outcome(step.command);
    while (mismatches(step, outcome).length > 0 && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      outcome = await this.outcome(step.command);
    }
    const wrong = mismatches(step, outcome);
    const claim = firstLine(step.command);
    const failure = wrong.length === 0 ? "" : report(step, outcome, wrong);
    this.note({ claim, failure, elapsedMs: Date.now() - start });
  }

  async runAll(steps: readonly Step[]): Promise<void> {
    for (const step of steps) await this.run(step);
  }

  /**
   * Runs a program that judges itself: it prints `ok CLAIM` or `not ok CLAIM` (followed by indented lines that say why)
   * for each claim, and `done` at its end.
   */
  async runReporter(command: string, limitMs = commandLimitMs): Promise<void> {
    const { code, stdout, stderr } = await this.outcome(command, limitMs);
    const blocks = stdout.split(/^(?=ok |not ok |done$)/m);
    for (const block of blocks) {
      const [, verdict, claim = "", details = ""] = /^(ok|not ok) (.*)\n?([^]*)$/.exec(block) ?? [];
      if (verdict !== undefined)
        this.note({ claim, failure: verdict === "ok" ? "" : details || "it failed" });
    }
    const complete = code === 0 && blocks.some((block) => block.startsWith("done"));
    const failure = complete ? "" : `exit status ${code}\n${tail(stdout)}\n${tail(stderr)}`;
    this.note({ claim: `${firstLine(command)} ran to its end`, failure });
  }

  note(verdict: Verdict): void {
    this.verdicts.push(verdict);
    this.#heard(verdict);
  }

  /** Runs a line of bash. Its process group is ended with it, so that nothing it started stays. */
  async outcome(command: string, limitMs = commandLimitMs): Promise<Outcome> {
    const child = spawn("bash", ["-c", command], {
      cwd: this.folder,
      env: { ...process.env, ...this.#environment },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const timer = setTimeout(() => {
      stderr += `\nended after ${limitMs / 1000} s\n`;
      endGroup(child);
    }, limitMs);
    await once(child, "exit");
    clearTimeout(timer);
    endGroup(child);
    await Promise.all([drained(child.stdout), drained(child.stderr)]);
    return { code: child.exitCode ?? 128, stdout, stderr };
  }

  /** Ends the server, and notes whether it lived to the end without an error inside. */
  async close(): Promise<void> {
    const alive = this.#server.exitCode === null;
    if (alive) {
      const ended = once(this.#server, "close");
      this.#server.stdin?.end();
      await ended;
    }
    const failure = alive && this.#serverErrors === "" ? "" : this.#serverErrors || "the server ended early";
    this.note({ claim: "the server had no error inside", failure });
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface SessionOptions {
  /** Folders put before PATH. */
  readonly programs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly heard: (verdict: Verdict) => void;
}

function endGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    // the group has ended by itself, which is the usual case
  }
}

function drained(stream: NodeJS.ReadableStream & { readonly closed?: boolean }): Promise<unknown> {
  return stream.closed === true ? Promise.resolve() : once(stream, "close");
}

function firstLine(command: string): string {
  const [line = "", ...rest] = command.split("\n");
  return rest.length > 0 ? `${line} ...` : line;
}

function report(step: Step, outcome: Outcome, wrong: readonly string[]): string {
  const printed = `${outcome.stdout}${outcome.stderr}`;
  return [`command: ${step.command}`, ...wrong, `printed (status ${outcome.code}):`, tail(printed)].join(
    "\n",
  );
}

function tail(text: string): string {
  const limit = 4000;
  return text.length > limit ? `...${text.slice(-limit)}` : text;
}
