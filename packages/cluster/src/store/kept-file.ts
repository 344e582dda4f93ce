import { renameSync, writeFileSync } from "node:fs";

/** Ending of a file that is being written. */
export const unfinishedSuffix = ".new";

/**
 * Writes a file that only its owner can read. Whoever reads it finds all of it, or what was there before, wherever this
 * process is killed.
 */
export function writeKeptFile(file: string, content: string): void {
  const unfinished = `${file}${unfinishedSuffix}`;
  writeFileSync(unfinished, content, { mode: 0o600 });
  renameSync(unfinished, file);
}
