import { type DeepReadonly, type KubeObject, failure } from "@bowline/api";
import { ConnectionError, VirtualClock, createClient, seededRandom, settle } from "@bowline/client";
import { InformerCache } from "../src/cache/cache.ts";
import { type CacheEvent, createManager, defineController, silentLogger } from "../src/index.ts";
import { Widget, widget, widgets } from "./kinds.ts";
import { type Backup, type LoggedRequest, ScriptedServer } from "./scripted-server.ts";

type Frozen = DeepReadonly<KubeObject>;

/** What a schedule did. */
export interface ScheduleReport {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly requests: number;
  readonly events: number;
  readonly reconciles: number;
  /** Connections of watches that are open after the stop. */
  readonly watches: number;
  /** Timers that are set after the stop. */
  readonly timers: number;
}

/** Trouble that the next requests get. */
type Trouble = (request: LoggedRequest, signal: AbortSignal | undefined) => void | Promise<void>;

const troubles: readonly Trouble[] = [
  () => {
    throw new ConnectionError("reset");
  },
  () => {
    throw failure(500, "InternalError", "boom");
  },
  () => {
    throw failure(503, "ServiceUnavailable", "down");
  },
  () => {
    throw failure(429, "TooManyRequests", "slow down", { retryAfterSeconds: 3 });
  },
  () => {
    throw failure(401, "Unauthorized", "Unauthorized");
  },
  (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
];

/**
 * One seeded schedule: writers change a store while its server resets, lies silent, refuses, forgets and is restored; a
 * manager reconciles all the while, its handlers and reconciles throw. Then all is well again, and it is checked that the
 * cache equals the server (C), handlers saw exactly the differences (D), every key was reconciled after its last change
 * (R), and nothing is left behind after a stop (F).
 */
export async function runSchedule(seed: number, actionCount = 60): Promise<ScheduleReport> {
  const random = seededRandom(seed);
  const clock = new VirtualClock();
  const server = new ScriptedServer();
  server.supportsWatchList = random.next() < 0.7;
  const mirror = new Mirror();
  const seen = new Map<string, string>();
  const world = new Storm(server, clock, random);
  let reconciles = 0;
  let isCalm = false;
  const cacheOptions = { pageSize: 3, watchList: random.next() < 0.7 };
  const manager = createManager({
    transport: server,
    clock,
    random: seededRandom(seed + 1),
    logger: silentLogger,
    hostName: "host",
    cache: cacheOptions,
    controllers: [
      defineController(Widget, {
        cacheSyncTimeoutMs: 100_000_000,
        // real transports give up requests without an answer by themselves
        reconcileTimeoutMs: 60_000,
        concurrency: 1 + Math.floor(random.next() * 3),
        async reconcile(w, ctx) {
          reconciles++;
          if (!isCalm && random.next() < 0.2) throw new Error("the reconcile throws");
          if (random.next() < 0.3 && !world.isRestoring) await ctx.patchStatus({ parts: w.spec.size ?? 0 });
          seen.set(w.metadata.name ?? "", stateOf(w));
        },
        gone: (request) => void seen.set(request.name, "gone"),
      }),
    ],
  });
  // an informer of its own, whose handlers keep a mirror, and one that throws
  const cache = new InformerCache(
    { client: createClient({ transport: server, clock }), clock, random },
    cacheOptions,
  );
  const informer = cache.shared(Widget);
  informer.addHandler(() => {
    if (random.next() < 0.1) throw new Error("the handler throws");
  });
  informer.addHandler((event) => mirror.take(event));
  await world.act("put");
  const started = manager.start();
  informer.start();
  for (let i = 0; i < actionCount; i++) await world.step();
  isCalm = true;
  await world.calm();
  for (let i = 0; i < 40; i++) await clock.advance(10_000);
  await started;
  const problems = [
    ...mirror.problems,
    ...differences("C: the cache", server.all("widgets"), informer.values()),
    ...differences("D: the handlers' mirror", server.all("widgets"), mirror.objects.values()),
    ...unreconciled(server.all("widgets"), seen, world.names),
  ];
  const stopped = Promise.all([manager.stop(), informer.stop()]);
  await clock.advance(30_000);
  await stopped;
  const left = { watches: server.watches.size, timers: clock.pendingCount };
  if (left.watches > 0) problems.push(`F: ${left.watches} watches are open after the stop`);
  if (left.timers > 0) problems.push(`F: ${left.timers} timers are set after the stop`);
  return { seed, problems, requests: server.requests.length, events: mirror.count, reconciles, ...left };
}

/** Does things to a server. */
class Storm {
  /** Nobody writes while it is true. */
  isRestoring = false;
  readonly names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  readonly #server: ScriptedServer;
  readonly #clock: VirtualClock;
  readonly #random: { next(): number };
  #backup: Backup | undefined;
  #troubles: Trouble[] = [];
  #endAtOnce = 0;

  constructor(server: ScriptedServer, clock: VirtualClock, random: { next(): number }) {
    this.#server = server;
    this.#clock = clock;
    this.#random = random;
    server.intercept = (request, signal) => {
      if (request.verb === "watch" && this.#endAtOnce > 0) {
        this.#endAtOnce--;
        setImmediate(() => server.endWatches());
      }
      return this.#troubles.shift()?.(request, signal);
    };
  }

  async step(): Promise<void> {
    const actions = [
      "put",
      "put",
      "put",
      "remove",
      "recreate",
      "reset",
      "end",
      "hole",
      "compact",
      "trouble",
    ] as const;
    const rare = ["endAtOnce", "bookmark", "backup", "restore", "expire", "wait", "longWait"] as const;
    await this.act(this.#random.next() < 0.75 ? this.#pick(actions) : this.#pick(rare));
    if (this.#random.next() < 0.5) await settle();
  }

  async act(action: string): Promise<void> {
    const server = this.#server;
    const name = this.#pick(this.names);
    switch (action) {
      case "put":
        return void server.put(widgets, widget(name, { size: Math.floor(this.#random.next() * 5) }));
      case "remove":
        return server.remove(`${widgets}/${name}`);
      case "recreate":
        server.remove(`${widgets}/${name}`);
        return void server.put(widgets, widget(name));
      case "reset":
        return server.endWatches(new ConnectionError("reset in the middle of an object"));
      case "end":
        return server.endWatches();
      case "hole":
        for (const watch of server.watches) watch.isHole = true;
        return;
      case "compact":
        return server.compact();
      case "expire":
        for (const watch of server.watches) {
          watch.push({ type: "ERROR", object: failure(410, "Expired", "too old").status });
          // it is the last event of its stream
          watch.isHole = true;
        }
        return;
      case "trouble":
        for (let i = 0; i < 3; i++) this.#troubles.push(this.#pick(troubles));
        return;
      case "endAtOnce":
        this.#endAtOnce = 3;
        return;
      case "bookmark":
        return server.bookmark();
      case "backup":
        this.#backup = server.snapshot();
        return;
      case "restore":
        return this.#restore();
      default:
        await this.#clock.advance(action === "wait" ? 500 : 20_000);
    }
  }

  /** Everything works from now on. */
  async calm(): Promise<void> {
    this.#troubles = [];
    this.#endAtOnce = 0;
    await settle();
  }

  /**
   * A restart from an older backup. Clients can only notice while their version lies in the server's future, so nobody
   * writes until they have come back.
   */
  async #restore(): Promise<void> {
    if (this.#backup === undefined) return;
    await this.calm();
    this.isRestoring = true;
    this.#server.restore(this.#backup);
    this.#server.endWatches(new ConnectionError("restart"));
    for (let i = 0; i < 30; i++) await this.#clock.advance(10_000);
    this.isRestoring = false;
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random.next() * from.length)] as T;
  }
}

/** A store built from events alone; it notes every event that does not fit. */
class Mirror {
  readonly objects = new Map<string, Frozen>();
  readonly problems: string[] = [];
  count = 0;

  take(event: CacheEvent): void {
    this.count++;
    const known = this.objects.get(event.key);
    const { uid, resourceVersion } = event.object.metadata;
    if (event.type === "added") {
      if (known !== undefined) this.problems.push(`D: ${event.key} was added although it was there`);
      this.objects.set(event.key, event.object);
    } else if (event.type === "updated") {
      if (known !== event.old)
        this.problems.push(`D: ${event.key} was updated from a state that was not told`);
      if (known?.metadata.uid !== uid) this.problems.push(`D: ${event.key} was updated to another uid`);
      if (event.object === event.old) this.problems.push(`D: ${event.key}@${resourceVersion} was told twice`);
      this.objects.set(event.key, event.object);
    } else {
      if (known?.metadata.uid !== uid)
        this.problems.push(`D: ${event.key} was deleted although it was not there`);
      this.objects.delete(event.key);
    }
  }
}

function stateOf(object: Frozen): string {
  return `${object.metadata.uid}@${object.metadata.resourceVersion}`;
}

function differences(what: string, server: readonly Frozen[], copy: Iterable<Frozen>): string[] {
  const text = (objects: Iterable<Frozen>): string =>
    Array.from(objects, (o) => `${o.metadata.name}=${stateOf(o)}`)
      .toSorted()
      .join(" ");
  const [wanted, found] = [text(server), text(copy)];
  return wanted === found ? [] : [`${what} has ${found || "nothing"}, the server has ${wanted || "nothing"}`];
}

function unreconciled(
  server: readonly Frozen[],
  seen: ReadonlyMap<string, string>,
  names: readonly string[],
): string[] {
  const alive = new Map(server.map((object) => [object.metadata.name ?? "", stateOf(object)]));
  return names.flatMap((name) => {
    const wanted = alive.get(name) ?? "gone";
    const found = seen.get(name);
    // a key that came and went in a gap was never known
    if (found === wanted || (found === undefined && wanted === "gone")) return [];
    return [`R: ${name} was last reconciled as ${found}, and is ${wanted}`];
  });
}
