import type { Clock } from "@bowline/client";
import type { Cause } from "./request.ts";

interface Track {
  since: number;
  count: number;
  version: string;
  /** How often each cause was seen. */
  readonly causes: Map<string, number>;
}

/** What makes a key run over and over. */
export interface HotLoop {
  readonly count: number;
  readonly seconds: number;
  /** The most frequent causes first: `updated Deployment default/web (x28)`. */
  readonly triggers: readonly string[];
}

const windowMs = 10_000;
const countMax = 40;
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
      this.#tracks.set(key, { since: now, count: 1, version, causes: new Map() });
      return undefined;
    }
    track.count++;
    for (const cause of causes) {
      const text = causeText(cause);
      track.causes.set(text, (track.causes.get(text) ?? 0) + 1);
    }
    if (track.count !== countMax) return undefined;
    this.#tracks.delete(key);
    const sorted = [...track.causes].sort((a, b) => b[1] - a[1]).slice(0, 3);
    const triggers = sorted.map(([text, times]) => `${text} (x${times})`);
    return { count: countMax, seconds: (now - track.since) / 1000, triggers };
  }

  forget(key: string): void {
    this.#tracks.delete(key);
  }
}

/** `updated Deployment default/web`. */
function causeText(cause: Cause): string {
  return [cause.event, cause.kind, cause.object].filter((part) => part !== undefined).join(" ");
}
