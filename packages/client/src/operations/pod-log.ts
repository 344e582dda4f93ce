import type { Client } from "../client.ts";
import type { KeyLike } from "../kind-like.ts";
import type { ByteStream } from "../ports/transport.ts";
import type { CallOptions } from "../verb-options.ts";
import { podPath } from "./pod-resource.ts";

export interface PodLogOptions extends CallOptions {
  /** May be left out when the pod has one container. */
  readonly container?: string | undefined;
  /** Goes on with what is written later, until the container ends. */
  readonly follow?: boolean | undefined;
  /** The log of the container's previous run. */
  readonly previous?: boolean | undefined;
  /** Only the last so many lines. */
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  /** RFC 3339. */
  readonly sinceTime?: string | undefined;
  /** Each line begins with its time. */
  readonly timestamps?: boolean | undefined;
  /** Ends after so many bytes. */
  readonly limitBytes?: number | undefined;
}

/** A container's log, as bytes; or as lines, with `lines()`, or as one text, with `text()`. Read it once, one way. */
export interface PodLog extends ByteStream {
  lines(): AsyncIterable<string>;
  text(): Promise<string>;
}

/** Opens a container's log; resolves when the server accepted it. @throws StatusError, ConnectionError, the signal's reason */
export async function podLog(client: Client, pod: KeyLike, options: PodLogOptions = {}): Promise<PodLog> {
  const { signal, container, sinceTime } = options;
  const query = {
    container,
    follow: options.follow ? "true" : undefined,
    previous: options.previous ? "true" : undefined,
    timestamps: options.timestamps ? "true" : undefined,
    tailLines: options.tailLines?.toString(),
    sinceSeconds: options.sinceSeconds?.toString(),
    limitBytes: options.limitBytes?.toString(),
    sinceTime,
  };
  const path = podPath(client, pod, "log");
  const headers = { accept: "*/*" };
  const stream = await client.transport.stream({
    method: "GET",
    path,
    query,
    headers,
    ...(signal && { signal }),
  });
  return {
    close: () => stream.close(),
    [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator](),
    lines: () => linesOf(stream),
    text: () => textOf(stream),
  };
}

async function textOf(stream: ByteStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

async function* linesOf(stream: ByteStream): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}
