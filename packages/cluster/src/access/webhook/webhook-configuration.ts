/** Webhook configurations as they are called: compiled when they change, kept right by the store's events. */
import { type LabelMatcher, type LabelSelector, compileLabelSelector } from "@bowline/api";
import type { Clock } from "@bowline/client";
import type { Bucket } from "../../store/bucket.ts";
import type { Revision } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import { MatchConditions } from "../admission/match-conditions.ts";
import { type MatchCondition, type RequestRule } from "../admission/request-match.ts";
import { type ServiceResolver, WebhookClient, type WebhookClientConfig } from "./webhook-client.ts";

/** Source: admissionregistration.k8s.io/v1 ValidatingWebhook and MutatingWebhook. */
interface WebhookFields {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RequestRule[];
  readonly failurePolicy?: "Fail" | "Ignore";
  readonly matchPolicy?: "Exact" | "Equivalent";
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
}

/** One webhook, ready to be matched and called. */
export interface Webhook {
  /** Differs between webhooks that have the same name. */
  readonly id: string;
  readonly configuration: string;
  readonly name: string;
  readonly client: WebhookClient;
  readonly rules: readonly RequestRule[];
  readonly matchPolicy: "Exact" | "Equivalent";
  /** Undefined: any. */
  readonly namespaceSelector: LabelMatcher | undefined;
  readonly objectSelector: LabelMatcher | undefined;
  readonly conditions: MatchConditions;
  readonly ignoresFailures: boolean;
  readonly sideEffects: string | undefined;
  readonly timeoutSeconds: number;
  readonly reviewVersion: "v1" | "v1beta1" | undefined;
  readonly reinvokes: boolean;
}

const defaultTimeoutSeconds = 10;

export type ConfigurationKind = "mutatingwebhookconfigurations" | "validatingwebhookconfigurations";

/** The webhooks of one kind of configuration, in the order in which they are called. */
export class WebhookConfigurations {
  readonly #bucket: Bucket;
  readonly #ports: { readonly clock: Clock; readonly resolveService: ServiceResolver };
  readonly #compiled = new Map<
    string,
    { readonly revision: Revision; readonly webhooks: readonly Webhook[] }
  >();
  readonly #stop: () => void;
  #ordered: readonly Webhook[] | undefined;

  constructor(
    store: Store,
    kind: ConfigurationKind,
    ports: { readonly clock: Clock; readonly resolveService: ServiceResolver },
  ) {
    this.#bucket = store.bucket(`admissionregistration.k8s.io/${kind}`);
    this.#ports = ports;
    this.#stop = store.onCommit((bucket) => {
      if (bucket === this.#bucket) this.#ordered = undefined;
    });
  }

  /** Sorted by the name of the configuration, then as they stand in it. */
  get webhooks(): readonly Webhook[] {
    this.#ordered ??= this.#compile();
    return this.#ordered;
  }

  close(): void {
    this.#stop();
    for (const { webhooks } of this.#compiled.values()) closeAll(webhooks);
    this.#compiled.clear();
  }

  #compile(): readonly Webhook[] {
    const revisions = this.#bucket.list("");
    const names = new Set(revisions.map((r) => r.key));
    for (const [name, { webhooks }] of this.#compiled) {
      if (names.has(name)) continue;
      this.#compiled.delete(name);
      closeAll(webhooks);
    }
    return revisions.flatMap((revision) => {
      const known = this.#compiled.get(revision.key);
      if (known?.revision === revision) return known.webhooks;
      if (known !== undefined) closeAll(known.webhooks);
      const webhooks = this.#compileOne(revision);
      this.#compiled.set(revision.key, { revision, webhooks });
      return webhooks;
    });
  }

  #compileOne({ key, object }: Revision): Webhook[] {
    const fields = (object["webhooks"] ?? []) as readonly WebhookFields[];
    return fields.map((webhook, index) => ({
      id: `${key}/${webhook.name}/${index}`,
      configuration: key,
      name: webhook.name,
      client: new WebhookClient(webhook.clientConfig, this.#ports),
      rules: webhook.rules ?? [],
      matchPolicy: webhook.matchPolicy ?? "Equivalent",
      namespaceSelector: selector(webhook.namespaceSelector),
      objectSelector: selector(webhook.objectSelector),
      conditions: new MatchConditions(webhook.matchConditions ?? [], {
        failsOnError: webhook.failurePolicy !== "Ignore",
      }),
      ignoresFailures: webhook.failurePolicy === "Ignore",
      sideEffects: webhook.sideEffects,
      timeoutSeconds: webhook.timeoutSeconds ?? defaultTimeoutSeconds,
      reviewVersion: webhook.admissionReviewVersions?.find((v) => v === "v1" || v === "v1beta1") as
        | "v1"
        | "v1beta1"
        | undefined,
      reinvokes: webhook.reinvocationPolicy === "IfNeeded",
    }));
  }
}

function closeAll(webhooks: readonly Webhook[]): void {
  for (const { client } of webhooks) client.close();
}

/** Undefined for a selector that selects everything. */
function selector(given: LabelSelector | undefined): LabelMatcher | undefined {
  if (given === undefined) return undefined;
  const empty =
    Object.keys(given.matchLabels ?? {}).length === 0 && (given.matchExpressions ?? []).length === 0;
  return empty ? undefined : compileLabelSelector(given);
}
