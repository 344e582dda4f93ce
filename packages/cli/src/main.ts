import { Command, CommanderError } from "commander";
import { addImageCommands } from "./commands/build.ts";
import { addBundleCommand } from "./commands/bundle.ts";
import { addChartCommand } from "./commands/chart.ts";
import { addClusterCommand } from "./commands/cluster.ts";
import { addCompletionCommand } from "./commands/completion.ts";
import type { CommandContext } from "./commands/context.ts";
import { addCreateApiCommand } from "./commands/create-api.ts";
import { addCreateWebhookCommand } from "./commands/create-webhook.ts";
import { addDevCommand } from "./commands/dev.ts";
import { addDoctorCommand } from "./commands/doctor.ts";
import { addEditCommand } from "./commands/edit.ts";
import { addGenerateCommand } from "./commands/generate.ts";
import { addImportCommand } from "./commands/import.ts";
import { addInitCommand } from "./commands/init.ts";
import { addInstallCommands } from "./commands/install.ts";
import { addRbacCommand } from "./commands/rbac.ts";
import { addRenderCommand } from "./commands/render.ts";
import { addRunCommand } from "./commands/run.ts";
import { UsageError, messageOf } from "./errors.ts";
import { type Output, processOutput } from "./output/output.ts";
import { type Ask, terminalAsk } from "./output/prompter.ts";
import { packageVersion } from "./package-version.ts";

/** What a test puts in the place of the process. */
export interface MainOptions {
  readonly output?: Output;
  readonly ask?: Ask;
  readonly workingFolder?: string;
}

/**
 * Runs one command line. Resolves with the exit code: 0, 1 when the work failed, 2 for a wrong command line.
 * @param args without `node` and the program
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { output = processOutput, ask = terminalAsk, workingFolder = process.cwd() } = options;
  let code = 0;
  const context: CommandContext = { output, ask, workingFolder, finish: (result) => (code = result) };
  try {
    checkNode(process.versions.node);
    await program(context).parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    output.error(`error: ${messageOf(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** @throws UsageError for a Node that is too old to load what the packages depend on */
export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new UsageError(`Node ${version} is too old: 20.19 or newer is needed`);
}

function program(context: CommandContext): Command {
  const { output } = context;
  const all = new Command("bowline")
    .description("Kubernetes operators in TypeScript: scaffold, run, test and deploy")
    .version(packageVersion(), "--version", "print the version")
    .enablePositionalOptions()
    .showHelpAfterError("(--help shows what there is)")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => output.error(text) });
  addInitCommand(all, context);
  const create = all.command("create").description("add a kind or webhooks to the project");
  addCreateApiCommand(create, context);
  addCreateWebhookCommand(create, context);
  addImportCommand(all, context);
  addEditCommand(all, context);
  addGenerateCommand(all, context);
  addRbacCommand(all, context);
  addImageCommands(all, context);
  addChartCommand(all, context);
  addBundleCommand(all, context);
  addInstallCommands(all, context);
  addRunCommand(all, context);
  addRenderCommand(all, context);
  addDevCommand(all, context);
  addDoctorCommand(all, context);
  addClusterCommand(all, context);
  addCompletionCommand(all, context);
  all
    .command("version")
    .description("print the versions of bowline and Node")
    .action(() => output.write(`bowline ${packageVersion()}, Node ${process.versions.node}\n`));
  return all;
}
