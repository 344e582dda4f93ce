/** `bowline dev --context`: the operator on this machine, in a cluster that others may use too. */
import path from "node:path";
import { Deployment } from "@bowline/api/apps/v1";
import {
  type Client,
  type Connection,
  createClient,
  isConnectionError,
  loadConnection,
  systemClock,
  systemRandom,
} from "@bowline/client";
import { BorrowedLease, checkElects, leaseOf } from "../dev/borrowed-lease.ts";
import { type ContextFlags, ContextTarget } from "../dev/context-target.ts";
import { KeptWebhooks } from "../dev/kept-webhooks.ts";
import { CommandError, UsageError, messageOf } from "../errors.ts";
import { type DeploymentModel, hasWebhooks, nameOf } from "../manifests/model.ts";
import { deploymentModel } from "../manifests/project-model.ts";
import type { Output } from "../output/output.ts";
import type { Ask } from "../output/prompter.ts";
import { loadProject } from "../project.ts";
import { findProjectFile } from "../scaffold/project-file.ts";
import { stopSignal } from "../stop-signal.ts";
import { DevSession } from "./dev-session.ts";
import type { DevOptions } from "./run-dev.ts";

export interface ContextOptions extends Omit<DevOptions, "kubeconfig" | "port">, ContextFlags {
  /** Goes on without asking. */
  readonly yes: boolean;
  /** `NAMESPACE/NAME` of the lease to borrow; true: the one that `bowline deploy` gives the operator. */
  readonly takeover?: string | true | undefined;
}

/**
 * Runs the operator in the cluster of a context until Ctrl-C. What it changes there for itself (webhooks, the lease) is put
 * back; kinds and objects stay. Resolves with the exit code.
 * @throws UsageError when nobody says yes, CommandError when no cluster answers or the deployed operator cannot stand by
 */
export async function runDevOnContext(options: ContextOptions, output: Output, ask: Ask): Promise<number> {
  const { operator } = await loadProject(options.folder);
  const model = deploymentModel(operator, findProjectFile(options.folder), {});
  const connection = await loadConnection({ kubeconfig: options.kubeconfig, context: options.context });
  const target = new ContextTarget(connection, options);
  const stop = stopSignal();
  try {
    await confirm(connection, options, output, ask);
    const client = createClient({ transport: target.transport("bowline-dev"), fieldManager: "bowline-dev" });
    await checkAnswers(client, connection);
    sayAboutWebhooks(model, options, output);
    const work = (signal: AbortSignal): Promise<number> =>
      runSession({ client, connection, target, options, output, signal });
    if (options.takeover !== undefined)
      return await withLease(options.takeover, model, { client, output, signal: stop.signal }, work);
    await warnOfDeployed(client, model, output);
    return await work(stop.signal);
  } finally {
    await target.close();
    stop.dispose();
  }
}

/** A slip of the context must not write into production. */
async function confirm(
  connection: Connection,
  { context, yes }: ContextOptions,
  output: Output,
  ask: Ask,
): Promise<void> {
  output.write(`context ${context}: ${connection.server}, namespace ${connection.namespace}\n`);
  if (yes) return;
  const answer = await ask("Apply the kinds of this project and run its operator there? [y/n]", "n");
  if (answer === undefined)
    throw new UsageError(
      "there is no terminal to ask whether this is the right cluster: --yes says that it is",
    );
  if (!/^y(es)?$/i.test(answer)) throw new UsageError("nothing was changed");
}

async function checkAnswers(client: Client, connection: Connection): Promise<void> {
  try {
    await client.mapper.resourceFor({ apiVersion: "v1", kind: "Namespace" });
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new CommandError(`no cluster answers at ${connection.server}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function sayAboutWebhooks(model: DeploymentModel, { webhookHost }: ContextOptions, output: Output): void {
  if (!hasWebhooks(model.operator) || webhookHost !== undefined) return;
  output.write(
    "the webhooks of this project are not served: the API server would have to reach this machine. " +
      "--webhook-host HOST says at which name or address it does\n",
  );
}

async function warnOfDeployed(client: Client, model: DeploymentModel, output: Output): Promise<void> {
  const name = nameOf(model, "controller-manager");
  const deployment = await client.find(Deployment, { namespace: model.namespace, name });
  if ((deployment?.status?.readyReplicas ?? 0) === 0) return;
  output.write(
    `deployment ${model.namespace}/${name} runs too, and both act on the same objects: --takeover makes it stand by\n`,
  );
}

interface Ends {
  readonly client: Client;
  readonly output: Output;
  readonly signal: AbortSignal;
}

async function withLease(
  takeover: string | true,
  model: DeploymentModel,
  { client, output, signal }: Ends,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const lease = leaseOf(takeover, model);
  await checkElects(client, model, lease);
  const say = (text: string): void => output.write(`${text}\n`);
  const borrowed = await BorrowedLease.borrow({
    ...{ client, lease, say, signal },
    clock: systemClock,
    random: systemRandom,
  });
  if (borrowed === undefined) return 0;
  try {
    const code = await work(AbortSignal.any([signal, borrowed.lost]));
    if (!borrowed.lost.aborted) return code;
    throw new CommandError(`the operator here has stopped: ${messageOf(borrowed.lost.reason)}`);
  } finally {
    await borrowed.giveBack();
    if (!borrowed.lost.aborted) say(`lease ${lease.namespace}/${lease.name} given back`);
  }
}

interface SessionParts extends Ends {
  readonly connection: Connection;
  readonly target: ContextTarget;
  readonly options: ContextOptions;
}

async function runSession({
  client,
  connection,
  target,
  options,
  output,
  signal,
}: SessionParts): Promise<number> {
  const kept =
    target.webhookServer === false ? undefined : new KeptWebhooks({ client, file: fileOf(connection) });
  try {
    const session = await DevSession.start(target, options, output, {
      beforeOperator: async (operator) => kept?.setAside(operator),
    });
    try {
      return await session.follow(signal);
    } finally {
      await session.close();
    }
  } finally {
    await kept?.putBack();
  }
}

/** One for each cluster. */
function fileOf({ server }: Connection): string {
  const { host } = new URL(server);
  return path.join(".bowline", `webhooks-of-${host.replace(/[^\w.-]/g, "-")}.json`);
}
