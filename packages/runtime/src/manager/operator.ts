import type { AnyCustomKind, Crd } from "@bowline/api";
import { type LoadConnectionOptions, createHttpTransport, loadConnection } from "@bowline/client";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { WebhookDefinition } from "../webhook/define-webhook.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { createManager } from "./manager.ts";

/** What an operator is made of. Running it, testing it and writing its manifests all start from this one value. */
export interface OperatorDefinition {
  /** In logs, events, the Lease and the names of manifests: `application-operator`. */
  readonly name: string;
  /** The custom kinds it brings: one value each, or one `defineCrd` for the versions of a kind. */
  readonly kinds: readonly (AnyCustomKind | Crd)[];
  readonly controllers: readonly ControllerDefinition[];
  readonly webhooks?: readonly WebhookDefinition[];
}

/** Says what an operator is made of; checks nothing and starts nothing. */
export function defineOperator(definition: OperatorDefinition): OperatorDefinition {
  return definition;
}

export interface RunOperatorOptions {
  /** Which cluster. Default: KUBECONFIG, else the pod's own, else `~/.kube/config`. */
  readonly connection?: LoadConnectionOptions;
  /** What else the manager is told: leader election, logger, limits. */
  readonly manager?: Omit<ManagerOptions, "transport" | "controllers" | "webhooks" | "name">;
  /** Ends the run, beside SIGINT and SIGTERM. */
  readonly signal?: AbortSignal;
}

/**
 * Runs an operator until SIGINT or SIGTERM, in the cluster of the kubeconfig or of the pod it runs in.
 * @throws ConfigError when there is no usable configuration
 */
export async function runOperator(
  operator: OperatorDefinition,
  options: RunOperatorOptions = {},
): Promise<void> {
  const connection = await loadConnection(options.connection);
  const transport = createHttpTransport(connection, { userAgent: operator.name });
  const manager = createManager({
    ...options.manager,
    transport,
    name: operator.name,
    controllers: operator.controllers,
    ...(operator.webhooks === undefined ? {} : { webhooks: operator.webhooks }),
  });
  try {
    await manager.run(options.signal);
  } finally {
    await transport.close();
  }
}
