import { type Client, systemClock } from "@bowline/client";
import type { Command } from "commander";
import { type ClusterFlags, withCluster, withClusterFlags } from "../connection.ts";
import type { Finding } from "../doctor/finding.ts";
import { CommandError, UsageError, messageOf } from "../errors.ts";
import type { DeploymentModel } from "../manifests/model.ts";
import type { CommandContext } from "./context.ts";

type Flags = ClusterFlags & { readonly cluster: boolean; readonly output: string };

/** `bowline doctor`: what is wrong with the project and the cluster. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  withClusterFlags(
    program
      .command("doctor")
      .description(
        "say what is wrong with the project and its cluster, and what to do; exit code 1 when something is",
      )
      .option("--no-cluster", "look at the project only")
      .option("-o, --output <format>", "text or json", "text"),
  ).action((flags: Flags) => doctor(flags, context));
}

async function doctor(flags: Flags, context: CommandContext): Promise<void> {
  if (flags.output !== "text" && flags.output !== "json") {
    throw new UsageError(`--output ${flags.output}: text or json`);
  }
  const { checkProject } = await import("../doctor/project-checks.ts");
  const { findings, model } = await checkProject(context.workingFolder);
  if (flags.cluster && model !== undefined) findings.push(...(await checkCluster(flags, model)));
  if (flags.output === "json") context.output.write(`${JSON.stringify(findings, undefined, 2)}\n`);
  else context.output.write(textOf(findings));
  context.finish(findings.length === 0 ? 0 : 1);
}

function textOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return "nothing is wrong\n";
  return findings
    .map(({ check, where, what, todo }) => `${where}: ${what} (${check})\n    ${todo}\n`)
    .join("");
}

async function checkCluster(flags: ClusterFlags, model: DeploymentModel): Promise<Finding[]> {
  try {
    return await withCluster(flags, (client) => clusterFindings(client, model));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const todo = "name another with --kubeconfig or --context, or look at the project only with --no-cluster";
    return [{ check: "cluster-unreachable", where: "cluster", what: messageOf(error), todo }];
  }
}

/** Roles, webhooks and the Lease are looked at only where the operator is deployed. */
async function clusterFindings(client: Client, model: DeploymentModel): Promise<Finding[]> {
  const [{ checkCrds }, { checkAccess }, { checkLease, checkManager }, { checkWebhooks }] = await Promise.all(
    [
      import("../doctor/crd-checks.ts"),
      import("../doctor/access-checks.ts"),
      import("../doctor/manager-checks.ts"),
      import("../doctor/webhook-checks.ts"),
    ],
  );
  const now = systemClock.now();
  const manager = await checkManager(client, model);
  const isDeployed = manager !== undefined;
  return [
    ...(await checkCrds(client, model)),
    ...(manager ?? []),
    ...(isDeployed ? await checkAccess(client, model) : []),
    ...(await checkLease(client, model, now)),
    ...(await checkWebhooks(client, model, { now, isDeployed })),
  ];
}
