import type { MessageSocket } from "@bowline/client";

/** The two ends of a connection of messages inside this process. Closing either end ends both. */
export function socketPair(protocol: string): { client: MessageSocket; server: MessageSocket } {
  const toClient = new Channel();
  const toServer = new Channel();
  const close = (): void => {
    toClient.close();
    toServer.close();
  };
  return {
    client: new SocketEnd(protocol, toClient, toServer, close),
    server: new SocketEnd(protocol, toServer, toClient, close),
  };
}

class SocketEnd implements MessageSocket {
  readonly protocol: string;
  readonly #incoming: Channel;
  readonly #outgoing: Channel;
  readonly #close: () => void;

  constructor(protocol: string, incoming: Channel, outgoing: Channel, close: () => void) {
    this.protocol = protocol;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#close = close;
  }

  send(message: Uint8Array): Promise<void> {
    return this.#outgoing.push(message);
  }

  close(): void {
    this.#close();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, void, undefined> {
    return this.#incoming.messages();
  }
}

/** Messages that one end sent and the other has not taken; `push` waits until its message is taken. */
class Channel {
  readonly #pending: { readonly message: Uint8Array; taken(): void }[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  push(message: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.reject(new Error("the connection is closed"));
    return new Promise((resolve) => {
      this.#pending.push({ message, taken: resolve });
      this.#wake?.();
    });
  }

  close(): void {
    this.#closed = true;
    for (const { taken } of this.#pending) taken();
    this.#wake?.();
  }

  async *messages(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const next = this.#pending.shift();
      if (next !== undefined) {
        next.taken();
        yield next.message;
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    }
  }
}
