import type { WatchEvent, WatchStream } from "../ports/transport.ts";
import type { ChunkSource } from "./exchange.ts";
import { WatchDecoder } from "./watch-decoder.ts";

/**
 * The body of an answer as a watch: everything that arrived together is one batch.
 * @param silenceMs the watch fails when nothing arrives for so long
 */
export function httpWatchStream<T>(
  body: ChunkSource,
  silenceMs: number | undefined,
  failure: (error: unknown) => unknown,
): WatchStream<T> {
  return {
    close: () => body.close(),
    async *[Symbol.asyncIterator](): AsyncGenerator<readonly WatchEvent<T>[]> {
      const decoder = new WatchDecoder<T>();
      try {
        for (
          let chunks = await body.next(silenceMs);
          chunks !== undefined;
          chunks = await body.next(silenceMs)
        ) {
          const events = decoder.decode(chunks);
          if (events.length > 0) yield events;
        }
        if (body.isClosed) return;
        const events = decoder.end();
        if (events.length > 0) yield events;
      } catch (error) {
        throw failure(error);
      } finally {
        body.close();
      }
    },
  };
}
