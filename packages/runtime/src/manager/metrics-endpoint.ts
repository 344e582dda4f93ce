import type { Client, Clock, Random } from "@bowline/client";
import { certificateReads } from "./metrics.ts";
import {
  type EndpointAnswer,
  type EndpointCertificate,
  type EndpointHandler,
  HttpEndpoint,
} from "./http-endpoint.ts";
import type { InstrumentRegistry } from "./instruments.ts";
import type { Logger } from "./logger.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { TokenGate } from "./token-gate.ts";

interface Ports {
  readonly secureMetrics: ManagerOptions["secureMetrics"];
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly instruments: InstrumentRegistry;
}

/** The endpoint, and how to stop looking after its certificate. */
interface WatchedEndpoint {
  readonly endpoint: HttpEndpoint;
  readonly stopWatching: () => void;
}

/** The endpoint of metrics; when it is secure it speaks HTTPS and asks the API server who may read them. */
export async function metricsEndpoint(
  address: string,
  answer: (path: string) => Promise<EndpointAnswer | undefined>,
  ports: Ports,
): Promise<WatchedEndpoint> {
  const { secureMetrics } = ports;
  if (secureMetrics === undefined || secureMetrics === false) {
    return { endpoint: new HttpEndpoint(address, ({ path }) => answer(path)), stopWatching: () => {} };
  }
  const gate = new TokenGate(ports.client, ports.clock);
  const guarded: EndpointHandler = async ({ path, authorization }) => {
    const status = await gate.check(authorization, path);
    if (status === 200) return answer(path);
    return { status, body: status === 401 ? "Unauthorized\n" : "Forbidden\n" };
  };
  if (secureMetrics === true) {
    return {
      endpoint: new HttpEndpoint(address, guarded, await ownCertificate(ports)),
      stopWatching: () => {},
    };
  }
  const { fileCertificates } = await import("../webhook/webhook-certificates.ts");
  const { certificateFile: certificate, keyFile: key } = secureMetrics;
  const source = fileCertificates({ certificate, key }, { ...ports, ...certificateReads(ports.instruments) });
  const endpoint = new HttpEndpoint(address, guarded, (await source.load()).server);
  const watching = source.watch(async ({ server }) => endpoint.useCertificate(server));
  return { endpoint, stopWatching: watching.stop };
}

async function ownCertificate({ clock, random }: Ports): Promise<EndpointCertificate> {
  const { createCertificateAuthority, issueCertificate } = await import("../webhook/certificate.ts");
  const now = clock.now();
  const life = {
    notBefore: now - 3_600_000,
    notAfter: now + 365 * 86_400_000,
    random: (count: number): Uint8Array => random.bytes(count),
  };
  const authority = createCertificateAuthority({ commonName: "bowline-metrics-ca", ...life });
  return issueCertificate(authority, {
    commonName: "metrics",
    hosts: ["localhost"],
    usages: ["serverAuth"],
    ...life,
  });
}
