import { type KeyPair, createCertificateAuthority, issueCertificate } from "@bowline/runtime";
import { adminUser } from "../registry/user.ts";

/** The certificates of one cluster. */
export interface ClusterCertificates {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** Client certificate of the administrator. */
  readonly admin: KeyPair;
}

const dayMs = 86_400_000;

/** Makes an authority and what it signs, good for a year. The day before `now` allows for clocks that differ. */
export function createClusterCertificates(options: {
  /** Address that the server listens on. */
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly random: (bytes: number) => Uint8Array;
}): ClusterCertificates {
  const { random } = options;
  const notBefore = options.now - dayMs;
  const notAfter = options.now + 365 * dayMs;
  const authority = createCertificateAuthority({ commonName: "bowline-ca", notBefore, notAfter, random });
  const hosts = new Set([
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
  ]);
  if (options.host !== "0.0.0.0" && options.host !== "::") hosts.add(options.host);
  const server = issueCertificate(authority, {
    commonName: "kube-apiserver",
    hosts: [...hosts],
    usages: ["serverAuth"],
    notBefore,
    notAfter,
    random,
  });
  const admin = issueCertificate(authority, {
    commonName: adminUser.name,
    organizations: ["system:masters"],
    usages: ["clientAuth"],
    notBefore,
    notAfter,
    random,
  });
  return { authority, server, admin };
}
