/** Certificate signing requests. Source: RFC 2986, RFC 5280 4.2.1.6. */
import { type KeyObject, createPublicKey, verify } from "node:crypto";
import * as der from "./der.ts";

/** What somebody asks a certificate for. */
export interface SigningRequest {
  readonly subject: {
    readonly commonName: string;
    readonly organizations: readonly string[];
    /** As it is in the request: DER. */
    readonly encoded: Buffer;
  };
  readonly publicKey: KeyObject;
  /** Further names of the subject. */
  readonly names: {
    readonly dns: readonly string[];
    readonly emails: readonly string[];
    readonly uris: readonly string[];
    /** How many IP addresses there are. */
    readonly addressCount: number;
    /** DER; undefined when there are none. */
    readonly encoded: Buffer | undefined;
  };
  /** True: whoever asks has the key. */
  readonly isSigned: boolean;
}

const commonName = "2.5.4.3";
const organization = "2.5.4.10";
const extensionRequest = "1.2.840.113549.1.9.14";
const subjectAltName = "2.5.29.17";

/** Reads a signing request. @throws Error when the text is none */
export function readSigningRequest(pem: string): SigningRequest {
  const block = /-----BEGIN CERTIFICATE REQUEST-----([^-]+)-----END CERTIFICATE REQUEST-----/.exec(pem);
  if (block?.[1] === undefined) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const [info, algorithm, signature] = der.children(der.content(Buffer.from(block[1], "base64")));
  const [, subject, key, attributes] = info === undefined ? [] : der.children(der.content(info));
  if (info === undefined || subject === undefined || key === undefined)
    throw new Error("the certificate signing request cannot be read");
  const publicKey = createPublicKey({ key, format: "der", type: "spki" });
  return {
    subject: subjectOf(subject),
    publicKey,
    names: namesOf(attributes),
    isSigned: isSigned({ info, algorithm, signature, publicKey }),
  };
}

function subjectOf(encoded: Buffer): SigningRequest["subject"] {
  const attributes = der
    .children(der.content(encoded))
    .flatMap((set) => der.children(der.content(set)))
    .map((attribute) => der.children(der.content(attribute)));
  const values = (type: string): string[] => {
    const id = der.objectIdentifier(type);
    return attributes.flatMap(([found, value]) =>
      found !== undefined && value !== undefined && id.equals(found) ? [der.content(value).toString()] : [],
    );
  };
  return { commonName: values(commonName)[0] ?? "", organizations: values(organization), encoded };
}

/** The names in the extension that a request asks for. */
function namesOf(attributes: Buffer | undefined): SigningRequest["names"] {
  const encoded = attributes === undefined ? undefined : requestedNames(attributes);
  const names = encoded === undefined ? [] : der.children(der.content(encoded));
  const texts = (tag: number): string[] =>
    names.filter((name) => name[0] === tag).map((name) => der.content(name).toString());
  return {
    dns: texts(0x82),
    emails: texts(0x81),
    uris: texts(0x86),
    addressCount: names.filter((name) => name[0] === 0x87).length,
    encoded,
  };
}

function requestedNames(attributes: Buffer): Buffer | undefined {
  const wanted = der.objectIdentifier(extensionRequest);
  const id = der.objectIdentifier(subjectAltName);
  for (const attribute of der.children(der.content(attributes))) {
    const [type, values] = der.children(der.content(attribute));
    if (type === undefined || values === undefined || !wanted.equals(type)) continue;
    for (const extension of der
      .children(der.content(values))
      .flatMap((all) => der.children(der.content(all)))) {
      const [found, ...rest] = der.children(der.content(extension));
      const value = rest.at(-1);
      if (found !== undefined && value !== undefined && id.equals(found)) return der.content(value);
    }
  }
  return undefined;
}

/** Digests by the algorithm of a signature: ECDSA and RSA with SHA-2. */
const digests: Readonly<Record<string, string>> = {
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
};

function isSigned(parts: {
  readonly info: Buffer;
  readonly algorithm: Buffer | undefined;
  readonly signature: Buffer | undefined;
  readonly publicKey: KeyObject;
}): boolean {
  const { info, algorithm, signature, publicKey } = parts;
  const [id] = algorithm === undefined ? [] : der.children(der.content(algorithm));
  if (id === undefined || signature === undefined) return false;
  const name = Object.keys(digests).find((oid) => der.objectIdentifier(oid).equals(id));
  // keys of Edwards curves bring their digest
  const digest = name === undefined ? null : (digests[name] ?? null);
  if (digest === null && !publicKey.asymmetricKeyType?.startsWith("ed")) return false;
  return verify(digest, info, publicKey, der.content(signature).subarray(1));
}
