import { type Clock, type Random, type Transport, createClient } from "@bowline/client";
import { type CacheOptions, InformerCache, type KindReport } from "../cache/cache.ts";
import { AppliedIntents } from "../controller/applied-intents.ts";
import type { ClusterConnection } from "../controller/cluster-connection.ts";
import { ManagedClient } from "../controller/managed-client.ts";
import { EventRecorder } from "./event-recorder.ts";
import type { InstrumentRegistry } from "./instruments.ts";
import type { Logger } from "./logger.ts";
import type { Term } from "./term.ts";

interface ConnectOptions {
  readonly transport: Transport;
  readonly cacheOptions: CacheOptions;
  readonly fieldManager: string;
  readonly host: string;
  readonly term: Term;
  readonly onWarning: (text: string) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Client, cache and event recorder of one cluster. Sends nothing yet. */
export function connectCluster(name: string, options: ConnectOptions): ClusterConnection {
  const { transport, fieldManager, onWarning, clock, random, log, host } = options;
  const client = createClient({ transport, clock, random, fieldManager, onWarning });
  const cache = new InformerCache({ client, clock, random, log }, options.cacheOptions);
  return {
    name,
    client: new ManagedClient(client, cache, options.term),
    cache,
    recorder: new EventRecorder({ client, clock, random, log, host }),
    applied: new AppliedIntents(),
  };
}

/** Lets scrapes see what the cache of a cluster holds, while the cluster is engaged. */
export function observeCache(
  instruments: InstrumentRegistry,
  { name: cluster, cache }: ClusterConnection,
  isEngaged: () => boolean,
): void {
  const series = (value: (kind: KindReport) => number) => () =>
    (isEngaged() ? cache.report() : []).map((kind) => ({
      labels: { cluster, kind: kind.kind, api_version: kind.apiVersion },
      value: value(kind),
    }));
  instruments.collected(
    "bowline_cache_objects",
    "Objects in the cache",
    series((kind) => kind.objectCount),
  );
  instruments.collected(
    "bowline_cache_bytes",
    "Estimated bytes of JSON in the cache",
    series((kind) => kind.bytes),
  );
  instruments.collected(
    "bowline_cache_synced",
    "1 when the first list is in the cache",
    series((kind) => Number(kind.hasSynced)),
  );
}
