import type { InformerCache } from "../cache/cache.ts";
import type { EventRecorder } from "../manager/event-recorder.ts";
import type { AppliedIntents } from "./applied-intents.ts";
import type { ManagedClient } from "./managed-client.ts";

/** One cluster of a manager, as its controllers use it. */
export interface ClusterConnection {
  /** `""` for the manager's own. */
  readonly name: string;
  readonly client: ManagedClient;
  readonly cache: InformerCache;
  readonly recorder: EventRecorder;
  readonly applied: AppliedIntents;
}
