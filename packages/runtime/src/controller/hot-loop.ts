import type { Clock } from "@bowline/client";
import type { Cause } from "./request.ts";

interface Track {
  since: number;
  count: number;
  version: string;
  /** How often each cause was seen. */
  readonly causes: Map<string, number>;
  /** How often each field was seen to change, in the last runs. */
  readonly fields: Map<string, number>;
}

/** What makes a key run over and over. */
export interface HotLoop {
  readonly count: number;
  readonly seconds: number;
  /** The most frequent causes first: `updated Deployment default/web (x28)`. */
  readonly triggers: readonly string[];
  /** The fields that change each time, the most frequent first: `status.parts`. */
  readonly fields: readonly string[];
}

const windowMs = 10_000;
const countMax = 40;
/** From so many runs on it is looked what changes: that costs more than counting. */
const suspectedCount = 30;
/** Beyond so many keys the tracking starts again: a hot key shows up within a window anyway. */
const keysMax = 20_000;

/**
 * Finds keys that are reconciled over and over although nothing that people wrote has changed: mostly two writers that
 * undo each other, or a write that the server normalises each time.
 */
export class HotLoopDetector {
  readonly #clock: Clock;
  readonly #tracks = new Map<string, Track>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Notes a run of a key. Answers the loop when this run completes one: once per window.
   * @param version what people change about the object: its uid and generation
   */
  ran(key: string, version: string, causes: readonly Cause[]): HotLoop | undefined {
    const now = this.#clock.monotonic();
    const track = this.#tracks.get(key);
    if (track === undefined || now - track.since > windowMs || track.version !== version) {
      if (this.#tracks.size >= keysMax) this.#tracks.clear();
      this.#tracks.set(key, { since: now, count: 1, version, causes: new Map(), fields: new Map() });
      return undefined;
    }
    track.count++;
    for (const cause of causes) {
      tally(track.causes, causeText(cause));
      const fields = track.count > suspectedCount ? cause.changedFields?.() : undefined;
      for (const field of fields ?? []) tally(track.fields, field);
    }
    if (track.count !== countMax) return undefined;
    this.#tracks.delete(key);
    const triggers = mostFrequent(track.causes).map(([text, times]) => `${text} (x${times})`);
    const fields = mostFrequent(track.fields).map(([field]) => field);
    return { count: countMax, seconds: (now - track.since) / 1000, triggers, fields };
  }

  forget(key: string): void {
    this.#tracks.delete(key);
  }
}

/** `updated Deployment default/web`. */
function causeText(cause: Cause): string {
  return [cause.event, cause.kind, cause.object].filter((part) => part !== undefined).join(" ");
}

function tally(counts: Map<string, number>, text: string): void {
  counts.set(text, (counts.get(text) ?? 0) + 1);
}

function mostFrequent(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3);
}
