import type { Client, Clock, Random, Transport } from "@bowline/client";
import type { Cache } from "../cache/cache.ts";
import type { ControllerDefinition } from "../controller/define-controller.ts";
import type { WebhookDefinition } from "../webhook/define-webhook.ts";
import type { Logger } from "./logger.ts";

/** Something else that a manager runs: it works until the signal is aborted. */
export interface Runnable {
  readonly name: string;
  /** False: also on replicas that do not lead. Default true. */
  readonly needLeaderElection?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** Leader election on a Lease. */
export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly id: string;
  readonly namespace: string;
  /** Default: host name and a UUID. */
  readonly identity?: string;
  /** Others wait this long after the last renewal they saw. Default 15,000. */
  readonly leaseDurationMs?: number;
  /** The leader stops working when it could not renew for so long. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** Time between attempts. Default 2,000. */
  readonly retryPeriodMs?: number;
  /** Give the lease back on a clean stop. Default true. */
  readonly release?: boolean;
}

/** A further cluster of a manager. */
export interface ClusterOptions {
  readonly transport: Transport;
}

export interface ManagerOptions {
  /** The cluster it works in: over HTTPS or in process. */
  readonly transport: Transport;
  /** Further clusters by name; requests of their objects carry the name. */
  readonly clusters?: Readonly<Record<string, ClusterOptions>>;
  readonly controllers?: readonly ControllerDefinition[];
  readonly webhooks?: readonly WebhookDefinition[] | false;
  readonly runnables?: readonly Runnable[];
  /** In logs and as the identity of events. Default `bowline`. */
  readonly name?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** A pino logger, or anything like it. Default: pino, JSON lines on standard output. */
  readonly logger?: Logger;
  readonly leaderElection?: LeaderElectionOptions | false;
  /** How long a stop waits for reconciles that run. Default 30,000; 0: not at all; Infinity: for ever. */
  readonly gracefulShutdownMs?: number;
}

/** Runs controllers, webhooks and everything they need, and starts and stops all in the right order. */
export interface Manager {
  /** Adds a controller or runnable; also while it runs. @throws Error for a second controller of the same name */
  add(part: ControllerDefinition | Runnable): void;
  /** Resolves when caches are synced and (if it leads or no election is asked) controllers run. @throws when it cannot start */
  start(): Promise<void>;
  /** Stops everything within the grace period. Safe to call twice. */
  stop(): Promise<void>;
  /** Starts, then waits for SIGINT or SIGTERM (or the signal) and stops. A second signal ends the process with code 1. */
  run(signal?: AbortSignal): Promise<void>;
  /** Aborted when it stops. */
  readonly signal: AbortSignal;
  /** Resolved when this manager leads (at once without an election). */
  readonly elected: Promise<void>;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Makes a manager; nothing happens before `start`.
 * `createManager({ transport, controllers: [applicationController] })`
 */
export declare function createManager(options: ManagerOptions): Manager;
