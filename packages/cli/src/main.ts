import { Command, CommanderError } from "commander";
import { addDevCommand } from "./commands/dev.ts";
import { type Output, processOutput } from "./output/output.ts";
import { UsageError, messageOf } from "./errors.ts";

/**
 * Runs one command line. Resolves with the exit code: 0, 1 when the work failed, 2 for a wrong command line.
 * @param args without `node` and the program
 */
export async function main(args: readonly string[], output: Output = processOutput): Promise<number> {
  let code = 0;
  const program = new Command("bowline")
    .description("Kubernetes operators in TypeScript: scaffold, run, test and deploy")
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => output.error(text) });
  addDevCommand(program, output, (result) => {
    code = result;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.error(`error: ${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}
