import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import {
  type DeploymentSettings,
  type ProjectFile,
  layout,
  readProjectFile,
  writeProjectFile,
} from "../scaffold/project-file.ts";
import type { CommandContext } from "./context.ts";
import { booleanFlag } from "./create-api.ts";

interface EditFlags {
  readonly namespaced?: boolean;
  readonly image?: string;
  readonly namespace?: string;
  readonly replicas?: string;
  readonly certManager?: boolean;
}

/** `bowline edit`: changes what the project remembers. */
export function addEditCommand(program: Command, context: CommandContext): void {
  program
    .command("edit")
    .description("change the settings of the project; bowline generate then writes the manifests anew")
    .option("--namespaced [bool]", "the operator works in its own namespace only", booleanFlag)
    .option("--image <image>", "image of the deployed operator")
    .option("--namespace <namespace>", "namespace it is deployed into")
    .option("--replicas <count>", "how many replicas; more than one are spread over zones")
    .option("--cert-manager [bool]", "certificates of webhooks come from cert-manager", booleanFlag)
    .action((flags: EditFlags) => {
      const project = readProjectFile(context.workingFolder);
      if (Object.keys(flags).length === 0)
        throw new UsageError("say what to change: bowline edit --help shows what there is");
      const { namespaced, ...settings } = flags;
      const edited: ProjectFile = namespaced === undefined ? project : { ...project, namespaced };
      writeProjectFile(context.workingFolder, withSettings(edited, settingsOf(settings)));
      context.output.write("updated   PROJECT\n");
    });
}

/** Settings as flags give them. @throws UsageError for a count that is none */
export function settingsOf(flags: {
  image?: string;
  namespace?: string;
  replicas?: string;
  certManager?: boolean;
}): DeploymentSettings {
  const replicas = flags.replicas === undefined ? undefined : Number(flags.replicas);
  if (replicas !== undefined && (!Number.isInteger(replicas) || replicas < 1)) {
    throw new UsageError("--replicas must be a whole number above 0");
  }
  return {
    ...(flags.image === undefined ? {} : { image: flags.image }),
    ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(flags.certManager === undefined ? {} : { certManager: flags.certManager }),
  };
}

/** The project with these settings remembered; the same one when there is nothing new. */
export function withSettings(project: ProjectFile, settings: DeploymentSettings): ProjectFile {
  if (Object.keys(settings).length === 0) return project;
  return {
    ...project,
    plugins: { ...project.plugins, [layout]: { ...project.plugins?.[layout], ...settings } },
  };
}
