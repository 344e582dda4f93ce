/** Notices that the sources of a project have changed. */
import { existsSync } from "node:fs";
import { type Clock, sleep } from "@bowline/client";
import { newest } from "./program.ts";

/** Looking is cheap, works on every file system and in every container, and a person does not notice the delay. */
const pollMs = 300;

/** Yields when files below the folder were written and none was any more for a while. Ends with the signal. */
export async function* sourceChanges(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<undefined> {
  if (!existsSync(folder)) return;
  let known = newest(folder);
  let last = known;
  while (await waited(clock, signal)) {
    const now = newest(folder);
    // an editor or a version control system writes one file after the other
    if (now !== known && now === last) {
      known = now;
      yield undefined;
    }
    last = now;
  }
}

async function waited(clock: Clock, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  await sleep(clock, pollMs, signal).catch(() => {});
  return !signal.aborted;
}
