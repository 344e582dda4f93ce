/** How a session's client tells the size of its terminal. Source: kubernetes pkg/kubelet/server/remotecommand (handleResizeEvents). */
import type { TerminalSize } from "../../session-port.ts";

/** One size is a few bytes; what is longer is none. */
const textMax = 1024;

/**
 * The sizes in a stream of JSON objects, `{"Width":80,"Height":24}`, which may be cut anywhere. It ends with what is no size:
 * the session goes on without.
 */
export async function* terminalSizes(
  incoming: AsyncIterable<Uint8Array>,
): AsyncGenerator<TerminalSize, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of incoming) {
    text += decoder.decode(bytes, { stream: true });
    for (let end = text.indexOf("}"); end >= 0; end = text.indexOf("}")) {
      const size = sizeOf(text.slice(0, end + 1));
      if (size === undefined) return;
      text = text.slice(end + 1);
      yield size;
    }
    if (text.length > textMax) return;
  }
}

function sizeOf(text: string): TerminalSize | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // names in any case, as Go reads them; what is missing is 0
  const fields = Object.entries(value as object).map(([name, field]) => [name.toLowerCase(), field] as const);
  const { width = 0, height = 0 } = Object.fromEntries(fields) as { width?: unknown; height?: unknown };
  return isCount(width) && isCount(height) ? { width, height } : undefined;
}

/** A 16 bit number. */
function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < 65_536;
}
