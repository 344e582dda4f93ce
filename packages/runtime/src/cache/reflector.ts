import { type AnyKind, type DeepReadonly, type KubeObject, isExpired, isStatusError } from "@bowline/api";
import {
  ConnectionError,
  type Client,
  type Clock,
  type ListOf,
  type ObjectEvent,
  type Random,
  type Watch,
  sleep,
} from "@bowline/client";

import { type Logger, silentLogger } from "../manager/logger.ts";
import { RetryDelay, jittered } from "../queue/back-off.ts";
import {
  type Attempt,
  type Failure,
  type ReflectorCommand,
  type ReflectorInput,
  type ReflectorMemory,
  type ReflectorState,
  initialReflectorState,
  reflectorMemory,
  reflectorStep,
} from "./reflector-state.ts";
import type { Transform } from "./transform.ts";

type Frozen = DeepReadonly<KubeObject>;

/** Where a reflector puts what it sees. Calls come one after the other. */
export interface ReflectorTarget {
  /** The store becomes exactly these objects. */
  replace(items: readonly Frozen[], resourceVersion: string): void;
  /** The store changes by these events; bookmarks among them only move the version. */
  apply(events: readonly ObjectEvent<Frozen>[], resourceVersion: string): void;
}

/** What to keep a copy of. */
export interface ReflectorScope {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ReflectorSettings {
  /** Stream the first state over a watch where the server can. Default true. */
  readonly watchList?: boolean | undefined;
  /** Objects per page of a list. Default 500. */
  readonly pageSize?: number | undefined;
  /**
   * A watch that delivers nothing for so long, not even a bookmark, is taken to be dead and opened again where it was.
   * API servers send a bookmark about every minute; load balancers cut silent connections after four. Default 90,000.
   */
  readonly watchIdleMs?: number | undefined;
  /** How long one request may take until it answers. Default 120,000. */
  readonly requestTimeoutMs?: number | undefined;
}

export interface ReflectorDependencies {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
}

/** How a reflector fares, for health and the debug page. */
export interface ReflectorReport {
  readonly phase: ReflectorState["phase"];
  readonly resourceVersion: string;
  /** Failures in a row; 0 when it watches. */
  readonly failuresInRow: number;
  readonly lastError: string | undefined;
  readonly listCount: number;
  readonly watchCount: number;
}

/** A watch that lived so long before it ended is reconnected at once; a shorter one waits for the back-off. */
const healthyMs = 30_000;

/** Keeps a target equal to the server's objects of one kind, for ever: every failure is retried. */
export class Reflector {
  readonly #kind: AnyKind;
  readonly #scope: ReflectorScope;
  readonly #settings: ReflectorSettings;
  readonly #deps: ReflectorDependencies;
  readonly #target: ReflectorTarget;
  readonly #transform: Transform;
  readonly #log: Logger;
  readonly #retry: RetryDelay;
  readonly #memory: ReflectorMemory;
  #state: ReflectorState = initialReflectorState;
  #watch: Watch<Frozen> | undefined;
  #watchOpenedAt = 0;
  #targetError: { readonly error: unknown } | undefined;
  #failuresInRow = 0;
  #lastError: string | undefined;
  #listCount = 0;
  #watchCount = 0;

  constructor(options: {
    readonly kind: AnyKind;
    readonly scope?: ReflectorScope;
    readonly settings?: ReflectorSettings;
    readonly target: ReflectorTarget;
    /** Made of every object before it is given to the target. */
    readonly transform: Transform;
    readonly dependencies: ReflectorDependencies;
  }) {
    this.#kind = options.kind;
    this.#scope = options.scope ?? {};
    this.#settings = options.settings ?? {};
    this.#target = options.target;
    this.#transform = options.transform;
    this.#deps = options.dependencies;
    this.#log = options.dependencies.log ?? silentLogger;
    this.#retry = new RetryDelay({ clock: this.#deps.clock, random: this.#deps.random });
    this.#memory = reflectorMemory({ watchList: this.#settings.watchList ?? true });
  }

  get report(): ReflectorReport {
    return {
      phase: this.#state.phase,
      resourceVersion: this.#memory.resourceVersion,
      failuresInRow: this.#failuresInRow,
      lastError: this.#lastError,
      listCount: this.#listCount,
      watchCount: this.#watchCount,
    };
  }

