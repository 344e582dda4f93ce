import type { DeepReadonly, KubeObject } from "@bowline/api";
import { type Client, type Clock, type Random, type Timer, rfc3339Micro } from "@bowline/client";
import { eventKind } from "./builtin-kinds.ts";
import { type Logger, silentLogger } from "./logger.ts";

/** What to say about an object in an event (`kubectl get events`). */
export interface EventInput {
  readonly type?: "Normal" | "Warning";
  /** CamelCase, for machines: `ScaledUp`. */
  readonly reason: string;
  /** What the controller did or tried, CamelCase: `Scale`. Default: the reason. */
  readonly action?: string;
  /** For people; cut at 1024 characters. */
  readonly note: string;
  /** A second object that has to do with it. */
  readonly related?: DeepReadonly<KubeObject>;
}

interface Series {
  readonly name: string;
  readonly namespace: string;
  count: number;
  lastAt: number;
  /** False until the server has the series: the second event of its kind starts it. */
  isStarted: boolean;
  /** Count that the server knows. */
  writtenCount: number;
}

interface Work {
  run(): Promise<void>;
}

/** Events like an earlier one within this time are counted in it. Source: client-go tools/events (event_broadcaster.go). */
const seriesMs = 6 * 60_000;
/** A series that goes on is written this often. */
const refreshMs = 30 * 60_000;
/** Beyond so many unsent events new ones are dropped: events are a help, not a record. */
const queueMax = 1000;
const noteMax = 1024;
/** Limit of reportingInstance. */
const instanceMax = 128;

/**
 * Writes events (events.k8s.io/v1). Events that are equal but for their note within six minutes become one series: the
 * first is created, the second makes a series of it, further ones are counted in memory and written at its end or every
 * half hour.
 */
export class EventRecorder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #host: string;
  readonly #series = new Map<string, Series>();
  readonly #queue: Work[] = [];
  #sending: Promise<void> | undefined;
  #timer: Timer | undefined;
  #droppedCount = 0;
  #isStopped = false;

  constructor(options: {
    readonly client: Client;
    readonly clock: Clock;
    readonly random: Random;
    /** Pod or host name, which makes `reportingInstance`. */
    readonly host: string;
    readonly log?: Logger;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#log = options.log ?? silentLogger;
    this.#host = options.host;
  }

  /** Events that were dropped because too many waited. */
  get droppedCount(): number {
    return this.#droppedCount;
  }

  /** Records an event about an object in the name of a controller. Never throws, never waits. */
  record(controller: string, regarding: DeepReadonly<KubeObject>, event: EventInput): void {
    if (this.#isStopped) return;
    const key = keyOf(controller, regarding, event);
    const now = this.#clock.now();
    const known = this.#series.get(key);
    if (known !== undefined && now - known.lastAt < seriesMs) {
      known.count++;
      known.lastAt = now;
      if (!known.isStarted) {
        known.isStarted = true;
        this.#enqueue({ run: () => this.#writeSeries(known) });
      }
      return;
    }
    const namespace = regarding.metadata.namespace ?? "default";
    const suffix = `${now.toString(16)}${Math.floor(this.#random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0")}`;
    const name = `${(regarding.metadata.name ?? "object").slice(0, 200)}.${suffix}`;
    const series: Series = { name, namespace, count: 1, lastAt: now, isStarted: false, writtenCount: 1 };
    this.#series.set(key, series);
    this.#enqueue({ run: () => this.#create(controller, regarding, event, series, now) });
    this.#schedule();
  }

  /** Sends what waits and ends the open series. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const series of this.#series.values()) this.#finish(series);
    this.#series.clear();
    await this.#sending;
  }

  #enqueue(work: Work): void {
    if (this.#queue.length >= queueMax) {
      this.#droppedCount++;
      return;
    }
    this.#queue.push(work);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    for (let work = this.#queue.shift(); work !== undefined; work = this.#queue.shift()) {
      try {
        await work.run();
      } catch (error) {
        this.#log.warn({ err: error }, "an event could not be written");
      }
    }
    this.#sending = undefined;
  }

  async #create(
    controller: string,
    regarding: DeepReadonly<KubeObject>,
    event: EventInput,
    series: Series,
    atMs: number,
  ): Promise<void> {
    await this.#client.create(eventKind, {
      apiVersion: eventKind.apiVersion,
      kind: eventKind.kind,
      metadata: { name: series.name, namespace: series.namespace },
      eventTime: rfc3339Micro(atMs),
      type: event.type ?? "Normal",
      reason: event.reason,
      action: event.action ?? event.reason,
      note: event.note.slice(0, noteMax),
      reportingController: controller,
      reportingInstance: `${controller}-${this.#host}`.slice(0, instanceMax),
      regarding: referenceTo(regarding),
      ...(event.related === undefined ? {} : { related: referenceTo(event.related) }),
    });
  }

  async #writeSeries(series: Series): Promise<void> {
    series.writtenCount = series.count;
    const state = { count: series.count, lastObservedTime: rfc3339Micro(series.lastAt) };
    await this.#client.patch(eventKind, series, { merge: { series: state } });
  }

  #finish(series: Series): void {
    if (series.isStarted && series.writtenCount < series.count)
      this.#enqueue({ run: () => this.#writeSeries(series) });
  }

  /** One timer for all series: ends those that are over, and refreshes those that go on. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    let sinceRefreshMs = 0;
    const tick = (): void => {
      sinceRefreshMs += seriesMs;
      const isRefresh = sinceRefreshMs >= refreshMs;
      if (isRefresh) sinceRefreshMs = 0;
      const now = this.#clock.now();
      for (const [key, series] of this.#series) {
        const isOver = now - series.lastAt >= seriesMs;
        if (isOver || isRefresh) this.#finish(series);
        if (isOver) this.#series.delete(key);
      }
      this.#timer = this.#series.size === 0 ? undefined : this.#clock.setTimer(seriesMs, tick);
    };
    this.#timer = this.#clock.setTimer(seriesMs, tick);
  }
}

/** Equal in everything but the note: the note may name figures that differ each time. */
function keyOf(controller: string, regarding: DeepReadonly<KubeObject>, event: EventInput): string {
  const { uid, namespace, name } = regarding.metadata;
  const related = event.related?.metadata.uid ?? event.related?.metadata.name ?? "";
  const what = [controller, event.type ?? "Normal", event.reason, event.action ?? event.reason, related];
  return JSON.stringify([...what, regarding.apiVersion, regarding.kind, namespace, name, uid]);
}

function referenceTo(object: DeepReadonly<KubeObject>): object {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid, resourceVersion };
}
