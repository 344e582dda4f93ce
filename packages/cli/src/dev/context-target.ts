/** A cluster of a kubeconfig, which others may use too. */
import net from "node:net";
import { type Connection, type Transport, createHttpTransport } from "@bowline/client";
import type { WebhookServerOptions } from "@bowline/runtime";
import { UsageError } from "../errors.ts";
import type { DevTarget } from "./dev-target.ts";

export interface ContextFlags {
  readonly context: string;
  /** File to read; default: KUBECONFIG, else ~/.kube/config. */
  readonly kubeconfig?: string | undefined;
  /** `HOST` or `HOST:PORT` at which the API server reaches this machine; absent: webhooks are not served. */
  readonly webhookHost?: string | undefined;
}

const webhookPort = 9443;

export class ContextTarget implements DevTarget {
  readonly webhookServer: WebhookServerOptions | false;
  readonly appliesSamples = false;
  readonly namespace: string;
  readonly kubectlSetup: string;
  readonly #connection: Connection;
  readonly #transports: Transport[] = [];

  /** @throws UsageError for a webhook host that is none */
  constructor(connection: Connection, flags: ContextFlags) {
    this.#connection = connection;
    this.namespace = connection.namespace;
    this.webhookServer = flags.webhookHost === undefined ? false : webhookServerAt(flags.webhookHost);
    const read = flags.kubeconfig === undefined ? "" : `export KUBECONFIG=${flags.kubeconfig}; `;
    this.kubectlSetup = `${read}kubectl config use-context ${flags.context}`;
  }

  transport(userAgent: string): Transport {
    const transport = createHttpTransport(this.#connection, { userAgent });
    this.#transports.push(transport);
    return transport;
  }

  async start(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all(this.#transports.map((transport) => transport.close()));
  }
}

function webhookServerAt(text: string): WebhookServerOptions {
  const found = /^(\[[0-9a-fA-F:]+\]|[^:/\s]+)(?::(\d+))?$/.exec(text);
  const port = Number(found?.[2] ?? webhookPort);
  const host = found?.[1];
  if (host === undefined || port < 1 || port > 65_535)
    throw new UsageError(
      `--webhook-host ${text}: a host or HOST:PORT is expected, such as 192.168.1.20:9443`,
    );
  const isLoopback =
    host === "localhost" || host === "[::1]" || (net.isIPv4(host) && host.startsWith("127."));
  return {
    address: `${isLoopback ? host : ""}:${port}`,
    reach: { url: `https://${host}:${port}` },
  };
}
