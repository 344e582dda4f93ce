import type { ByteStream } from "../ports/transport.ts";
import type { ChunkSource } from "./exchange.ts";

/** The body of an answer as a stream of bytes. */
export function byteStream(body: ChunkSource, failure: (error: unknown) => unknown): ByteStream {
  return {
    close: () => body.close(),
    async *[Symbol.asyncIterator]() {
      try {
        for (let chunks = await body.next(); chunks !== undefined; chunks = await body.next()) yield* chunks;
      } catch (error) {
        throw failure(error);
      } finally {
        body.close();
      }
    },
  };
}