  /**
   * Runs until the signal is aborted; then no request is under way any more. May be run again afterwards.
   * @throws what the target throws
   */
  async run(signal: AbortSignal): Promise<void> {
    const pending: ReflectorCommand[] = [];
    this.#state = initialReflectorState;
    this.#targetError = undefined;
    const feed = (input: ReflectorInput): void => {
      const [next, commands] = reflectorStep(this.#state, input, this.#memory);
      this.#state = next;
      pending.push(...commands);
    };
    const onAbort = (): void => this.#watch?.close();
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      feed({ type: "start" });
      while (!signal.aborted) {
        const command = pending.shift();
        if (command !== undefined) await this.#execute(command, feed, signal);
        else if (this.#watch !== undefined) await this.#follow(this.#watch, feed, signal);
        else break;
      }
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#watch?.close();
      this.#watch = undefined;
      feed({ type: "stop" });
    }
  }

  async #execute(
    command: ReflectorCommand,
    feed: (input: ReflectorInput) => void,
    signal: AbortSignal,
  ): Promise<void> {
    switch (command.type) {
      case "replace":
      case "apply":
        return this.#deliver(command);
      case "close":
        return this.#watch?.close();
      case "wait":
        return this.#wait(command.forMs, feed, signal);
      case "request":
        return this.#request(command.attempt, feed, signal);
    }
  }

  /**
   * Events only lead to replace and apply, which do not wait. A function of its own: a suspended `#follow` would keep its
   * last commands, and with them every object of a first list as it was sent.
   */
  #take(sent: readonly ObjectEvent<Frozen>[]): void {
    const events = this.#transformed(sent);
    const [next, commands] = reflectorStep(this.#state, { type: "events", events }, this.#memory);
    this.#state = next;
    for (const command of commands) this.#deliver(command);
  }

  /** What is kept of the objects, before anything holds them: a first list never lies in memory as it was sent. */
  #transformed(events: readonly ObjectEvent<Frozen>[]): readonly ObjectEvent<Frozen>[] {
    try {
      return events.map((event) => {
        if (event.type === "BOOKMARK") return event;
        const object = this.#transform(event.object);
        return object === event.object ? event : { type: event.type, object };
      });
    } catch (error) {
      this.#targetError = { error };
      throw error;
    }
  }

