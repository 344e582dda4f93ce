import { abortable } from "../abortable.ts";
import type { Clock } from "../ports/clock.ts";
import type { CredentialSource, Credentials } from "./connection.ts";

/** Credentials and until when they hold. */
export interface Lease {
  readonly credentials: Credentials;
  /** Milliseconds since 1970; undefined: until the server refuses them. */
  readonly expiresAtMs?: number | undefined;
}

export interface RefreshingSourceOptions {
  readonly clock: Clock;
  /** Obtains new credentials; called once at a time. */
  readonly load: () => Promise<Lease>;
}

/** New credentials are fetched when so much of their life is left, at most `earlyMsMax`, while the old ones serve on. */
const earlyShare = 0.2;
const earlyMsMax = 60_000;

/** An outcome stands for so long: a broken plug-in is not started again for each of a hundred requests. */
const holdMs = 2_000;

/**
 * Credentials that expire. Any number of callers share one load; shortly before the end the next ones are fetched in the
 * background, so that nobody waits; expired ones are never given out.
 */
export class RefreshingSource implements CredentialSource {
  readonly #options: RefreshingSourceOptions;
  #lease: (Lease & { readonly refreshAtMs: number }) | undefined;
  #loading: Promise<Credentials> | undefined;
  #renewedAtMs: number = Number.NEGATIVE_INFINITY;
  #failure: { readonly error: unknown; readonly untilMs: number } | undefined;

  constructor(options: RefreshingSourceOptions) {
    this.#options = options;
  }

  async current(signal?: AbortSignal): Promise<Credentials> {
    const now = this.#options.clock.now();
    const lease = this.#lease;
    if (lease === undefined || now >= (lease.expiresAtMs ?? Number.POSITIVE_INFINITY)) {
      return abortable(this.#loadOnce(), signal);
    }
    // A failed early refresh is not the caller's concern while the old credentials hold; the next call tries again.
    if (now >= lease.refreshAtMs) this.#loadOnce().catch(() => {});
    return lease.credentials;
  }

  async renew(refused: Credentials, signal?: AbortSignal): Promise<Credentials | undefined> {
    const lease = this.#lease;
    if (lease !== undefined && !isPartOf(lease.credentials, refused)) return lease.credentials;
    // When the last renewal was refused as well, another one will not be better the next moment.
    const now = this.#options.clock.now();
    if (this.#loading === undefined && now - this.#renewedAtMs < holdMs) return undefined;
    this.#renewedAtMs = now;
    const renewed = await abortable(this.#loadOnce(), signal);
    return isPartOf(renewed, refused) ? undefined : renewed;
  }

  #loadOnce(): Promise<Credentials> {
    this.#loading ??= this.#load().finally(() => void (this.#loading = undefined));
    return this.#loading;
  }

  async #load(): Promise<Credentials> {
    const { clock, load } = this.#options;
    if (this.#failure !== undefined && clock.now() < this.#failure.untilMs) throw this.#failure.error;
    try {
      const lease = await load();
      const now = clock.now();
      const lifeMs =
        lease.expiresAtMs === undefined ? Number.POSITIVE_INFINITY : Math.max(0, lease.expiresAtMs - now);
      this.#lease = {
        ...lease,
        refreshAtMs: now + lifeMs - Math.min(lifeMs * earlyShare, earlyMsMax),
      };
      this.#failure = undefined;
      return lease.credentials;
    } catch (error) {
      this.#failure = { error, untilMs: clock.now() + holdMs };
      throw error;
    }
  }
}

/** Whether `all` (perhaps joined with what another source gives) holds the very credentials `part`. */
function isPartOf(part: Credentials, all: Credentials): boolean {
  if (part.authorization !== undefined && part.authorization !== all.authorization) return false;
  return part.certificate === undefined || part.certificate.cert === all.certificate?.cert;
}
