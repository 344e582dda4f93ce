/** One client against a cluster of its own. */
import type { InteropClient } from "./clients.ts";
import { Session, type Verdict } from "./session.ts";

export interface ClientReport {
  /** Why it did not run; undefined: it ran. */
  readonly missing?: string;
  readonly verdicts: readonly Verdict[];
  readonly elapsedMs: number;
}

/** @param heard told of each verdict as it comes */
export async function runClient(
  client: InteropClient,
  heard: (verdict: Verdict) => void = () => {},
): Promise<ClientReport> {
  const ready = await client.prepare();
  if (ready.missing !== undefined) return { missing: ready.missing, verdicts: [], elapsedMs: 0 };
  const start = Date.now();
  const session = await Session.start({ ...ready, heard });
  try {
    await client.run(session);
  } finally {
    await session.close();
  }
  return { verdicts: session.verdicts, elapsedMs: Date.now() - start };
}

export function hasFailed(verdict: Verdict): boolean {
  return verdict.failure !== "";
}
