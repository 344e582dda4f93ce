/** A shell that a tutorial's commands are typed into: it keeps its folder and its variables from one to the next. */
import { type ChildProcess, spawn } from "node:child_process";

export interface ShellOutcome {
  /** -1: it took too long, and the shell was ended. */
  readonly code: number;
  /** Both streams, as a terminal shows them. */
  readonly printed: string;
}

/** After a command its exit status; nothing that a command prints begins so. */
const endMark = "\u0001end ";

export class Shell {
  readonly #bash: ChildProcess;
  readonly #limitMs: number;
  #text = "";
  #heard: () => void = () => {};
  #hasEnded = false;

  constructor(options: {
    readonly folder: string;
    readonly environment: Readonly<Record<string, string>>;
    readonly limitMs: number;
  }) {
    this.#limitMs = options.limitMs;
    this.#bash = spawn("bash", ["--norc", "--noprofile"], {
      cwd: options.folder,
      env: options.environment,
      // a group of its own, so that everything it has started can be ended with it
      detached: true,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#bash.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      this.#text += chunk;
      this.#heard();
    });
    this.#bash.once("close", () => {
      this.#hasEnded = true;
      this.#heard();
    });
  }

  /** Runs a command and waits for its end. */
  async run(command: string): Promise<ShellOutcome> {
    this.#text = "";
    this.#type(`{\n${command}\n} </dev/null 2>&1\nprintf '\\n${endMark}%s\\n' $?\n`);
    const end = new RegExp(`\\n${endMark}(\\d+)\\n$`);
    const found = await this.#until(() => end.exec(this.#text) !== null);
    const [, code = "-1"] = end.exec(this.#text) ?? [];
    if (!found) this.close();
    return { code: Number(code), printed: this.#text.replace(end, "") };
  }

  /** Starts a command that stays; false when it has not printed the text in time. */
  async start(command: string, until: string): Promise<ShellOutcome> {
    this.#text = "";
    // with job control it gets a process group, which Ctrl-C reaches as a whole
    this.#type(`set -m\n{\n${command}\n} </dev/null 2>&1 &\nbackground=$!\nset +m\n`);
    const found = await this.#until(() => this.#text.includes(until));
    return { code: found ? 0 : -1, printed: this.#text };
  }

  /** Ctrl-C to what was started last. */
  async stop(): Promise<ShellOutcome> {
    return this.run(`kill -INT -- -$background && { wait $background || true; }`);
  }

  /** Ends the shell and everything that runs in it. */
  close(): void {
    if (this.#hasEnded || this.#bash.pid === undefined) return;
    try {
      process.kill(-this.#bash.pid, "SIGKILL");
    } catch {
      // it is gone already
    }
  }

  #type(text: string): void {
    this.#bash.stdin?.write(text);
  }

  /** False when the time is over or the shell has ended. */
  async #until(isMet: () => boolean): Promise<boolean> {
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#heard();
    }, this.#limitMs);
    try {
      while (!isMet()) {
        if (isOver || this.#hasEnded) return false;
        await new Promise<void>((resolve) => {
          this.#heard = resolve;
        });
      }
      return true;
    } finally {
      clearTimeout(timer);
    }
  }
}
