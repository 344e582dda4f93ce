/** Where a command writes: the process's streams, or a test's. */
export interface Output {
  write(text: string): void;
  error(text: string): void;
  /** A person watches: lines may be redrawn and coloured. */
  readonly isTerminal: boolean;
  /** Width in characters. */
  readonly columns: number;
}

export const processOutput: Output = {
  write: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  get isTerminal() {
    return process.stdout.isTTY === true;
  },
  get columns() {
    return process.stdout.columns ?? 120;
  },
};
