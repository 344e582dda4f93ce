import type { AnyCustomKind, Crd } from "@bowline/api";
import {
  type LoadConnectionOptions,
  createHttpTransport,
  loadConnection,
  systemClock,
} from "@bowline/client";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { ConversionDefinition } from "../webhook/define-conversion.ts";
import type { WebhookDefinition } from "../webhook/define-webhook.ts";
import { managerFlags } from "./manager-flags.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { createManager } from "./manager.ts";
import { throttleLog } from "./throttle-log.ts";

/** A permission beyond those that follow from the controllers. Source: rbac.authorization.k8s.io/v1 PolicyRule. */
export interface Permission {
  /** `""` is the core group. */
  readonly apiGroups?: readonly string[];
  /** `secrets`, `pods/exec`. */
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  /** `/metrics`. */
  readonly nonResourceURLs?: readonly string[];
}

/** What an operator is made of. Running it, testing it and writing its manifests all start from this one value. */
export interface OperatorDefinition {
  /** In logs, events, the Lease and the names of manifests: `application-operator`. */
  readonly name: string;
  /** The custom kinds it brings: one value each, or one `defineCrd` for the versions of a kind. */
  readonly kinds: readonly (AnyCustomKind | Crd)[];
  readonly controllers: readonly ControllerDefinition[];
  readonly webhooks?: readonly (WebhookDefinition | ConversionDefinition)[];
  /**
   * What it may do beside what its controllers declare. `bowline generate` derives the rest: reading what they are for, own
   * and watch, writing what they own, status, finalizers, events and the lease.
   */
  readonly permissions?: readonly Permission[];
}

/** Says what an operator is made of; checks nothing and starts nothing. */
export function defineOperator(definition: OperatorDefinition): OperatorDefinition {
  return definition;
}

export interface RunOperatorOptions {
  /**
   * Flags as managers have them: `["--leader-elect", "--metrics-bind-address=:8443"]`; `--help` is answered by the error.
   * What is given beside them in `connection` and `manager` wins.
   */
  readonly args?: readonly string[];
  /** Which cluster. Default: KUBECONFIG, else the pod's own, else `~/.kube/config`. */
  readonly connection?: LoadConnectionOptions;
  /** What else the manager is told: leader election, logger, limits. */
  readonly manager?: Omit<ManagerOptions, "transport" | "controllers" | "webhooks" | "name">;
  /** Ends the run, beside SIGINT and SIGTERM. */
  readonly signal?: AbortSignal;
}

/**
 * Runs an operator until SIGINT or SIGTERM, in the cluster of the kubeconfig or of the pod it runs in.
 * @throws ConfigError when there is no usable configuration, MisuseError for flags that are none
 */
export async function runOperator(
  operator: OperatorDefinition,
  options: RunOperatorOptions = {},
): Promise<void> {
  const flags = managerFlags(options.args ?? [], { environment: process.env });
  const connection = await loadConnection({ ...flags.connection, ...options.connection });
  const onWait = throttleLog(options.manager?.clock ?? systemClock, () => manager.log);
  const transport = createHttpTransport(connection, { userAgent: operator.name, observer: { onWait } });
  const manager = createManager({
    ...flags.managerOptions(operator.name, connection.namespace),
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
