/** One line that a container wrote. */
export interface LogLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Without the line's end. */
  readonly text: string;
  readonly stream: "stdout" | "stderr";
}

/** So many lines are kept of a run; the oldest go first. */
const linesMax = 10_000;

/** What one run of a container wrote. */
export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #listeners = new Set<() => void>();
  #dropped = 0;
  #isClosed = false;

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  add(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > linesMax) {
      this.#lines.shift();
      this.#dropped++;
    }
    this.#tell();
  }

  /** The run is over: nothing more will come. */
  close(): void {
    this.#isClosed = true;
    this.#tell();
  }

  /** What there is after the first `skip` lines kept, and then what comes, until the run is over or the signal is aborted. */
  async *follow(signal: AbortSignal, skip = 0): AsyncGenerator<LogLine, void, undefined> {
    let next = this.#dropped + skip;
    while (!signal.aborted) {
      next = Math.max(next, this.#dropped);
      const line = this.#lines[next - this.#dropped];
      if (line !== undefined) {
        next++;
        yield line;
      } else if (this.#isClosed) return;
      else await this.#change(signal);
    }
  }

  #change(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#listeners.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.#listeners.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