  /** @throws what the target throws: then it is behind the state, and the run must end and start with a list */
  #deliver(command: ReflectorCommand): void {
    try {
      if (command.type === "replace") {
        this.#failuresInRow = 0;
        this.#target.replace(command.items, command.resourceVersion);
      } else if (command.type === "apply") {
        this.#target.apply(command.events, command.resourceVersion);
      }
    } catch (error) {
      this.#targetError = { error };
      throw error;
    }
  }

  async #wait(
    forMs: number | undefined,
    feed: (input: ReflectorInput) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const waitMs = forMs === undefined ? this.#retry.next() : jittered(forMs, 0.5, this.#deps.random);
    try {
      await sleep(this.#deps.clock, waitMs, signal);
    } catch {
      return; // stopped while waiting
    }
    feed({ type: "waited" });
  }

  async #request(attempt: Attempt, feed: (input: ReflectorInput) => void, stop: AbortSignal): Promise<void> {
    const { signal, release } = this.#withTimeout(stop);
    try {
      if (attempt.how === "list") {
        const page = await this.#list(attempt, signal);
        if (stop.aborted) return;
        const { resourceVersion = "", continue: token = "" } = page.metadata;
        const items = page.items.map((item) => this.#transform(item));
        feed({ type: "page", items, resourceVersion, continue: token });
      } else {
        const watch = await this.#open(attempt, signal);
        if (stop.aborted) return watch.close();
        this.#watch = watch;
        this.#watchOpenedAt = this.#deps.clock.monotonic();
        this.#failuresInRow = 0;
        feed({ type: "opened" });
      }
    } catch (error) {
      if (!stop.aborted) this.#fail(error, attempt.how, feed);
    } finally {
      release();
    }
  }

  /** A request that gets no answer at all must not hang for ever. */
  #withTimeout(stop: AbortSignal): { readonly signal: AbortSignal; readonly release: () => void } {
    const limit = new AbortController();
    const onStop = (): void => limit.abort(stop.reason);
    if (stop.aborted) onStop();
    stop.addEventListener("abort", onStop, { once: true });
    const timeoutMs = this.#settings.requestTimeoutMs ?? 120_000;
    const timer = this.#deps.clock.setTimer(timeoutMs, () =>
      limit.abort(new ConnectionError(`no answer within ${timeoutMs} ms`)),
    );
    const release = (): void => {
      timer.cancel();
      stop.removeEventListener("abort", onStop);
    };
    return { signal: limit.signal, release };
  }

  #list(attempt: Attempt & { how: "list" }, signal: AbortSignal): Promise<ListOf<AnyKind>> {
    this.#listCount++;
    // a continue token carries the version of the first page
    const isFirst = attempt.continue === undefined;
    const hasVersion = isFirst && attempt.resourceVersion !== "";
    return this.#deps.client.list(this.#kind, {
      ...this.#scope,
      ...(attempt.paged ? { limit: this.#settings.pageSize ?? 500 } : {}),
      ...(hasVersion
        ? { resourceVersion: attempt.resourceVersion, resourceVersionMatch: "NotOlderThan" }
        : {}),
      ...(isFirst ? {} : { continue: attempt.continue }),
      signal,
    });
  }

  #open(attempt: Attempt & { how: "watch" | "watch-list" }, signal: AbortSignal): Promise<Watch<Frozen>> {
    this.#watchCount++;
    // a spread of lifetimes keeps watches of many processes from ending together
    const timeoutSeconds = Math.round(300 + 300 * this.#deps.random.next());
    const initial =
      attempt.how === "watch-list"
        ? ({ sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" } as const)
        : {};
    return this.#deps.client.watch(this.#kind, {
      ...this.#scope,
      ...initial,
      ...(attempt.resourceVersion === "" ? {} : { resourceVersion: attempt.resourceVersion }),
      bookmarks: true,
      timeoutSeconds,
      signal,
    }) as Promise<Watch<Frozen>>;
  }

  /** Takes in what an open watch sends, until it ends or a command is due. */
  async #follow(
    watch: Watch<Frozen>,
    feed: (input: ReflectorInput) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const guard = this.#guardIdle(watch);
    try {
      for await (const events of watch.batches()) {
        if (signal.aborted) return;
        guard.touch();
        this.#take(events);
      }
      const wasHealthy = this.#over(watch, guard);
      if (!signal.aborted) feed({ type: "ended", wasHealthy });
    } catch (error) {
      this.#over(watch, guard);
      if (this.#targetError !== undefined) throw error;
      if (!signal.aborted) this.#fail(error, "watch", feed);
    }
  }

  /** Answers whether the watch has lived for so long that its end is no sign of trouble. */
  #over(watch: Watch<Frozen>, guard: IdleGuard): boolean {
    guard.stop();
    watch.close();
    this.#watch = undefined;
    const wasHealthy = this.#deps.clock.monotonic() - this.#watchOpenedAt >= healthyMs;
    if (wasHealthy) this.#retry.reset();
    return wasHealthy;
  }

  /** Closes the watch when it says nothing for too long. One timer per idle period, not per batch. */
  #guardIdle(watch: Watch<Frozen>): IdleGuard {
    const { clock } = this.#deps;
    const idleMs = this.#settings.watchIdleMs ?? 90_000;
    let touchedAt = clock.monotonic();
    const check = (): void => {
      const leftMs = touchedAt + idleMs - clock.monotonic();
      if (leftMs > 0) {
        timer = clock.setTimer(leftMs, check);
        return;
      }
      this.#log.warn(
        { kind: this.#kind.kind, idleMs },
        "watch delivered nothing for too long; opening it again",
      );
      watch.close();
    };
    let timer = clock.setTimer(idleMs, check);
    return { touch: () => void (touchedAt = clock.monotonic()), stop: () => timer.cancel() };
  }

  #fail(error: unknown, how: string, feed: (input: ReflectorInput) => void): void {
    const failure = classify(error);
    const message = error instanceof Error ? error.message : String(error);
    // one line per new trouble, not one per attempt
    if (message !== this.#lastError || this.#failuresInRow === 0) {
      const fields = { kind: this.#kind.kind, apiVersion: this.#kind.apiVersion, err: error };
      if (failure.kind === "expired")
        this.#log.info(fields, `${how}: the server forgot the version; listing again`);
      else this.#log.warn(fields, `${how} failed; it is tried again`);
    }
    this.#failuresInRow++;
    this.#lastError = message;
    feed({ type: "failed", failure });
  }
}

interface IdleGuard {
  touch(): void;
  stop(): void;
}

/** Source of the rules: client-go tools/cache (reflector.go) isExpiredError, isTooLargeResourceVersionError. */
function classify(error: unknown): Failure {
  if (!isStatusError(error)) return { kind: "failed" };
  if (isExpired(error)) return { kind: "expired" };
  const isTooNew =
    error.causes.some((cause) => cause.reason === "ResourceVersionTooLarge") ||
    error.message.includes("Too large resource version");
  if (isTooNew) return { kind: "too-new" };
  if (error.retryAfterMs !== undefined) return { kind: "busy", retryAfterMs: error.retryAfterMs };
  if (error.code === 429) return { kind: "failed" };
  if (error.code === 400 || error.code === 405 || error.code === 422) return { kind: "refused" };
  return { kind: "failed" };
}
