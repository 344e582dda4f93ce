import { createClient, createHttpTransport, loadConnection } from "@bowline/client";
import { type OperatorDefinition, createManager, managerFlags } from "@bowline/runtime";
import type { Transport } from "@bowline/client";
import { type ClusterFlags, withCluster } from "../connection.ts";
import { crdManifests } from "../manifests/crds.ts";
import { applyManifests } from "../manifests/apply.ts";
import { deploymentModel } from "../manifests/project-model.ts";
import type { Output } from "../output/output.ts";
import { loadProject } from "../project.ts";

export interface RunOptions extends ClusterFlags {
  readonly embedded?: boolean;
  /** Flags of the manager. */
  readonly args: readonly string[];
}

/** Runs the operator of a project until SIGINT or SIGTERM. */
export async function runProject(folder: string, options: RunOptions, output: Output): Promise<void> {
  const { operator } = await loadProject(folder);
  if (options.embedded === true) return runEmbedded(operator, options, output);
  // a clear sentence now, instead of an operator that waits for a cluster for ever
  await withCluster(
    options,
    async (client) => void (await client.mapper.resourceFor({ apiVersion: "v1", kind: "Namespace" })),
  );
  const connection = await loadConnection({ kubeconfig: options.kubeconfig, context: options.context });
  const transport = createHttpTransport(connection, { userAgent: operator.name });
  try {
    await runManager(operator, transport, { ...options, namespace: connection.namespace });
  } finally {
    await transport.close();
  }
}

async function runEmbedded(operator: OperatorDefinition, options: RunOptions, output: Output): Promise<void> {
  const { createCluster } = await import("@bowline/cluster");
  const cluster = await createCluster();
  try {
    const { url } = await cluster.listen();
    output.write(`embedded API server at ${url}\n`);
    const client = createClient({
      transport: cluster.transport({ userAgent: "bowline" }),
      fieldManager: "bowline",
    });
    await applyManifests(client, crdManifests(deploymentModel(operator, undefined, {})), output);
    await runManager(operator, cluster.transport({ userAgent: operator.name }), {
      ...options,
      namespace: "default",
    });
  } finally {
    await cluster.close();
  }
}

async function runManager(
  operator: OperatorDefinition,
  transport: Transport,
  options: { readonly args: readonly string[]; readonly namespace: string },
): Promise<void> {
  const flags = managerFlags(options.args, { environment: process.env });
  const manager = createManager({
    ...flags.managerOptions(operator.name, options.namespace),
    transport,
    name: operator.name,
    controllers: operator.controllers,
    ...(operator.webhooks === undefined ? {} : { webhooks: operator.webhooks }),
  });
  await manager.run();
}
