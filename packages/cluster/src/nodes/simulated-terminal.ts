import type { TerminalSize } from "../session-port.ts";
import type { Terminal } from "./image-behavior.ts";

/** A terminal, as its program sees it and as its callers say its size. */
export class SimulatedTerminal implements Terminal {
  readonly #listeners = new Set<() => void>();
  #size: TerminalSize | undefined;
  #changes = 0;
  #isClosed = false;

  get size(): TerminalSize | undefined {
    return this.#size;
  }

  /** Sizes between two looks are one: the last. */
  async *sizes(): AsyncGenerator<TerminalSize, void, undefined> {
    for (let seen = 0; ; ) {
      if (this.#size !== undefined && seen < this.#changes) {
        seen = this.#changes;
        yield this.#size;
      } else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => this.#listeners.add(resolve));
    }
  }

  /** Takes over sizes until there are no more. */
  async follow(sizes: AsyncIterable<TerminalSize>): Promise<void> {
    for await (const size of sizes) {
      this.#size = size;
      this.#changes++;
      this.#tell();
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
