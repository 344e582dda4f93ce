/**
 * Several streams over one WebSocket: the first byte of a message names its channel.
 * Source: apimachinery pkg/util/httpstream/wsstream, pkg/util/remotecommand.
 */
import type { MessageSocket } from "@bowline/client";
import { ByteQueue } from "../../byte-queue.ts";

/** In v5, says that the channel that follows has ended. */
const closeChannel = 255;

export class ChannelSocket {
  readonly #socket: MessageSocket;
  readonly #incoming = new Map<number, ByteQueue>();
  readonly #gone = new AbortController();

  /** @param inputs the channels that are read; what comes on others is dropped */
  constructor(socket: MessageSocket, inputs: readonly number[]) {
    this.#socket = socket;
    for (const channel of inputs) this.#incoming.set(channel, new ByteQueue());
    void this.#pump();
  }

  /** Aborted when the other side has gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  incoming(channel: number): ByteQueue {
    const queue = this.#incoming.get(channel);
    if (queue === undefined) throw new Error(`channel ${channel} is not read`);
    return queue;
  }

  async send(channel: number, content: Uint8Array): Promise<void> {
    const message = new Uint8Array(content.length + 1);
    message[0] = channel;
    message.set(content, 1);
    await this.#socket.send(message);
  }

  async #pump(): Promise<void> {
    try {
      for await (const message of this.#socket) {
        const [channel = 0, argument = 0] = message;
        if (channel === closeChannel) this.#incoming.get(argument)?.end();
        else await this.#incoming.get(channel)?.push(message.subarray(1));
      }
    } catch {
      // a broken connection has ended
    }
    for (const queue of this.#incoming.values()) queue.end();
    this.#gone.abort(new Error("the client has gone"));
  }
}
