import {
  type DeepReadonly,
  type Kind,
  type KubeObject,
  isAlreadyExists,
  isConflict,
  isNotFound,
} from "@bowline/api";
import type { Client, Clock, Random, Timer } from "@bowline/client";
import type { Counter } from "../manager/instruments.ts";
import type { Logger } from "../manager/logger.ts";
import { type KeyPair, createCertificateAuthority, issueCertificate } from "./certificate.ts";

/** What a webhook server presents, and what the API server must trust. */
interface ServingCertificate {
  readonly server: KeyPair;
  /** PEM of one or more authorities; empty when someone else (cert-manager) tells the API server. */
  readonly caBundlePem: string;
}

/** Where certificates come from. */
export interface CertificateSource {
  /** Reads or makes the certificate. @throws Error when there is none */
  load(): Promise<ServingCertificate>;
  /** Calls `onChange` with every new certificate until `stop`. */
  watch(onChange: (certificate: ServingCertificate) => Promise<void>): { readonly stop: () => void };
}

interface FilePorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly reads: Counter;
  readonly readErrors: Counter;
}

/** How often certificate files are looked at. File events are not relied on: mounted Secrets change by symbolic links. */
const pollMs = 10_000;

/** A certificate in files that someone else keeps fresh; a change of the bytes is taken over without a restart. */
export function fileCertificates(
  files: { readonly certificate: string; readonly key: string },
  ports: FilePorts,
): CertificateSource {
  let last = "";
  const load = async (): Promise<ServingCertificate> => {
    const { readFile } = await import("node:fs/promises");
    const [certificatePem, keyPem] = await Promise.all([
      readFile(files.certificate, "utf8"),
      readFile(files.key, "utf8"),
    ]);
    ports.reads.inc();
    await checkPair(certificatePem, keyPem);
    last = certificatePem + keyPem;
    return { server: { certificatePem, keyPem }, caBundlePem: "" };
  };
  const watch: CertificateSource["watch"] = (onChange) =>
    every(ports.clock, pollMs, async () => {
      const before = last;
      try {
        const certificate = await load();
        if (last === before) return;
        await onChange(certificate);
        ports.log.info({ certificate: files.certificate }, "took over a new certificate");
      } catch (error) {
        ports.readErrors.inc();
        last = before;
        ports.log.warn({ err: error }, "the certificate could not be read; the old one stays in use");
      }
    });
  return { load, watch };
}

/** Two files cannot be changed at once: what was read in between must not be served. */
async function checkPair(certificatePem: string, keyPem: string): Promise<void> {
  const { X509Certificate, createPrivateKey } = await import("node:crypto");
  if (!new X509Certificate(certificatePem).checkPrivateKey(createPrivateKey(keyPem))) {
    throw new Error("the certificate and its key do not belong together");
  }
}

interface SecretObject extends KubeObject {
  type?: string;
  data?: Record<string, string>;
}

const secretKind: Kind<SecretObject> = {
  group: "",
  version: "v1",
  apiVersion: "v1",
  kind: "Secret",
  listKind: "SecretList",
  plural: "secrets",
  singular: "secret",
  shortNames: [],
  categories: [],
  scope: "Namespaced",
};

