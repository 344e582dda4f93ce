import type { Clock, Random, Transport } from "@bowline/client";
import type { Tracer } from "@opentelemetry/api";
import type { CacheOptions } from "../cache/cache.ts";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { ConversionDefinition } from "../webhook/define-conversion.ts";
import type { WebhookDefinition } from "../webhook/define-webhook.ts";
import type { WebhookServerOptions } from "../webhook/webhook-stage.ts";
import type { LeaderElectionOptions } from "./leader-election.ts";
import type { Logger } from "./logger.ts";
import type { Runnable } from "./runnable.ts";

/** A further cluster of a manager. */
export interface ClusterOptions {
  readonly transport: Transport;
  readonly cache?: CacheOptions;
}

export interface ManagerOptions {
  /** The cluster it works in: over HTTPS or in process. */
  readonly transport: Transport;
  /** Further clusters by name; requests of their objects carry the name. */
  readonly clusters?: Readonly<Record<string, ClusterOptions>>;
  readonly controllers?: readonly ControllerDefinition[];
  /** False, or ENABLE_WEBHOOKS=false in the environment: runs without them. */
  readonly webhooks?: readonly (WebhookDefinition | ConversionDefinition)[] | false;
  readonly webhookServer?: WebhookServerOptions;
  readonly runnables?: readonly Runnable[];
  /** Overrides the concurrency of controllers, by name: `{ application: 10 }`. For those who run what others wrote. */
  readonly concurrency?: Readonly<Record<string, number>>;
  /** In logs and as the identity of events. Default `bowline`. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** A pino logger, or anything like it. Default: pino, JSON lines on standard output. */
  readonly logger?: Logger;
  readonly cache?: CacheOptions;
  readonly leaderElection?: LeaderElectionOptions | false;
  /** How long a stop waits for reconciles that run. Default 30,000; 0: not at all; Infinity: for ever. */
  readonly gracefulShutdownMs?: number;
  /** Where `/healthz` and `/readyz` are answered: `:8081`. Default: nowhere. */
  readonly healthAddress?: string | false;
  /** Where `/metrics` and `/debug` are answered: `:8080`. Default: nowhere. */
  readonly metricsAddress?: string | false;
  /**
   * Serves metrics over HTTPS, and only to those whose token the API server knows and whom it allows to get `/metrics`
   * (TokenReview and SubjectAccessReview). The certificate is read from the files given, again when they change, or made on the spot.
   */
  readonly secureMetrics?: boolean | { readonly certificateFile: string; readonly keyFile: string };
  /** Also takes how long requests take: `rest_client_request_duration_seconds`. Default false. */
  readonly requestDurations?: boolean;
  /** Host or pod name, in identities. Default: the host's name. */
  readonly hostName?: string;
  /** An OpenTelemetry tracer: a span for every reconcile and every request. Default: none. */
  readonly tracer?: Tracer;
}
