import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
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

const serverHosts: readonly string[] = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
];

/** Whether a server that listens on `host` can use these. */
export function isFor({ server }: ClusterCertificates, host: string): boolean {
  if (isEverywhere(host) || serverHosts.includes(host)) return true;
  const certificate = new X509Certificate(server.certificatePem);
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function isEverywhere(host: string): boolean {
  return host === "0.0.0.0" || host === "::";
}

/** The certificate of a server that listens on `host`. */
export function issueServerCertificate(
  authority: KeyPair,
  options: { readonly host: string; readonly now: number; readonly random: (bytes: number) => Uint8Array },
): KeyPair {
  const { host, now, random } = options;
  return issueCertificate(authority, {
    commonName: "kube-apiserver",
    hosts: isEverywhere(host) ? serverHosts : [...new Set([...serverHosts, host])],
    usages: ["serverAuth"],
    notBefore: now - dayMs,
    notAfter: now + 365 * dayMs,
    random,
  });
}

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
  const server = issueServerCertificate(authority, options);
  const admin = issueClientCertificate(authority, {
    name: adminUser.name,
    groups: ["system:masters"],
    now: options.now,
    random,
  });
  return { authority, server, admin };
}