export interface SelfManagedOptions {
  /** Names and addresses that the API server calls: `webhook-service.system.svc`. */
  readonly hosts: readonly string[];
  /** Replicas share the certificate through this Secret. Absent: it is kept in memory, for one process alone. */
  readonly secret?: { readonly namespace: string; readonly name: string } | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

const dayMs = 86_400_000;
const authorityDays = 3650;
const serverDays = 90;
/** A certificate is renewed when this share of its life is over. */
const renewAt = 2 / 3;
const checkMs = 3_600_000;

/** What the Secret holds, in its keys' names. */
interface Stored {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  /** Authorities that were in use before: still trusted, until every replica serves a certificate of the new one. */
  readonly formerPem: string;
  /** Milliseconds since 1970. */
  readonly serverNotAfter: number;
  readonly authorityNotAfter: number;
}

/** A certificate of an authority of our own, renewed in time, so that no cert-manager is needed. */
export function selfManagedCertificates(options: SelfManagedOptions): CertificateSource {
  let current: Stored | undefined;
  const load = async (): Promise<ServingCertificate> => {
    current =
      options.secret === undefined ? renewed(current, options) : await ensureSecret(options, options.secret);
    return servingCertificate(current);
  };
  const watch: CertificateSource["watch"] = (onChange) =>
    every(options.clock, checkMs, async () => {
      const before = current?.server.certificatePem;
      try {
        const certificate = await load();
        if (certificate.server.certificatePem === before) return;
        await onChange(certificate);
        options.log.info({}, "renewed the webhook certificate");
      } catch (error) {
        options.log.warn({ err: error }, "the webhook certificate could not be renewed; it is tried again");
      }
    });
  return { load, watch };
}

function servingCertificate(stored: Stored): ServingCertificate {
  return { server: stored.server, caBundlePem: stored.authority.certificatePem + stored.formerPem };
}

/** What is stored when it is still good, else with new parts. */
function renewed(stored: Stored | undefined, options: SelfManagedOptions): Stored {
  const now = options.clock.now();
  const notBefore = now - 3_600_000;
  const random = (count: number): Uint8Array => options.random.bytes(count);
  const isAuthorityGood = stored !== undefined && isFresh(now, stored.authorityNotAfter, authorityDays);
  if (isAuthorityGood && isFresh(now, stored.serverNotAfter, serverDays)) return stored;
  const authorityNotAfter = isAuthorityGood ? stored.authorityNotAfter : now + authorityDays * dayMs;
  const authority = isAuthorityGood
    ? stored.authority
    : createCertificateAuthority({
        commonName: "bowline-webhook-ca",
        notBefore,
        notAfter: authorityNotAfter,
        random,
      });
  const serverNotAfter = now + serverDays * dayMs;
  const server = issueCertificate(authority, {
    commonName: options.hosts[0] ?? "webhook",
    hosts: options.hosts,
    usages: ["serverAuth"],
    notBefore,
    notAfter: serverNotAfter,
    random,
  });
  const formerPem = isAuthorityGood ? stored.formerPem : (stored?.authority.certificatePem ?? "");
  return { authority, server, formerPem, serverNotAfter, authorityNotAfter };
}

function isFresh(now: number, notAfter: number, lifeDays: number): boolean {
  return now < notAfter - lifeDays * dayMs * (1 - renewAt);
}

/** Reads the Secret, renews what is due, and writes it; when another replica was quicker its certificate counts. */
async function ensureSecret(
  options: SelfManagedOptions,
  at: { readonly namespace: string; readonly name: string },
): Promise<Stored> {
  for (let attempt = 1; ; attempt++) {
    const found = await options.client.find(secretKind, at);
    const stored = found === undefined ? undefined : storedOf(found);
    const next = renewed(stored, options);
    if (next === stored) return stored;
    try {
      if (found === undefined) await options.client.create(secretKind, secretOf(at, next));
      else await options.client.update(secretKind, { ...found, data: dataOf(next) });
      return next;
    } catch (error) {
      const isRace = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
      if (!isRace || attempt === 5) throw error;
    }
  }
}

function secretOf(at: { readonly namespace: string; readonly name: string }, stored: Stored): SecretObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...at },
    type: "kubernetes.io/tls",
    data: dataOf(stored),
  };
}

function dataOf(stored: Stored): Record<string, string> {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  return {
    "tls.crt": encode(stored.server.certificatePem),
    "tls.key": encode(stored.server.keyPem),
    "ca.crt": encode(stored.authority.certificatePem),
    "ca.key": encode(stored.authority.keyPem),
    "ca.former.crt": encode(stored.formerPem),
    "not-after": encode(
      JSON.stringify({ server: stored.serverNotAfter, authority: stored.authorityNotAfter }),
    ),
  };
}

/** Undefined when the Secret was not written by us, or is damaged: it is made anew then. */
function storedOf(secret: DeepReadonly<SecretObject>): Stored | undefined {
  const decode = (key: string): string => Buffer.from(secret.data?.[key] ?? "", "base64").toString("utf8");
  try {
    const notAfter = JSON.parse(decode("not-after")) as {
      readonly server: number;
      readonly authority: number;
    };
    return {
      server: { certificatePem: decode("tls.crt"), keyPem: decode("tls.key") },
      authority: { certificatePem: decode("ca.crt"), keyPem: decode("ca.key") },
      formerPem: decode("ca.former.crt"),
      serverNotAfter: notAfter.server,
      authorityNotAfter: notAfter.authority,
    };
  } catch {
    return undefined;
  }
}

function every(clock: Clock, periodMs: number, work: () => Promise<void>): { readonly stop: () => void } {
  let isStopped = false;
  let timer: Timer;
  const tick = (): void => {
    void work().then(() => {
      if (!isStopped) timer = clock.setTimer(periodMs, tick);
    });
  };
  timer = clock.setTimer(periodMs, tick);
  return {
    stop: () => {
      isStopped = true;
      timer.cancel();
    },
  };
}
