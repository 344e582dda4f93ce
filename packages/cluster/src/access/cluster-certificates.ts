import { type KeyPair, createCertificateAuthority, issueCertificate } from "@bowline/runtime";
import { adminUser } from "../registry/user.ts";

/** The certificates of one cluster. */
export interface ClusterCertificates {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** Client certificate of the administrator. */
  readonly admin: KeyPair;
}

/** A client certificate for a user: CN is the name, O the groups. Good for a year. */
export function issueClientCertificate(
  authority: KeyPair,
  options: {
    readonly name: string;
    readonly groups: readonly string[];
    readonly now: number;
    readonly random: (bytes: number) => Uint8Array;
  },
): KeyPair {
  return issueCertificate(authority, {
    commonName: options.name,
    organizations: options.groups,
    usages: ["clientAuth"],
    notBefore: options.now - dayMs,
    notAfter: options.now + 365 * dayMs,
    random: options.random,
  });
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
  const admin = issueClientCertificate(authority, {
    name: adminUser.name,
    groups: ["system:masters"],
    now: options.now,
    random,
  });
  return { authority, server, admin };
}
