/** `bowline dev` in a process of its own, as a person starts it. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { realClient } from "../../../tools/real-clients.ts";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
const bin = path.join(root, "packages/cli/dist/bin.js");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of the test's own. */
export function temporaryFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-test-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export class DevProcess {
  readonly kubeconfig: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #stdout = "";
  #stderr = "";
  #heard: () => void = () => {};

  private constructor(folder: string, args: readonly string[], project: string) {
    this.kubeconfig = path.join(folder, "kubeconfig");
    const all = [bin, "dev", project, "--kubeconfig", this.kubeconfig, ...args];
    this.#child = spawn(process.execPath, all, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#stdout += chunk.toString();
      this.#heard();
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once("close", (code) => {
        resolve({ code, stdout: this.#stdout, stderr: this.#stderr });
        this.#heard();
      });
    });
  }

  static start(folder: string, ...args: readonly string[]): DevProcess {
    return new DevProcess(folder, args, path.join(root, "examples/application"));
  }

  /** For another project than the example. */
  static startIn(folder: string, project: string): DevProcess {
    return new DevProcess(folder, [], project);
  }

  /** Resolves when the text was printed. @throws Error with all output when the process ends before */
  printed(text: string): Promise<void> {
    return this.#printedFrom(text, 0);
  }

  /** Resolves when the text is printed from now on. */
  printedAgain(text: string): Promise<void> {
    return this.#printedFrom(text, this.#stdout.length);
  }

  async #printedFrom(text: string, start: number): Promise<void> {
    while (!this.#stdout.includes(text, start)) {
      if (this.#child.exitCode !== null)
        throw new Error(`ended without "${text}":\n${this.#stdout}${this.#stderr}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  /** Resolves when the process has ended. */
  ended(): Promise<Ended> {
    return this.#ended;
  }

  /** Nobody reads its output any more, as when `head` has seen enough. */
  closeOutput(): void {
    this.#child.stdout?.destroy();
  }

  /** Ctrl-C. */
  interrupt(): Promise<Ended> {
    this.#child.kill("SIGINT");
    return this.#ended;
  }

  /** kill -9. */
  kill(): Promise<Ended> {
    this.#child.kill("SIGKILL");
    return this.#ended;
  }

  /** Runs the real kubectl against it. Never rejects: a failed command is an answer too. */
  kubectl(...args: readonly string[]): Promise<Ended> {
    return runClient("kubectl", args, { KUBECONFIG: this.kubeconfig });
  }
}

/** Runs a real client program with its cache in a folder of the test's own. */
export function runClient(
  name: "kubectl" | "helm",
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  input?: string,
): Promise<Ended> {
  const home = path.dirname(environment["KUBECONFIG"] ?? os.tmpdir());
  return new Promise((resolve) => {
    const child = execFile(
      realClient(name),
      [...args],
      { env: { ...process.env, HOME: home, ...environment }, maxBuffer: 64 << 20 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(input);
  });
}
