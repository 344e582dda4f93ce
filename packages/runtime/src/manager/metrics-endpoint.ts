import type { Client, Clock, Random } from "@bowline/client";
import {
  type EndpointAnswer,
  type EndpointCertificate,
  type EndpointHandler,
  HttpEndpoint,
} from "./http-endpoint.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { TokenGate } from "./token-gate.ts";

interface Ports {
  readonly secureMetrics: ManagerOptions["secureMetrics"];
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
}

/** The endpoint of metrics; when it is secure it speaks HTTPS and asks the API server who may read them. */
export async function metricsEndpoint(
  address: string,
  answer: (path: string) => Promise<EndpointAnswer | undefined>,
  ports: Ports,
): Promise<HttpEndpoint> {
  const certificate = await certificateOf(ports);
  if (certificate === undefined) return new HttpEndpoint(address, ({ path }) => answer(path));
  const gate = new TokenGate(ports.client, ports.clock);
  const guarded: EndpointHandler = async ({ path, authorization }) => {
    const status = await gate.check(authorization, path);
    if (status === 200) return answer(path);
    return { status, body: status === 401 ? "Unauthorized\n" : "Forbidden\n" };
  };
  return new HttpEndpoint(address, guarded, certificate);
}

async function certificateOf({
  secureMetrics,
  clock,
  random,
}: Ports): Promise<EndpointCertificate | undefined> {
  if (secureMetrics === undefined || secureMetrics === false) return undefined;
  if (secureMetrics !== true) {
    const { readFile } = await import("node:fs/promises");
    const { certificateFile, keyFile } = secureMetrics;
    const [certificatePem, keyPem] = await Promise.all([
      readFile(certificateFile, "utf8"),
      readFile(keyFile, "utf8"),
    ]);
    return { certificatePem, keyPem };
  }
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
