import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);

export interface KeyPair {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** A certificate authority for one test. */
export interface Authority {
  readonly ca: string;
  /** A certificate for `localhost` and 127.0.0.1, or for other names. */
  server(names?: readonly string[]): Promise<KeyPair>;
  client(user: string, groups?: readonly string[]): Promise<KeyPair>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const notBefore = new Date("2020-01-01T00:00:00Z");
const notAfter = new Date("2099-01-01T00:00:00Z");
let serial = 1;

export async function createAuthority(name = "test-ca"): Promise<Authority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: (serial++).toString(16).padStart(2, "0"),
    name: `CN=${name}`,
    notBefore,
    notAfter,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 1, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  const issue = async (subject: string, extensions: x509.Extension[]): Promise<KeyPair> => {
    const own = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: (serial++).toString(16).padStart(2, "0"),
      subject,
      issuer: root.subject,
      notBefore,
      notAfter,
      signingAlgorithm: algorithm,
      publicKey: own.publicKey,
      signingKey: keys.privateKey,
      extensions,
    });
    const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", own.privateKey);
    return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
  };
  return {
    ca: root.toString("pem"),
    server(names = ["localhost"]) {
      const dns = names.map((value) => ({ type: "dns" as const, value }));
      const addresses = names.includes("localhost") ? [{ type: "ip" as const, value: "127.0.0.1" }] : [];
      return issue(`CN=${names[0]}`, [new x509.SubjectAlternativeNameExtension([...dns, ...addresses])]);
    },
    client(user, groups = []) {
      return issue([`CN=${user}`, ...groups.map((group) => `O=${group}`)].join(","), []);
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, [
    "sign",
    "verify",
  ]) as Promise<webcrypto.CryptoKeyPair>;
}
