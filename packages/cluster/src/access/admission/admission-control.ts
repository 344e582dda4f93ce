/** The admission plug-ins of one cluster, in the real server's order. Source: kubernetes pkg/kubeapiserver/options (plugins.go). */
import type { Clock, Random } from "@bowline/client";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { ResourceCatalog } from "../../registry/resource-catalog.ts";
import type { Store } from "../../store/store.ts";
import type { AccessControl } from "../access-control.ts";
import { namespaceLifecycle } from "../namespace-lifecycle.ts";
import { mutatingWebhooks } from "../webhook/mutating-webhooks.ts";
import { validatingWebhooks } from "../webhook/validating-webhooks.ts";
import type { WebhookPorts } from "../webhook/webhook-call.ts";
import type { ServiceResolver } from "../webhook/webhook-client.ts";
import { WebhookConfigurations } from "../webhook/webhook-configuration.ts";

export interface AdmissionControlOptions {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly clock: Clock;
  readonly random: Random;
  readonly access: AccessControl;
  /** Where the services of webhooks are. Default: nowhere, since simulated pods have no network. */
  readonly resolveService?: ServiceResolver | undefined;
}

export class AdmissionControl {
  readonly plugins: readonly AdmissionPlugin[];
  readonly resolveService: ServiceResolver;
  readonly #configurations: readonly WebhookConfigurations[];

  constructor(options: AdmissionControlOptions) {
    const { store, clock, random, catalog, access } = options;
    const namespaces = store.bucket("/namespaces");
    this.resolveService = options.resolveService ?? unreachable(store);
    const calling = { clock, resolveService: this.resolveService };
    const mutating = new WebhookConfigurations(store, "mutatingwebhookconfigurations", calling);
    const validating = new WebhookConfigurations(store, "validatingwebhookconfigurations", calling);
    this.#configurations = [mutating, validating];
    const ports: WebhookPorts = { clock, random, catalog, namespaces, authorizer: access.authorizer };
    this.plugins = [
      namespaceLifecycle(namespaces),
      mutatingWebhooks(mutating, ports),
      access.escalationCheck,
      validatingWebhooks(validating, ports),
    ];
  }

  close(): void {
    for (const configurations of this.#configurations) configurations.close();
  }
}

/** Says of every service what a real server would say of one without pods behind it. */
function unreachable(store: Store): ServiceResolver {
  return ({ namespace, name }) => {
    const exists = store.bucket("/services").get(`${namespace}/${name}`) !== undefined;
    throw new Error(exists ? `no endpoints available for service "${name}"` : `service "${name}" not found`);
  };
}
