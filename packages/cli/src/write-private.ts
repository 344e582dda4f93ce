import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a file that holds a key: only its owner may read it. */
export async function writePrivate(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.resolve(file)), { recursive: true });
  await writeFile(file, text, { mode: 0o600 });
}
