/** The admission plug-ins of one cluster, in the real server's order. Source: kubernetes pkg/kubeapiserver/options (plugins.go). */
import type { Clock, Random } from "@bowline/client";
import type { AdmissionPlugin } from "../../registry/admission.ts";
import type { ResourceCatalog } from "../../registry/resource-catalog.ts";
import type { Bucket } from "../../store/bucket.ts";
import type { Store } from "../../store/store.ts";
import type { AccessControl } from "../access-control.ts";
import { namespaceLifecycle } from "../namespace-lifecycle.ts";
import { MutatingPolicies } from "../policy/mutating-policies.ts";
import { checkPolicyTypes } from "../policy/type-checking.ts";
import { ValidatingPolicies } from "../policy/validating-policies.ts";
import { mutatingWebhooks } from "../webhook/mutating-webhooks.ts";
import { validatingWebhooks } from "../webhook/validating-webhooks.ts";
import { certificatePlugins } from "./plugins/certificates.ts";
import { limitRanger } from "./plugins/limit-ranger.ts";
import { nodeRestriction } from "./plugins/node-restriction.ts";
import { ownerReferencesPermission } from "./plugins/owner-references.ts";
import { defaultTolerationSeconds, runtimeClass } from "./plugins/pod-defaults.ts";
import { podSecurity } from "./plugins/pod-security.ts";
import { bootstrapPriorityClasses, priority } from "./plugins/priority.ts";
import { ResourceQuotas } from "./plugins/resource-quota.ts";
import { serviceAccount } from "./plugins/service-account.ts";
import { defaultIngressClass } from "./plugins/ingress-class.ts";
import { claimResize, defaultStorageClass, storageProtection } from "./plugins/storage.ts";
import { tokenSecret } from "./plugins/token-secret.ts";
import type { WebhookPorts } from "../webhook/webhook-call.ts";
import type { ServiceResolver } from "../webhook/webhook-client.ts";
import { WebhookConfigurations } from "../webhook/webhook-configuration.ts";

/** Switches of single plug-ins, as the flags --enable-admission-plugins and --disable-admission-plugins of a real server. */
export interface AdmissionPlugins {
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

export interface AdmissionControlOptions {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly clock: Clock;
  readonly random: Random;
  readonly access: AccessControl;
  /** Where the services of webhooks are. Default: nowhere, since simulated pods have no network. */
  readonly resolveService?: ServiceResolver | undefined;
  readonly switches?: AdmissionPlugins | undefined;
  /** Whether controllers run: without them, as in envtest, pods need no service account and claims no protection. */
  readonly hasControllers: () => boolean;
  /** Runs something once the writes that are under way have ended. */
  readonly afterTurn: (run: () => void) => void;
}

/** Off unless asked for, as on a real server. */
const offByDefault: ReadonlySet<string> = new Set(["OwnerReferencesPermissionEnforcement"]);

export class AdmissionControl {
  readonly plugins: readonly AdmissionPlugin[];
  readonly resolveService: ServiceResolver;
  readonly #options: AdmissionControlOptions;
  readonly #mutatingPolicies: MutatingPolicies;
  readonly #validatingPolicies: ValidatingPolicies;
  readonly #stopTypeChecking: () => void;
  readonly #quotas: ResourceQuotas;
  readonly #configurations: readonly WebhookConfigurations[];

  constructor(options: AdmissionControlOptions) {
    const { store, clock, random, catalog, access } = options;
    this.#options = options;
    const namespaces = store.bucket("/namespaces");
    const missing = unreachable(store);
    this.resolveService = (service) => options.resolveService?.(service) ?? missing(service);
    const calling = { clock, resolveService: this.resolveService };
    const mutating = new WebhookConfigurations(store, "mutatingwebhookconfigurations", calling);
    const validating = new WebhookConfigurations(store, "validatingwebhookconfigurations", calling);
    this.#configurations = [mutating, validating];
    const ports: WebhookPorts = { clock, random, catalog, namespaces, authorizer: access.authorizer };
    this.#mutatingPolicies = new MutatingPolicies(store, ports);
    this.#validatingPolicies = new ValidatingPolicies(store, ports);
    this.#stopTypeChecking = checkPolicyTypes(store, catalog);
    this.#quotas = new ResourceQuotas(store, options.afterTurn);
    const bucket = (name: string): Bucket => store.bucket(name);
    const claims = bucket("/persistentvolumeclaims");
    const { enable = [], disable = [] } = options.switches ?? {};
    const activeWithControllers = (name: string): (() => boolean) =>
      enable.includes(name) ? () => true : options.hasControllers;
    const plugins: readonly AdmissionPlugin[] = [
      namespaceLifecycle(namespaces),
      limitRanger(bucket("/limitranges")),
      nodeRestriction({ pods: bucket("/pods"), nodes: bucket("/nodes") }),
      serviceAccount(bucket("/serviceaccounts"), {
        random,
        isActive: activeWithControllers("ServiceAccount"),
      }),
      tokenSecret(bucket("/serviceaccounts"), bucket("/configmaps"), access.serviceAccounts),
      podSecurity(namespaces, bucket("/pods")),
      priority(bucket("scheduling.k8s.io/priorityclasses")),
      defaultTolerationSeconds,
      defaultStorageClass(claims, bucket("storage.k8s.io/storageclasses")),
      storageProtection({
        claims,
        volumes: bucket("/persistentvolumes"),
        isActive: activeWithControllers("StorageObjectInUseProtection"),
      }),
      claimResize(claims, bucket("storage.k8s.io/storageclasses")),
      defaultIngressClass(bucket("networking.k8s.io/ingresses"), bucket("networking.k8s.io/ingressclasses")),
      runtimeClass(bucket("node.k8s.io/runtimeclasses")),
      ownerReferencesPermission(access.authorizer, catalog),
      this.#mutatingPolicies.plugin,
      mutatingWebhooks(mutating, ports),
      access.escalationCheck,
      ...certificatePlugins(access.authorizer),
      this.#validatingPolicies.plugin,
      validatingWebhooks(validating, ports),
      this.#quotas.plugin,
    ];
    this.plugins = plugins.filter(
      ({ name }) => enable.includes(name) || !(offByDefault.has(name) || disable.includes(name)),
    );
  }

  /** Puts the priority classes that every cluster has into the store. */
  bootstrap(): void {
    const { store, clock, random } = this.#options;
    const classes = store.bucket("scheduling.k8s.io/priorityclasses");
    bootstrapPriorityClasses(classes, { now: () => clock.now(), uuid: () => random.uuid() });
  }

  close(): void {
    this.#mutatingPolicies.close();
    this.#validatingPolicies.close();
    this.#stopTypeChecking();
    this.#quotas.close();
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
