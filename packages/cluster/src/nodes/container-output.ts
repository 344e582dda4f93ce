/** Output of a container as it is written, for those who are attached to it. */

export interface OutputPiece {
  readonly bytes: Uint8Array;
  readonly stream: "stdout" | "stderr";
}

/** So many pieces wait for one who is slow; the oldest go first. */
const waitingMax = 10_000;

/** Gives what is written to any number of readers. */
export class ContainerOutput {
  readonly #taps = new Set<OutputTap>();
  #isEnded = false;

  write(text: string | Uint8Array, stream: "stdout" | "stderr", isTerminal: boolean): void {
    if (this.#taps.size === 0) return;
    const bytes = outputBytes(text, isTerminal);
    for (const tap of this.#taps) tap.push({ bytes, stream });
  }

  /** Nothing more will be written. */
  end(): void {
    this.#isEnded = true;
    for (const tap of this.#taps) tap.end();
    this.#taps.clear();
  }

  /** What is written from now on, until the end or until the signal is aborted. */
  tap(signal: AbortSignal): AsyncIterable<OutputPiece> {
    const tap = new OutputTap();
    const leave = (): void => {
      this.#taps.delete(tap);
      tap.end();
    };
    if (signal.aborted || this.#isEnded) leave();
    else {
      this.#taps.add(tap);
      signal.addEventListener("abort", leave, { once: true });
    }
    return tap;
  }
}

class OutputTap implements AsyncIterable<OutputPiece> {
  readonly #pieces: OutputPiece[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(piece: OutputPiece): void {
    this.#pieces.push(piece);
    if (this.#pieces.length > waitingMax) this.#pieces.shift();
    this.#wake?.();
  }

  /** What waits is still read. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OutputPiece, void, undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isEnded) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

const utf8 = new TextEncoder();

/** What a program writes as it reaches a caller: a terminal begins lines at the left. */
export function outputBytes(text: string | Uint8Array, isTerminal: boolean): Uint8Array {
  if (typeof text !== "string") return text;
  return utf8.encode(isTerminal ? text.replace(/\r?\n/g, "\r\n") : text);
}
