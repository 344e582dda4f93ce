import { type Status, StatusError } from "@bowline/api";
import type { ObjectEvent, Watch } from "./client.ts";
import type { WatchStream } from "./ports/transport.ts";

/** A stream of a transport as a client's watch: an ERROR event becomes a StatusError. */
export function watchOver<T>(stream: WatchStream<T>): Watch<T> {
  return {
    batches: () => batches(stream),
    close: () => stream.close(),
    async *[Symbol.asyncIterator]() {
      for await (const batch of batches(stream)) yield* batch;
    },
  };
}

async function* batches<T>(stream: WatchStream<T>): AsyncGenerator<readonly ObjectEvent<T>[]> {
  for await (const batch of stream) {
    // The server sends ERROR as the last event of a stream, so only the end of a batch needs a look.
    const last = batch[batch.length - 1];
    if (last?.type !== "ERROR") {
      yield batch as readonly ObjectEvent<T>[];
      continue;
    }
    if (batch.length > 1) yield batch.slice(0, -1) as readonly ObjectEvent<T>[];
    throw new StatusError(last.object as Status);
  }
}
