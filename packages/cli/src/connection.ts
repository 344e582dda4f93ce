/** The cluster that a command works in. */
import {
  type Client,
  type Connection,
  createClient,
  createHttpTransport,
  isConnectionError,
  loadConnection,
} from "@bowline/client";
import type { Command } from "commander";
import { CommandError, messageOf } from "./errors.ts";

export interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds the flags by which all commands that need a cluster are told which. */
export function withClusterFlags(command: Command): Command {
  return command
    .option("--kubeconfig <file>", "kubeconfig; default: KUBECONFIG, else ~/.kube/config")
    .option("--context <name>", "context of the kubeconfig");
}

/**
 * Does work with a client, and closes its connections afterwards.
 * @throws CommandError when no cluster answers, saying which was tried
 */
export async function withCluster<T>(
  flags: ClusterFlags,
  work: (client: Client, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await loadConnection({ kubeconfig: flags.kubeconfig, context: flags.context });
  const transport = createHttpTransport(connection, { userAgent: "bowline" });
  try {
    return await work(createClient({ transport, fieldManager: "bowline" }), connection);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new CommandError(
      `no cluster answers at ${connection.server}: ${messageOf(error)}; bowline cluster start gives you one`,
      { cause: error },
    );
  } finally {
    await transport.close();
  }
}
