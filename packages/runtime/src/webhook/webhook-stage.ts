import type { Client, Clock, Random } from "@bowline/client";
import type { InstrumentRegistry } from "../manager/instruments.ts";
import { certificateReads } from "../manager/metrics.ts";
import type { Stage } from "../manager/lifecycle.ts";
import type { Logger } from "../manager/logger.ts";
import type { ConversionDefinition } from "./define-conversion.ts";
import type { WebhookDefinition } from "./define-webhook.ts";
import { type CertificateSource, fileCertificates, selfManagedCertificates } from "./webhook-certificates.ts";
import {
  type ConfigurationOptions,
  type WebhookReach,
  registerWebhooks,
  unregisterWebhooks,
} from "./webhook-configuration.ts";
import { WebhookRouter } from "./webhook-router.ts";
import { WebhookServer } from "./webhook-server.ts";

/** How the webhook server runs. */
export interface WebhookServerOptions {
  /** Default `:9443`. */
  readonly address?: string;
  /**
   * Files that someone else keeps fresh (`/tmp/k8s-webhook-server/serving-certs`, with `tls.crt` and `tls.key`), or
   * `"self-managed"` (default): an authority of our own, renewed in time.
   */
  readonly certificate?:
    | "self-managed"
    | { readonly directory: string; readonly certificateName?: string; readonly keyName?: string };
  /** How the API server reaches it. Default: at 127.0.0.1 by URL, for a process beside an embedded cluster. */
  readonly reach?: WebhookReach;
  /** Write webhook configurations and CRD conversions into the cluster. Default: with self-managed certificates. */
  readonly register?: boolean;
  /** PEM of an authority whose client certificates alone are served. */
  readonly clientCaPem?: string;
}

export interface WebhookPorts {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly instruments: InstrumentRegistry;
}

/** The webhooks of a manager as one stage of its life. */
export class WebhookStage implements Stage {
  readonly #definitions: readonly (WebhookDefinition | ConversionDefinition)[];
  readonly #options: WebhookServerOptions;
  readonly #ports: WebhookPorts;
  readonly #server: WebhookServer;
  #configuration: ConfigurationOptions | undefined;
  #watching: { readonly stop: () => void } | undefined;

  constructor(
    definitions: readonly (WebhookDefinition | ConversionDefinition)[],
    options: WebhookServerOptions,
    ports: WebhookPorts,
  ) {
    this.#definitions = definitions;
    this.#options = options;
    this.#ports = ports;
    const router = new WebhookRouter(definitions, ports);
    const { address = ":9443", clientCaPem } = options;
    this.#server = new WebhookServer({ router, address, clientCaPem });
  }

  get port(): number {
    return this.#server.port;
  }

  get isListening(): boolean {
    return this.#server.isListening;
  }

  async start(): Promise<void> {
    const source = this.#source();
    const certificate = await source.load();
    await this.#server.start(certificate.server);
    await this.#register(certificate.caBundlePem);
    this.#watching = source.watch(async (next) => {
      // first trusted, then served: in between both the old and the new certificate are trusted
      await this.#register(next.caBundlePem);
      this.#server.useCertificate(next.server);
    });
  }

  async stop(): Promise<void> {
    this.#watching?.stop();
    const { reach } = this.#configuration ?? {};
    if (this.#configuration !== undefined && reach !== undefined && "url" in reach) {
      await unregisterWebhooks(this.#ports.client, this.#definitions, this.#configuration).catch(
        (error: unknown) =>
          this.#ports.log.warn({ err: error }, "the webhook configurations could not be taken back"),
      );
    }
    await this.#server.stop();
  }

  #source(): CertificateSource {
    const { certificate = "self-managed" } = this.#options;
    const { instruments, client, clock, random, log, name } = this.#ports;
    if (certificate === "self-managed") {
      const reach = this.#options.reach;
      const isService = reach !== undefined && "service" in reach;
      const secret = isService
        ? { namespace: reach.service.namespace, name: `${name}-webhook-certificate` }
        : undefined;
      return selfManagedCertificates({ hosts: hostsOf(reach), secret, client, clock, random, log });
    }
    const { directory, certificateName = "tls.crt", keyName = "tls.key" } = certificate;
    const files = { certificate: `${directory}/${certificateName}`, key: `${directory}/${keyName}` };
    return fileCertificates(files, { clock, log, ...certificateReads(instruments) });
  }

  async #register(caBundlePem: string): Promise<void> {
    const { certificate = "self-managed", register = certificate === "self-managed" } = this.#options;
    if (!register) return;
    const reach = this.#options.reach ?? { url: `https://127.0.0.1:${this.#server.port}` };
    this.#configuration = { name: this.#ports.name, reach, caBundlePem };
    await registerWebhooks(this.#ports.client, this.#definitions, this.#configuration);
  }
}

function hostsOf(reach: WebhookReach | undefined): string[] {
  if (reach === undefined) return ["localhost", "127.0.0.1"];
  if ("url" in reach) return [new URL(reach.url).hostname.replace(/^\[|\]$/g, "")];
  const { namespace, name } = reach.service;
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`, `${name}.${namespace}`, name];
}
