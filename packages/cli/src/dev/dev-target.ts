/** The cluster that `bowline dev` works in. */
import type { Transport } from "@bowline/client";
import type { Cluster } from "@bowline/cluster";
import type { WebhookServerOptions } from "@bowline/runtime";

export interface DevTarget {
  transport(userAgent: string): Transport;
  /** Starts what belongs to the cluster itself, when it is ours. Called when the kinds are installed. */
  start(): Promise<void>;
  /** Where the operator's webhooks are served, and how the API server reaches them; false: nowhere. */
  readonly webhookServer: WebhookServerOptions | false;
  /** The samples of the project are applied when none is named. */
  readonly appliesSamples: boolean;
  /** Where objects go that name no namespace. */
  readonly namespace: string;
  /** What a person types before `kubectl` talks to it. */
  readonly kubectlSetup: string;
}

/** The cluster in this process: everything on it is ours to change. */
export function embeddedTarget(cluster: Cluster, kubeconfig: string): DevTarget {
  return {
    transport: (userAgent) => cluster.transport({ userAgent }),
    start: () => cluster.startControllers(),
    webhookServer: { address: "127.0.0.1:0" },
    appliesSamples: true,
    namespace: "default",
    kubectlSetup: `export KUBECONFIG=${kubeconfig}`,
  };
}
