import type { Output } from "../output/output.ts";
import type { Ask } from "../output/prompter.ts";

/** What every command gets. */
export interface CommandContext {
  readonly output: Output;
  readonly ask: Ask;
  /** The folder the command was started in. */
  readonly workingFolder: string;
  /** Sets the exit code. */
  finish(code: number): void;
}
