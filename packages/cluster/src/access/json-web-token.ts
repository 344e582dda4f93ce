/** JSON web tokens of one signer, by ES256 or RS256. Source of the form: RFC 7515, 7518. */
import {
  type KeyObject,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from "node:crypto";

export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  readonly algorithm: "ES256" | "RS256";
  /** The `kid` that tokens and key sets name it by. */
  readonly id: string;
}

/** PEM of a new key for ES256, made in about a millisecond. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** @param pem an EC P-256 or RSA key */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const algorithm = privateKey.asymmetricKeyType === "rsa" ? "RS256" : "ES256";
  const der = publicKey.export({ type: "spki", format: "der" });
  return { privateKey, publicKey, algorithm, id: createHash("sha256").update(der).digest("base64url") };
}

export function signedToken(payload: object, { privateKey, algorithm, id }: SigningKey): string {
  const body = `${encode({ alg: algorithm, kid: id })}.${encode(payload)}`;
  const signature = sign("sha256", Buffer.from(body), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${body}.${signature.toString("base64url")}`;
}

/** The payload of a token that the key signed, undefined for any other text. The algorithm is the key's, whatever the token says. */
export function verifiedPayload(token: string, { publicKey, algorithm }: SigningKey): unknown {
  const [head, body, signature, ...rest] = token.split(".");
  if (head === undefined || body === undefined || signature === undefined || rest.length > 0)
    return undefined;
  if ((decode(head) as { alg?: string } | undefined)?.alg !== algorithm) return undefined;
  const key = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
  const isGood = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isGood ? decode(body) : undefined;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString());
  } catch {
    return undefined;
  }
}
