import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { writeGenerated } from "../scaffold/write-generated.ts";
import type { CommandContext } from "./context.ts";
import { settingsOf } from "./edit.ts";
import { type DeploymentFlags, rememberSettings, withDeploymentFlags } from "./generate.ts";

type Flags = DeploymentFlags & {
  readonly outputFolder: string;
  readonly check?: boolean;
  readonly force?: boolean;
};

/** `bowline chart`: a Helm chart from the program. */
export function addChartCommand(program: Command, context: CommandContext): void {
  withDeploymentFlags(
    program
      .command("chart")
      .description("write a Helm chart from the program; what was edited in it stays")
      .option("--output-folder <folder>", "where to", "deploy/chart")
      .option("--check", "write nothing; exit code 1 when something would change")
      .option("--force", "overwrite files that were edited"),
  ).action(async (flags: Flags) => {
    const folder = context.workingFolder;
    const [{ projectModel }, { chartFiles }] = await Promise.all([
      import("../manifests/project-model.ts"),
      import("../chart/chart-files.ts"),
    ]);
    const model = await projectModel(folder, settingsOf(flags));
    const files = chartFiles(model, flags.outputFolder, versionOf(folder));
    writeGenerated(files, { below: [`${flags.outputFolder}/templates`], command: "chart" }, flags, context);
    if (flags.check !== true) rememberSettings(folder, flags);
  });
}

/** Of package.json. */
export function versionOf(folder: string): string {
  const file = path.join(folder, "package.json");
  if (!existsSync(file)) return "0.1.0";
  return (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version ?? "0.1.0";
}
