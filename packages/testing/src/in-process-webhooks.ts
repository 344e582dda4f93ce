/** Webhooks of operators that are asked within this process. */
import type { Client, Clock } from "@bowline/client";
import type { ServiceHandler, ServiceReference } from "@bowline/cluster";
import { type OperatorDefinition, registerWebhooks, webhookHandler } from "@bowline/runtime";

/** Services of this namespace are what is served here; no test needs the namespace itself. */
const namespace = "bowline-in-process";

export class InProcessWebhooks {
  readonly #handlers = new Map<string, ServiceHandler>();

  /** What is behind a service; undefined for those of others. */
  find(service: ServiceReference): ServiceHandler | undefined {
    return service.namespace === namespace ? this.#handlers.get(service.name) : undefined;
  }

  /** Serves the operator's webhooks, and makes the cluster of the client ask them. */
  async serve(
    operator: OperatorDefinition,
    client: Client,
    ports: { readonly clock?: Clock },
  ): Promise<void> {
    const { name, webhooks = [] } = operator;
    this.#handlers.set(name, { answer: webhookHandler(webhooks, ports) });
    await registerWebhooks(client, webhooks, {
      name,
      reach: { service: { namespace, name } },
      caBundlePem: "",
    });
  }
}
