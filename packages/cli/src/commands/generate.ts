import type { Command } from "commander";
import { findProjectFile, writeProjectFile } from "../scaffold/project-file.ts";
import { writeGenerated } from "../scaffold/write-generated.ts";
import type { CommandContext } from "./context.ts";
import { booleanFlag } from "./create-api.ts";
import { settingsOf, withSettings } from "./edit.ts";

/** Flags of how an operator is deployed. */
export interface DeploymentFlags {
  readonly image?: string;
  readonly namespace?: string;
  readonly replicas?: string;
  readonly certManager?: boolean;
}

/** Adds them to a command. */
export function withDeploymentFlags(command: Command): Command {
  return command
    .option("--image <image>", "image of the operator; remembered in PROJECT")
    .option("--namespace <namespace>", "namespace it is deployed into; remembered in PROJECT")
    .option("--replicas <count>", "how many replicas; remembered in PROJECT")
    .option(
      "--cert-manager [bool]",
      "certificates come from cert-manager; remembered in PROJECT",
      booleanFlag,
    );
}

/** Writes what the flags say into PROJECT, for those who have one. */
export function rememberSettings(folder: string, flags: DeploymentFlags): void {
  const project = findProjectFile(folder);
  if (project === undefined) return;
  const changed = withSettings(project, settingsOf(flags));
  if (JSON.stringify(changed) !== JSON.stringify(project)) writeProjectFile(folder, changed);
}

const generatedFolders = ["crd", "manager", "rbac", "webhook", "certmanager", "network-policy"].map(
  (name) => `config/${name}`,
);

/** `bowline generate`: all manifests from the program. */
export function addGenerateCommand(program: Command, context: CommandContext): void {
  withDeploymentFlags(
    program
      .command("generate")
      .description(
        "write CRDs, RBAC, webhooks and deployment from the program into config/ and deploy/install.yaml",
      )
      .option("--check", "write nothing; exit code 1 when something would change")
      .option("--force", "overwrite files that were edited"),
  ).action(async (flags: DeploymentFlags & { check?: boolean; force?: boolean }) => {
    const folder = context.workingFolder;
    const [{ projectModel }, { layoutFiles }] = await Promise.all([
      import("../manifests/project-model.ts"),
      import("../manifests/layout.ts"),
    ]);
    const { sampleFiles } = await import("../project.ts");
    const model = await projectModel(folder, settingsOf(flags));
    const files = layoutFiles(model, sampleFiles(folder));
    writeGenerated(files, { below: generatedFolders, command: "generate" }, flags, context);
    if (flags.check !== true) rememberSettings(folder, flags);
  });
}
