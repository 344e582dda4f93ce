import type { Clock, Timer } from "../ports/clock.ts";
import type { Wire, WireExchange, WireHeaders, WireListener, WireRequest } from "./wire.ts";

/** How long to wait for what, and for whom to give up. */
export interface ExchangeLimits {
  readonly clock: Clock;
  /** Longest silence while an answer is awaited. Undefined: no limit. */
  readonly silenceMs?: number | undefined;
  /** Makes the error for a silence that was too long. */
  readonly onSilence: (milliseconds: number) => Error;
  readonly signal?: AbortSignal | undefined;
}

/** A whole answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: Buffer;
}

/** An answer whose body is still arriving. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: ChunkSource;
}

/** Buffered chunks beyond this stop the reading from the connection until they are taken. */
const bufferedBytesMax = 1 << 20;

/** Sends a request and collects the whole answer. @throws the wire's error, the silence error, or the signal's reason */
export async function collect(
  wire: Wire,
  request: WireRequest,
  limits: ExchangeLimits,
): Promise<WholeAnswer> {
  const answer = await open(wire, request, limits);
  return { status: answer.status, headers: answer.headers, body: await answer.body.rest(limits.silenceMs) };
}

/** Sends a request; resolves with the headers, while the body arrives. Throws like `collect`. */
export function open(wire: Wire, request: WireRequest, limits: ExchangeLimits): Promise<OpenAnswer> {
  const { signal } = limits;
  if (signal?.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const body = new ChunkSource(limits);
    const listener: WireListener = {
      onStart: () => body.startTimer(limits.silenceMs),
      onHeaders(status, headers) {
        body.stopTimer();
        resolve({ status, headers, body });
      },
      onData: (chunk) => body.push(chunk),
      onEnd: () => body.finish(undefined),
      onError(error) {
        body.finish(error);
        reject(error);
      },
    };
    body.attach(wire.send(request, listener));
  });
}

/** The body of an answer, taken as it arrives. One reader. */
export class ChunkSource {
  readonly #limits: ExchangeLimits;
  #exchange: WireExchange | undefined;
  #chunks: Buffer[] = [];
  #bufferedBytes = 0;
  #paused = false;
  #done = false;
  #closed = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;
  #timer: Timer | undefined;
  #whole = false;
  readonly #onAbort = (): void => this.close(this.#limits.signal?.reason as Error);

  constructor(limits: ExchangeLimits) {
    this.#limits = limits;
  }

  attach(exchange: WireExchange): void {
    this.#exchange = exchange;
    if (!this.#done) this.#limits.signal?.addEventListener("abort", this.#onAbort);
  }

  /** Waits for data; undefined at the end. @param silenceMs gives up when nothing arrives for so long */
  async next(silenceMs?: number): Promise<readonly Buffer[] | undefined> {
    if (this.#chunks.length === 0 && !this.#done) {
      this.startTimer(silenceMs);
      await new Promise<void>((resolve) => void (this.#wake = resolve));
      this.stopTimer();
    }
    const chunks = this.#chunks;
    if (chunks.length > 0) {
      this.#chunks = [];
      this.#bufferedBytes = 0;
      if (this.#paused) {
        this.#paused = false;
        this.#exchange?.resume();
      }
      return chunks;
    }
    if (this.#error !== undefined) throw this.#error;
    return undefined;
  }

  /** Waits for everything that is still to come. */
  async rest(silenceMs?: number): Promise<Buffer> {
    this.#whole = true;
    const all: Buffer[] = [];
    for (let chunks = await this.next(silenceMs); chunks !== undefined; chunks = await this.next(silenceMs)) {
      all.push(...chunks);
    }
    return all.length === 1 ? (all[0] as Buffer) : Buffer.concat(all);
  }

  /** True once the reader closed it. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** Breaks the connection off. With a reason the reader's next wait throws it; without, the body just ends. */
  close(reason?: Error): void {
    this.#closed = true;
    if (this.#done) return;
    this.finish(reason);
    this.#exchange?.abort(reason ?? new Error("closed by its reader"));
  }

  push(chunk: Buffer): void {
    if (this.#done) return;
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    if (!this.#whole && !this.#paused && this.#bufferedBytes > bufferedBytesMax) {
      this.#paused = true;
      this.#exchange?.pause();
    }
    this.#wakeUp();
  }

  finish(error: Error | undefined): void {
    if (this.#done) return;
    this.#done = true;
    this.#error = error;
    this.stopTimer();
    this.#limits.signal?.removeEventListener("abort", this.#onAbort);
    this.#wakeUp();
  }

  startTimer(silenceMs: number | undefined): void {
    if (silenceMs === undefined || this.#done) return;
    const { clock, onSilence } = this.#limits;
    this.stopTimer();
    this.#timer = clock.setTimer(silenceMs, () => this.#exchange?.abort(onSilence(silenceMs)));
  }

  stopTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}
