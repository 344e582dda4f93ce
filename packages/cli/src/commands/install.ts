import type { Command } from "commander";
import { type ClusterFlags, withClusterFlags } from "../connection.ts";
import type { CommandContext } from "./context.ts";
import { type DeploymentFlags, rememberSettings, withDeploymentFlags } from "./generate.ts";
import { settingsOf } from "./edit.ts";

type Flags = ClusterFlags & DeploymentFlags & { readonly keepCrds?: boolean };

/** `bowline install`, `uninstall`, `deploy`, `undeploy`: the project's manifests into a cluster and out of it. */
export function addInstallCommands(program: Command, context: CommandContext): void {
  const command = (name: string, text: string): Command =>
    withClusterFlags(program.command(name).description(text));
  command("install", "install the CRDs of the project into the cluster").action((flags: Flags) =>
    change("install", flags, context),
  );
  command(
    "uninstall",
    "remove the CRDs of the project from the cluster, and with them all their objects",
  ).action((flags: Flags) => change("uninstall", flags, context));
  withDeploymentFlags(command("deploy", "deploy the operator into the cluster")).action((flags: Flags) =>
    change("deploy", flags, context),
  );
  withDeploymentFlags(command("undeploy", "remove the operator from the cluster"))
    .option("--keep-crds", "leave the CRDs and all their objects")
    .action((flags: Flags) => change("undeploy", flags, context));
}

async function change(
  what: "install" | "uninstall" | "deploy" | "undeploy",
  flags: Flags,
  context: CommandContext,
): Promise<void> {
  const folder = context.workingFolder;
  const [
    { projectModel },
    { allManifests },
    { crdManifests },
    { applyManifests, deleteManifests },
    { withCluster },
  ] = await Promise.all([
    import("../manifests/project-model.ts"),
    import("../manifests/layout.ts"),
    import("../manifests/crds.ts"),
    import("../manifests/apply.ts"),
    import("../connection.ts"),
  ]);
  const model = await projectModel(folder, settingsOf(flags));
  const all = what === "deploy" || what === "undeploy" ? allManifests(model) : crdManifests(model);
  const wanted =
    flags.keepCrds === true ? all.filter((manifest) => manifest.kind !== "CustomResourceDefinition") : all;
  await withCluster(flags, async (client) => {
    if (what === "install" || what === "deploy") await applyManifests(client, wanted, context.output);
    else await deleteManifests(client, wanted, context.output);
  });
  if (what === "deploy") rememberSettings(folder, flags);
}
