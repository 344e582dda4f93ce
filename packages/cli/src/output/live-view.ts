/** Shows how objects come up: on a terminal a block that is redrawn, elsewhere one line per change. */
import type { Output } from "./output.ts";

export interface LiveRow {
  /** Stays the same while the object lives. */
  readonly id: string;
  /** `Deployment/myapp`. */
  readonly name: string;
  /** `3/3 ready`. */
  readonly state: string;
  /** How far it is indented under its owner. */
  readonly depth: number;
  readonly done: boolean;
}

export class LiveView {
  readonly #output: Output;
  readonly #elapsedMs: () => number;
  #drawn = 0;
  #last = new Map<string, string>();
  #rows: readonly LiveRow[] = [];
  #isOpen = true;

  /** @param elapsedMs time since the start, for the lines */
  constructor(output: Output, elapsedMs: () => number) {
    this.#output = output;
    this.#elapsedMs = elapsedMs;
  }

  /** Shows these rows, in their order. */
  show(rows: readonly LiveRow[]): void {
    if (!this.#isOpen) return;
    this.#rows = rows;
    if (this.#output.isTerminal) this.#redraw(rows);
    else this.#printChanges(rows);
  }

  /** A line that stays, on a terminal above the block. */
  log(line: string): void {
    if (!this.#isOpen) return;
    this.#output.write(`${this.#clear()}${this.#time()}  ${line}\n`);
    this.#drawn = 0;
    if (this.#output.isTerminal) this.#redraw(this.#rows);
  }

  /** Nothing is shown any more: what follows is not the operator's. */
  close(): void {
    this.#isOpen = false;
  }

  #time(): string {
    return `+${(this.#elapsedMs() / 1000).toFixed(2)}s`.padStart(8);
  }

  /** Moves up over the block and takes it away. */
  #clear(): string {
    return this.#drawn > 0 ? `\u001b[${this.#drawn}A\u001b[0J` : "";
  }

  #redraw(rows: readonly LiveRow[]): void {
    const width = Math.max(0, ...rows.map((r) => r.depth * 2 + r.name.length));
    const lines = rows.map((row) => {
      const mark = row.done ? "\u001b[32m✓\u001b[39m" : "\u001b[33m…\u001b[39m";
      const name = `${"  ".repeat(row.depth)}${row.name}`.padEnd(width);
      return ` ${mark} ${name}  ${row.state}`.slice(0, this.#output.columns + 10);
    });
    this.#output.write(`${this.#clear()}${lines.map((line) => `${line}\n`).join("")}`);
    this.#drawn = lines.length;
  }

  #printChanges(rows: readonly LiveRow[]): void {
    const now = new Map(rows.map((row) => [row.id, `${row.name}  ${row.state}`]));
    const time = this.#time();
    for (const [id, text] of now) if (this.#last.get(id) !== text) this.#output.write(`${time}  ${text}\n`);
    for (const [id, text] of this.#last) {
      if (!now.has(id)) this.#output.write(`${time}  ${text.split("  ")[0]}  deleted\n`);
    }
    this.#last = now;
  }
}
