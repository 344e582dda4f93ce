/** The command line in the test's own process, with its output caught and its questions answered. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../src/main.ts";
import { temporaryFolder } from "./dev-process.ts";

export const root: string = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder of the test's own in which commands run. */
export class CommandLine {
  readonly folder: string;
  readonly #remove: () => void;
  /** Answers to questions, in their order; nobody is at the terminal when there are none. */
  answers: string[] = [];
  readonly questions: string[] = [];

  constructor() {
    const { folder, remove } = temporaryFolder();
    this.folder = folder;
    this.#remove = remove;
  }

  run(...args: readonly string[]): Promise<Answer> {
    return this.runIn(this.folder, ...args);
  }

  /** Runs a command in another folder. */
  async runIn(folder: string, ...args: readonly string[]): Promise<Answer> {
    let [stdout, stderr] = ["", ""];
    const code = await main(args, {
      workingFolder: folder,
      ask: async (question) => {
        this.questions.push(question);
        return this.answers.shift();
      },
      output: {
        write: (text) => void (stdout += text),
        error: (text) => void (stderr += text),
        isTerminal: false,
        columns: 120,
      },
    });
    return { code, stdout, stderr };
  }

  /** Runs the compiled command in a process of its own, as a person does. */
  exec(...args: readonly string[]): Promise<Answer> {
    const bin = path.join(root, "packages/cli/dist/bin.js");
    const env = { ...process.env, KUBECONFIG: path.join(this.folder, ".bowline/kubeconfig"), NO_COLOR: "1" };
    return new Promise((resolve) => {
      execFile(process.execPath, [bin, ...args], { cwd: this.folder, env }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ code, stdout, stderr });
      });
    });
  }

  /** Runs a command that must succeed. */
  async ok(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
    return stdout;
  }

  read(file: string): string {
    return readFileSync(path.join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), text);
  }

  has(file: string): boolean {
    return existsSync(path.join(this.folder, file));
  }

  /** All files with their texts, for comparing before and after. */
  snapshot(): Record<string, string> {
    const files = readdirSync(this.folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(this.folder, path.join(entry.parentPath, entry.name)))
      .filter((file) => !file.startsWith("node_modules") && !file.startsWith(".bowline"));
    return Object.fromEntries(files.sort().map((file) => [file, this.read(file)]));
  }

  /** Stands in for `npm install`: the repository's own packages, without any download. */
  linkPackages(): void {
    symlinkSync(path.join(root, "node_modules"), path.join(this.folder, "node_modules"));
  }

  remove(): void {
    this.#remove();
  }
}
