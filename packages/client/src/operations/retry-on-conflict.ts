import { isConflict } from "@bowline/api";
import type { Client } from "../client.ts";
import { sleep } from "../ports/clock.ts";

export interface RetryOnConflictOptions {
  /** How often to try in all. Default 5. */
  readonly attemptCountMax?: number | undefined;
  /** Wait before the second attempt; doubled for each further one, up to a tenth more at random. Default 10 ms. */
  readonly delayMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `attempt` until it does not throw Conflict. Read the object inside of it, so that each attempt starts from what is
 * there then. Source: client-go util/retry.
 * @throws what `attempt` throws; the last Conflict when the attempts are used up
 */
export async function retryOnConflict<T>(
  client: Pick<Client, "clock" | "random">,
  attempt: () => Promise<T>,
  options: RetryOnConflictOptions = {},
): Promise<T> {
  const { attemptCountMax = 5, delayMs = 10, signal } = options;
  for (let count = 1; ; count++) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || count >= attemptCountMax) throw error;
    }
    await sleep(client.clock, delayMs * 2 ** (count - 1) * (1 + client.random.next() / 10), signal);
  }
}
