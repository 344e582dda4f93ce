import net from "node:net";
import type { Client } from "../client.ts";
import { ConnectionError } from "../errors.ts";
import type { KeyLike } from "../kind-like.ts";
import type { MessageSocket } from "../ports/transport.ts";
import type { CallOptions } from "../verb-options.ts";
import { openPodSocket } from "./pod-exec.ts";
import { podPath } from "./pod-resource.ts";

export interface PortForwardOptions extends CallOptions {
  /** The port in the pod. */
  readonly port: number;
  /** The port here. Default: any free one. */
  readonly localPort?: number | undefined;
  /** The address here. Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Hears why a single connection failed; the others and the forwarding go on. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/** A local port that leads into a pod. */
export interface PortForward {
  readonly localPort: number;
  /** Stops listening and breaks the connections. Safe to call twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Messages on these channels; the first of each names the port. Source: kubelet cri/streaming/portforward/websocket.go. */
const channel = { data: 0, error: 1 } as const;
const protocols = ["v4.channel.k8s.io", "portforward.k8s.io"];

/**
 * Listens on a local port and passes each connection into the pod, until closed or the signal is aborted.
 * @throws Error when the local port cannot be listened on
 */
export async function portForward(
  client: Client,
  pod: KeyLike,
  options: PortForwardOptions,
): Promise<PortForward> {
  const { signal, host = "127.0.0.1", localPort = 0, onError = () => {} } = options;
  const path = podPath(client, pod, "portforward");
  const open = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (local) => {
    open.add(local);
    local.on("close", () => open.delete(local)).on("error", () => {});
    const query = { ports: String(options.port) };
    openPodSocket(client, path, query, protocols, signal)
      .then((remote) => join(local, remote))
      .catch((error: unknown) => onError(error as Error))
      .finally(() => local.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(localPort, host, resolve);
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise((resolve) => server.close(() => resolve()));
    for (const local of open) local.destroy();
    return closing;
  };
  signal?.addEventListener("abort", () => void close(), { once: true });
  return { localPort: (server.address() as net.AddressInfo).port, close, [Symbol.asyncDispose]: close };
}

/** Carries bytes both ways until either side ends. @throws ConnectionError with what the pod's side reports */
async function join(local: net.Socket, remote: MessageSocket): Promise<void> {
  const upward = (async () => {
    for await (const chunk of local as AsyncIterable<Buffer>) {
      await remote.send(Buffer.concat([Buffer.of(channel.data), chunk]));
    }
    remote.close();
  })().catch(() => remote.close());
  const announced = new Set<number>();
  try {
    for await (const message of remote) {
      const number = message[0] ?? 0;
      const content = message.subarray(1);
      if (!announced.has(number)) announced.add(number);
      else if (number === channel.error) throw new ConnectionError(Buffer.from(content).toString("utf8"));
      else if (!local.write(content))
        await new Promise((resolve) => local.once("drain", resolve).once("close", resolve));
    }
  } finally {
    remote.close();
    local.end();
  }
  await upward;
}
