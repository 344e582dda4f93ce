/**
 * A certificate authority of our own and the certificates it issues, for webhook servers and embedded clusters.
 * ECDSA on P-256: keys are made in about a millisecond. Source of the form: RFC 5280.
 */
import { type KeyObject, createHash, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import * as der from "./der.ts";
import type { SigningRequest } from "./signing-request.ts";

/** A certificate with its key, both PEM. */
export interface KeyPair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateRequest {
  /** Subject CN: of a client certificate the user name, of a server certificate any text. */
  readonly commonName: string;
  /** Subject O: of a client certificate the groups. */
  readonly organizations?: readonly string[];
  /** Host names and IP addresses that a server certificate is for. */
  readonly hosts?: readonly string[];
  readonly usages: readonly ("serverAuth" | "clientAuth")[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

const oid = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** A self-signed authority. `random` gives serial numbers. Times in milliseconds since 1970. */
export function createCertificateAuthority(options: {
  readonly commonName: string;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly random: (bytes: number) => Uint8Array;
}): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = name(options.commonName, []);
  const extensions = [
    extension(oid.basicConstraints, true, der.sequence(der.boolean(true))),
    // certificate signing and CRL signing
    extension(oid.keyUsage, true, der.bitString(Buffer.from([0x06]), 1)),
    extension(oid.subjectKeyIdentifier, false, der.octetString(keyIdentifier(publicKey))),
  ];
  return {
    certificatePem: certificate({
      ...options,
      issuer: subject,
      subject,
      publicKey,
      extensions,
      signer: privateKey,
    }),
    keyPem: keyPem(privateKey),
  };
}

/** A certificate signed by `authority`. */
export function issueCertificate(
  authority: KeyPair,
  request: CertificateRequest & { readonly random: (bytes: number) => Uint8Array },
): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer = createPrivateKey(authority.keyPem);
  const issuer = readSubject(authority.certificatePem);
  const extensions = [
    extension(oid.basicConstraints, true, der.sequence()),
    // digital signature
    extension(oid.keyUsage, true, der.bitString(Buffer.from([0x80]), 7)),
    extension(
      oid.extKeyUsage,
      false,
      der.sequence(...request.usages.map((usage) => der.objectIdentifier(oid[usage]))),
    ),
    extension(oid.subjectKeyIdentifier, false, der.octetString(keyIdentifier(publicKey))),
    extension(oid.authorityKeyIdentifier, false, der.sequence(der.element(0x80, issuer.keyIdentifier))),
  ];
  const hosts = request.hosts ?? [];
  if (hosts.length > 0)
    extensions.push(extension(oid.subjectAltName, false, der.sequence(...hosts.map(generalName))));
  const subject = name(request.commonName, request.organizations ?? []);
  return {
    certificatePem: certificate({ ...request, issuer: issuer.name, subject, publicKey, extensions, signer }),
    keyPem: keyPem(privateKey),
  };
}

/**
 * The certificate, PEM, that answers a signing request: its subject, key and names, for these uses.
 * @param given.usages as a CertificateSigningRequest names them: `client auth`, `digital signature`
 */
export function signRequest(
  authority: KeyPair,
  request: SigningRequest,
  given: {
    readonly usages: readonly string[];
    /** Milliseconds since 1970. */
    readonly notBefore: number;
    readonly notAfter: number;
    /** Gives the serial number. */
    readonly random: (bytes: number) => Uint8Array;
  },
): string {
  const issuer = readSubject(authority.certificatePem);
  const extended = given.usages.map((usage) => extendedUsages[usage]).filter((id) => id !== undefined);
  const extensions = [
    ...keyUsageExtension(given.usages),
    ...(extended.length === 0
      ? []
      : [extension(oid.extKeyUsage, false, der.sequence(...extended.map(der.objectIdentifier)))]),
    extension(oid.basicConstraints, true, der.sequence()),
    extension(oid.authorityKeyIdentifier, false, der.sequence(der.element(0x80, issuer.keyIdentifier))),
    ...(request.names.encoded === undefined
      ? []
      : [extension(oid.subjectAltName, false, request.names.encoded)]),
  ];
  return certificate({
    ...given,
    issuer: issuer.name,
    subject: request.subject.encoded,
    publicKey: request.publicKey,
    extensions,
    signer: createPrivateKey(authority.keyPem),
  });
}

/** Purposes of a key, by the words that Kubernetes has for them. Source: certificates/v1 KeyUsage, RFC 5280 4.2.1.12. */
const extendedUsages: Readonly<Record<string, string>> = {
  any: "2.5.29.37.0",
  "server auth": oid.serverAuth,
  "client auth": oid.clientAuth,
  "code signing": "1.3.6.1.5.5.7.3.3",
  "email protection": "1.3.6.1.5.5.7.3.4",
  "s/mime": "1.3.6.1.5.5.7.3.4",
  "ipsec end system": "1.3.6.1.5.5.7.3.5",
  "ipsec tunnel": "1.3.6.1.5.5.7.3.6",
  "ipsec user": "1.3.6.1.5.5.7.3.7",
  timestamping: "1.3.6.1.5.5.7.3.8",
  "ocsp signing": "1.3.6.1.5.5.7.3.9",
};

/** Operations of a key in the order of their bits. Source: RFC 5280 4.2.1.3. */
const keyUsages: readonly (readonly string[])[] = [
  ["digital signature", "signing"],
  ["content commitment"],
  ["key encipherment"],
  ["data encipherment"],
  ["key agreement"],
  ["cert sign"],
  ["crl sign"],
  ["encipher only"],
  ["decipher only"],
];

/** Nothing when no operation is named: a bit string without any bit is no valid key usage. */
function keyUsageExtension(usages: readonly string[]): Buffer[] {
  const bits = keyUsages.map((words) => words.some((word) => usages.includes(word)));
  const last = bits.lastIndexOf(true);
  if (last < 0) return [];
  const bytes = Buffer.alloc((last >> 3) + 1);
  bits.forEach((isSet, bit) => {
    if (isSet) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  });
  return [extension(oid.keyUsage, true, der.bitString(bytes, 7 - (last & 7)))];
}

interface Parts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly signer: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly random: (bytes: number) => Uint8Array;
}

