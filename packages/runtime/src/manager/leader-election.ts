import { type DeepReadonly, isAlreadyExists, isConflict, isNotFound } from "@bowline/api";
import { type Client, type Clock, type Random, rfc3339Micro, sleep } from "@bowline/client";
import { MisuseError } from "../errors.ts";
import { type LeaseObject, leaseKind } from "./builtin-kinds.ts";
import { type Logger, silentLogger } from "./logger.ts";
import { RenewableTerm, type Term } from "./term.ts";

/** Leader election on a Lease. */
export interface LeaderElectionOptions {
  /** Name of the Lease. */
  readonly id: string;
  readonly namespace: string;
  /** Default: host name and a UUID. */
  readonly identity?: string;
  /** Others wait this long after the last renewal they saw. Default 15,000; whole seconds. */
  readonly leaseDurationMs?: number;
  /** The leader stops working when it could not renew for so long. Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** Time between attempts. Default 2,000. */
  readonly retryPeriodMs?: number;
  /** Give the lease back on a clean stop. Default true. */
  readonly release?: boolean;
  /**
   * Takes the lease, once, also from a holder that renews it, and leads as soon as that holder must have stopped: the
   * duration that its record promises. For a developer's process that borrows the lease of a deployed operator. Default false.
   */
  readonly takeover?: boolean;
}

export interface LeaderElectorOptions extends LeaderElectionOptions {
  readonly identity: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /**
   * Works while the term lasts. When the term's signal is aborted it must stop and resolve: only then is leadership sought
   * again.
   */
  readonly lead: (term: Term) => Promise<void>;
  /** Called when a renewal that sent what is known did not do, and the lease was read again. */
  readonly onSlowPath?: () => void;
}

interface Instant {
  readonly monotonic: number;
  readonly wall: number;
}

type Lease = DeepReadonly<LeaseObject>;

/** Attempts are spread by up to this share, so that candidates do not go in step. */
const jitterFactor = 1.2;

/**
 * Leads, or waits to lead. The rules that make it safe with clocks that disagree:
 *
 * - whether a lease has run out is judged by the local time since its record was last seen to change, never by the times
 *   written in it;
 * - a leader counts its own deadline from before the request that renewed, and stops working then (`renewDeadlineMs`), well
 *   before others may take over (`leaseDurationMs`);
 * - every write carries the version that was read, so two candidates cannot both succeed.
 *
 * Source of the rules: client-go tools/leaderelection (leaderelection.go).
 */
export class LeaderElector {
  readonly #options: LeaderElectorOptions;
  readonly #log: Logger;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  #lease: Lease | undefined;
  /** When the record was last seen to change, by the monotonic clock. */
  #observedAt = 0;
  #observed = "";
  #isLeader = false;
  #mayTakeOver: boolean;
  /** Until then whoever held the lease before may go on with its work, by the monotonic clock. */
  #previousStopsAt = 0;

  /** @throws MisuseError when the times do not fit together */
  constructor(options: LeaderElectorOptions) {
    this.#options = options;
    this.#log = (options.log ?? silentLogger).child({ lease: `${options.namespace}/${options.id}` });
    this.#leaseDurationMs = options.leaseDurationMs ?? 15_000;
    this.#renewDeadlineMs = options.renewDeadlineMs ?? 10_000;
    this.#retryPeriodMs = options.retryPeriodMs ?? 2_000;
    this.#mayTakeOver = options.takeover === true;
    const fits =
      this.#leaseDurationMs > this.#renewDeadlineMs &&
      this.#renewDeadlineMs > this.#retryPeriodMs * jitterFactor;
    if (!fits || this.#leaseDurationMs < 1000) {
      throw new MisuseError(
        `leader election: leaseDurationMs (${this.#leaseDurationMs}, at least 1000) must exceed renewDeadlineMs ` +
          `(${this.#renewDeadlineMs}), and that retryPeriodMs * 1.2 (${this.#retryPeriodMs * jitterFactor})`,
      );
    }
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** Holder of the lease, as last seen. */
  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? "";
  }

