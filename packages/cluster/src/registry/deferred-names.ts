/** Names that are looked at soon after a write was answered, each once however often it was named meanwhile. */
import type { Clock } from "@bowline/client";

export interface DeferredNamesOptions {
  readonly clock: Clock;
  /** Looks at all that were named since the last time. What it throws for one name is told, and the others go on. */
  readonly visit: (name: string) => void;
  /** Called before the first of them. */
  readonly beforeVisits?: () => void;
  readonly onError: (error: unknown) => void;
}

export class DeferredNames {
  readonly #options: DeferredNamesOptions;
  #names = new Set<string>();
  #isClosed = false;

  constructor(options: DeferredNamesOptions) {
    this.#options = options;
  }

  add(name: string): void {
    this.#names.add(name);
    if (this.#names.size === 1) this.#options.clock.setTimer(0, () => this.#visitAll());
  }

  /** Nothing is looked at any more. */
  close(): void {
    this.#isClosed = true;
  }

  #visitAll(): void {
    if (this.#isClosed) return;
    const names = this.#names;
    this.#names = new Set();
    this.#options.beforeVisits?.();
    for (const name of names) {
      try {
        this.#options.visit(name);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }
}
