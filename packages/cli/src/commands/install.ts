import type { Client } from "@bowline/client";
import type { Command } from "commander";
import { type ClusterFlags, withClusterFlags } from "../connection.ts";
import { UsageError } from "../errors.ts";
import type { DeploymentModel, Manifest } from "../manifests/model.ts";
import type { Output } from "../output/output.ts";
import type { CommandContext } from "./context.ts";
import { type DeploymentFlags, rememberSettings, withDeploymentFlags } from "./generate.ts";
import { settingsOf } from "./edit.ts";

type Flags = ClusterFlags &
  DeploymentFlags & { readonly keepCrds?: boolean; readonly wait?: boolean; readonly timeout?: string };

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
  withDeploymentFlags(command("deploy", "deploy the operator into the cluster, and wait until it is ready"))
    .option("--no-wait", "do not wait")
    .option("--timeout <seconds>", "how long to wait", "120")
    .action((flags: Flags) => change("deploy", flags, context));
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
  const { projectModel } = await import("../manifests/project-model.ts");
  const timeoutMs = Number(flags.timeout ?? 120) * 1000;
  if (!(timeoutMs > 0)) throw new UsageError("--timeout must be a number of seconds above 0");
  const model = await projectModel(folder, settingsOf(flags));
  const { withCluster } = await import("../connection.ts");
  await withCluster(flags, (client) => changes[what](client, model, { flags, timeoutMs }, context.output));
  if (what === "deploy") rememberSettings(folder, flags);
}

type Change = (
  client: Client,
  model: DeploymentModel,
  options: { readonly flags: Flags; readonly timeoutMs: number },
  output: Output,
) => Promise<void>;

const changes: Readonly<Record<"install" | "uninstall" | "deploy" | "undeploy", Change>> = {
  async install(client, model, _options, output) {
    const [{ crdManifests }, { applyManifests }] = await manifestModules();
    await applyManifests(client, crdManifests(model), output);
  },
  async uninstall(client, model, _options, output) {
    const [{ crdManifests }, { deleteManifests }] = await manifestModules();
    await deleteManifests(client, crdManifests(model), output);
  },
  async deploy(client, model, { flags, timeoutMs }, output) {
    const [, { applyManifests }, { allManifests }] = await manifestModules();
    const { waitForManager } = await import("../manifests/rollout.ts");
    await applyManifests(client, allManifests(model), output);
    if (flags.wait !== false) await waitForManager(client, model, timeoutMs, output);
  },
  async undeploy(client, model, { flags }, output) {
    const [{ crdManifests }, { deleteManifests, stopConversions }, { allManifests }] =
      await manifestModules();
    const { managersOwnManifests } = await import("../manifests/webhooks.ts");
    const isCrd = (manifest: Manifest): boolean => manifest.kind === "CustomResourceDefinition";
    const all = allManifests(model);
    // deleted in the reverse order: the webhooks when nobody serves them any more, and before their kinds
    const others = [...managersOwnManifests(model), ...all.filter((manifest) => !isCrd(manifest))];
    await deleteManifests(
      client,
      flags.keepCrds === true ? others : [...all.filter(isCrd), ...others],
      output,
    );
    if (flags.keepCrds === true) await stopConversions(client, crdManifests(model), output);
  },
};

function manifestModules() {
  return Promise.all([
    import("../manifests/crds.ts"),
    import("../manifests/apply.ts"),
    import("../manifests/layout.ts"),
  ]);
}