/** A signed certificate, PEM. */
function certificate(parts: Parts): string {
  const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256));
  const serial = Buffer.from(parts.random(16));
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = der.sequence(
    der.element(0xa0, der.integer(Buffer.from([2]))),
    der.integer(serial),
    algorithm,
    parts.issuer,
    der.sequence(der.time(parts.notBefore), der.time(parts.notAfter)),
    parts.subject,
    parts.publicKey.export({ type: "spki", format: "der" }),
    der.element(0xa3, der.sequence(...parts.extensions)),
  );
  const signature = sign("sha256", body, parts.signer);
  const signed = der.sequence(body, algorithm, der.bitString(signature));
  return pem("CERTIFICATE", signed);
}

function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").replace(/.{64}/g, "$&\n").trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

function name(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (id: string, text: string): Buffer =>
    der.set(der.sequence(der.objectIdentifier(id), der.utf8String(text)));
  return der.sequence(
    ...organizations.map((o) => attribute(oid.organization, o)),
    attribute(oid.commonName, commonName),
  );
}

function extension(id: string, critical: boolean, content: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(id), ...flag, der.octetString(content));
}

function generalName(host: string): Buffer {
  if (isIPv4(host)) return der.element(0x87, Buffer.from(host.split(".").map(Number)));
  if (isIPv6(host)) return der.element(0x87, ipv6Bytes(host));
  return der.element(0x82, Buffer.from(host));
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): number[] =>
    text === "" ? [] : text.split(":").map((g) => Number.parseInt(g, 16));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return Buffer.from(all.flatMap((g) => [g >> 8, g & 0xff]));
}

/** RFC 5280 4.2.1.2: the SHA-1 of the public key's bits. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const spki = publicKey.export({ type: "spki", format: "der" });
  // an uncompressed P-256 point is the last 65 bytes
  return createHash("sha1").update(spki.subarray(-65)).digest();
}

/** Subject and key identifier of an authority made here, read back from its PEM. */
function readSubject(certificatePem: string): { name: Buffer; keyIdentifier: Buffer } {
  const bytes = Buffer.from(certificatePem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  const body = der.children(der.content(bytes))[0];
  const fields = body === undefined ? [] : der.children(der.content(body));
  const subject = fields[5];
  const spki = fields[6];
  if (subject === undefined || spki === undefined)
    throw new Error("the authority's certificate cannot be read");
  return { name: subject, keyIdentifier: createHash("sha1").update(spki.subarray(-65)).digest() };
}