  /** Seeks leadership, leads, and seeks it again after a loss, until the signal is aborted. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const acquiredAt = await this.#acquire(signal);
      if (acquiredAt === undefined) return;
      await this.#leadFor(new RenewableTerm(this.#options.clock, this.#renewDeadlineMs, acquiredAt), signal);
    }
  }

  /** Gives the lease back, so that another need not wait for it to run out. Call when the work has ended. */
  async release(): Promise<void> {
    if (this.#options.release === false || this.#lease?.spec?.holderIdentity !== this.#options.identity)
      return;
    const now = rfc3339Micro(this.#options.clock.now());
    const spec = {
      ...this.#lease.spec,
      holderIdentity: "",
      leaseDurationSeconds: 1,
      renewTime: now,
      acquireTime: now,
    };
    try {
      await this.#withTimeout((signal) => this.#put({ ...(this.#lease as Lease), spec }, signal));
      this.#log.info({}, "released the lease");
    } catch (error) {
      this.#log.warn({ err: error }, "the lease could not be released; others wait until it runs out");
    }
  }

  /** Answers the instant before the request that succeeded; undefined when stopped. */
  async #acquire(signal: AbortSignal): Promise<Instant | undefined> {
    while (!signal.aborted) {
      const at = this.#instant();
      if (await this.#tryAcquireOrRenew()) return at;
      const waitMs = this.#retryPeriodMs * (1 + (jitterFactor - 1) * this.#options.random.next());
      await sleep(this.#options.clock, waitMs, signal).catch(() => undefined);
    }
    return undefined;
  }

  async #leadFor(term: RenewableTerm, stop: AbortSignal): Promise<void> {
    this.#isLeader = true;
    this.#log.info({ identity: this.#options.identity }, "leading");
    const ended = new AbortController();
    const onStop = (): void => ended.abort();
    stop.addEventListener("abort", onStop, { once: true });
    const renewing = this.#renew(term, ended.signal);
    try {
      if (await this.#previousHasStopped(AbortSignal.any([stop, term.signal])))
        await this.#options.lead(term);
    } catch (error) {
      this.#log.error({ err: error }, "the leader's work failed");
    }
    stop.removeEventListener("abort", onStop);
    ended.abort();
    await renewing;
    this.#isLeader = false;
  }

  /**
   * Waits for the holder from whom the lease was taken. It learns of that when it renews, or not at all, and stops at its renew
   * deadline at the latest, which is shorter than the lease's duration. False when the signal is aborted before.
   */
  async #previousHasStopped(signal: AbortSignal): Promise<boolean> {
    const waitMs = this.#previousStopsAt - this.#options.clock.monotonic();
    if (waitMs <= 0) return true;
    return sleep(this.#options.clock, waitMs, signal).then(
      () => true,
      () => false,
    );
  }

  /** Renews until the term is lost or the work has ended. */
  async #renew(term: RenewableTerm, ended: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // the deadline is a timer of its own: a request that hangs must not keep the term alive
    const watchDeadline = (): void => {
      if (ended.aborted) return;
      if (term.leftMs <= 0) {
        this.#log.warn(
          { renewDeadlineMs: this.#renewDeadlineMs },
          "the lease could not be renewed in time; no longer leading",
        );
        this.#isLeader = false;
        term.end(`the lease could not be renewed within ${this.#renewDeadlineMs} ms`);
        return;
      }
      timer = clock.setTimer(term.leftMs, watchDeadline);
    };
    let timer = clock.setTimer(term.leftMs, watchDeadline);
    while (!ended.aborted && !term.signal.aborted) {
      // a term that ends meanwhile ends the work, and with it this wait
      await sleep(clock, this.#retryPeriodMs, ended).catch(() => undefined);
      if (ended.aborted || term.signal.aborted) break;
      const at = this.#instant();
      const renewed = await this.#tryAcquireOrRenew();
      if (renewed && !term.signal.aborted) term.renew(at);
      else if (this.holder !== this.#options.identity && this.holder !== "") {
        this.#isLeader = false;
        term.end(`the lease was taken by ${this.holder}`);
      }
    }
    timer.cancel();
  }

  #instant(): Instant {
    return { monotonic: this.#options.clock.monotonic(), wall: this.#options.clock.now() };
  }

  /** Whether the lease is held by us afterwards. Never rejects. */
  async #tryAcquireOrRenew(): Promise<boolean> {
    try {
      return await this.#withTimeout((signal) => this.#attempt(signal));
    } catch (error) {
      const isRace = isConflict(error) || isAlreadyExists(error);
      if (isRace) this.#log.debug({ err: error }, "another candidate was quicker");
      else this.#log.warn({ err: error }, "the lease could not be read or written");
      return false;
    }
  }

  async #attempt(signal: AbortSignal): Promise<boolean> {
    if (!this.#isLeader || this.#lease?.spec?.holderIdentity !== this.#options.identity)
      return this.#readAndAttempt(signal);
    const { spec } = this.#lease;
    try {
      // nobody else writes the lease of a leader: it need not be read before each renewal
      const renewTime = rfc3339Micro(this.#options.clock.now());
      await this.#put({ ...this.#lease, spec: { ...spec, renewTime } }, signal);
      return true;
    } catch (error) {
      this.#log.debug({ err: error }, "the lease is read again before it is renewed");
      this.#options.onSlowPath?.();
      return this.#readAndAttempt(signal);
    }
  }

  async #readAndAttempt(signal: AbortSignal): Promise<boolean> {
    const { client, id: name, namespace, identity, clock } = this.#options;
    const now = rfc3339Micro(clock.now());
    const leaseDurationSeconds = Math.ceil(this.#leaseDurationMs / 1000);
    let current: Lease;
    try {
      current = await client.get(leaseKind, { namespace, name }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const spec = {
        holderIdentity: identity,
        leaseDurationSeconds,
        acquireTime: now,
        renewTime: now,
        leaseTransitions: 0,
      };
      const { apiVersion, kind } = leaseKind;
      this.#observe(
        await client.create(leaseKind, { apiVersion, kind, metadata: { namespace, name }, spec }, { signal }),
      );
      return true;
    }
    this.#observe(current);
    const { spec = {} } = current;
    const holder = spec.holderIdentity ?? "";
    const isOurs = holder === identity;
    const heldMs = (spec.leaseDurationSeconds ?? leaseDurationSeconds) * 1000;
    const isHeld = !isOurs && holder !== "" && clock.monotonic() < this.#observedAt + heldMs;
    if (isHeld && !this.#mayTakeOver) return false;
    const transitions = spec.leaseTransitions ?? 0;
    await this.#put(
      {
        ...current,
        spec: {
          ...spec,
          holderIdentity: identity,
          leaseDurationSeconds,
          renewTime: now,
          acquireTime: isOurs ? (spec.acquireTime ?? now) : now,
          leaseTransitions: isOurs ? transitions : transitions + 1,
        },
      },
      signal,
    );
    if (isHeld) {
      this.#log.info({ holder }, "took the lease from a holder that renews it");
      this.#previousStopsAt = clock.monotonic() + heldMs;
    }
    this.#mayTakeOver = false;
    return true;
  }

  /** Writes with the version that was read. */
  async #put(lease: Lease, signal: AbortSignal): Promise<void> {
    this.#observe(await this.#options.client.update(leaseKind, lease, { signal }));
  }

  #observe(lease: Lease): void {
    this.#lease = lease;
    const record = JSON.stringify(lease.spec ?? {});
    if (record === this.#observed) return;
    this.#observed = record;
    this.#observedAt = this.#options.clock.monotonic();
  }

  /** Source: controller-runtime pkg/leaderelection: half of the renew deadline, at least a second. */
  async #withTimeout<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController();
    const timeoutMs = Math.max(1000, this.#renewDeadlineMs / 2);
    const timer = this.#options.clock.setTimer(timeoutMs, () =>
      limit.abort(new Error(`no answer within ${timeoutMs} ms`)),
    );
    try {
      return await Promise.race([request(limit.signal), aborted(limit.signal)]);
    } finally {
      timer.cancel();
    }
  }
}

/** Rejects when the signal is aborted: for requests that do not heed it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
