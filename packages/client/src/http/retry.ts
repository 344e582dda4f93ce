import { retryAfterSecondsOf } from "./answer.ts";
import type { WireHeaders } from "./wire.ts";

/** An answer that asks to be tried again is obeyed so often, then thrown. Source: client-go rest/with_retry.go (maxRetries). */
export const retryCountMax = 10;

/** No server is waited for longer than this, whatever it asks. */
const delayMsMax = 120_000;

/**
 * After how many milliseconds to send a request again that was answered so; undefined for an answer that stands. A server
 * that sends Retry-After with 429 or 5xx has not done what was asked, so this holds for writes as well. Up to a quarter
 * is added, so that many clients that were refused together do not come back together.
 * @param random in [0, 1)
 */
export function retryDelayMs(status: number, headers: WireHeaders, random: number): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  const seconds = retryAfterSecondsOf(headers);
  if (seconds === undefined) return undefined;
  return Math.min(seconds * 1000, delayMsMax) * (1 + random / 4);
}

/** Whether a broken connection may mean only that the server closed it while it was idle: a read is then sent once more. */
export function isStaleConnection(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && (staleCodes.has(code) || code.startsWith("ERR_HTTP2_"));
}

const staleCodes: ReadonlySet<string> = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
