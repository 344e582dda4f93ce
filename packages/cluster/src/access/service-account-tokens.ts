/**
 * Tokens of service accounts: JSON web tokens signed by the cluster, bound to an account and, where asked, to a pod, secret
 * or node; they end with what they are bound to. Source: kubernetes pkg/serviceaccount (claims.go, jwt.go, openidmetadata.go).
 */
import type { JsonWebKey } from "node:crypto";
import type { Random } from "@bowline/client";
import type { UserInfo } from "../registry/user.ts";
import type { Bucket } from "../store/bucket.ts";
import type { Store } from "../store/store.ts";
import type { TokenVerdict } from "./authentication.ts";
import {
  type SigningKey,
  newSigningKey,
  readSigningKey,
  signedToken,
  verifiedPayload,
} from "./json-web-token.ts";

export interface ServiceAccountTokensOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly random: Random;
  /** Default `https://kubernetes.default.svc.cluster.local`; also the audience of the API server itself. */
  readonly issuer?: string;
  /** Gives the PEM of an EC P-256 or RSA key, on first need. Default: a new EC key. */
  readonly signingKey?: (() => string) | undefined;
}

/** An object that a token ends with. */
export interface BoundObject {
  readonly kind: "Pod" | "Secret" | "Node";
  readonly name: string;
  readonly uid: string;
}

export interface TokenOrder {
  readonly namespace: string;
  readonly name: string;
  /** Of the service account. */
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly bound?: BoundObject | undefined;
  /** The node that a bound pod runs on. */
  readonly node?: { readonly name: string; readonly uid: string | undefined } | undefined;
}

interface Reference {
  readonly name: string;
  readonly uid?: string;
}

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly nbf: number;
  readonly sub: string;
  readonly "kubernetes.io": {
    readonly namespace: string;
    readonly serviceaccount: Reference;
    readonly pod?: Reference;
    readonly secret?: Reference;
    readonly node?: Reference;
  };
}

/** Tokens whose signature was found right are remembered, this many. */
const verifiedMax = 1000;

const defaultIssuer = "https://kubernetes.default.svc.cluster.local";

/** Issuer of the tokens that secrets hold. */
const secretIssuer = "kubernetes/serviceaccount";

interface SecretClaims {
  readonly "kubernetes.io/serviceaccount/namespace": string;
  readonly "kubernetes.io/serviceaccount/secret.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.name": string;
  readonly "kubernetes.io/serviceaccount/service-account.uid": string;
}

/** The user that a service account is. `extra` of a bound token comes with the token. */
export function serviceAccountUser(namespace: string, name: string, uid?: string): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    ...(uid === undefined ? {} : { uid }),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/** Issues and judges the tokens of one cluster's service accounts. */
export class ServiceAccountTokens {
  readonly issuer: string;
  readonly #options: ServiceAccountTokensOptions;
  readonly #accounts: Bucket;
  readonly #bound: { readonly pod: Bucket; readonly secret: Bucket; readonly node: Bucket };
  readonly #verified = new Map<string, Claims>();
  #key: SigningKey | undefined;

  constructor(options: ServiceAccountTokensOptions) {
    const { store } = options;
    this.#options = options;
    this.issuer = options.issuer ?? defaultIssuer;
    this.#accounts = store.bucket("/serviceaccounts");
    this.#bound = {
      pod: store.bucket("/pods"),
      secret: store.bucket("/secrets"),
      node: store.bucket("/nodes"),
    };
  }

  /** A signed token for an account that exists. */
  issue(order: TokenOrder): { readonly token: string; readonly expiresAt: number } {
    const now = Math.floor(this.#options.now() / 1000);
    const exp = now + order.expirationSeconds;
    const { bound, node } = order;
    const claims: Claims = {
      aud: order.audiences.length === 0 ? [this.issuer] : order.audiences,
      exp,
      iat: now,
      iss: this.issuer,
      jti: this.#options.random.uuid(),
      "kubernetes.io": {
        namespace: order.namespace,
        ...(node === undefined ? {} : { node: { name: node.name, ...(node.uid && { uid: node.uid }) } }),
        ...(bound === undefined ? {} : { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
        serviceaccount: { name: order.name, uid: order.uid },
      },
      nbf: now,
      sub: `system:serviceaccount:${order.namespace}:${order.name}`,
    };
    return { token: signedToken(claims, this.#signingKey), expiresAt: exp * 1000 };
  }

  /** A token that does not end, for a secret of the type that holds one. It is good for as long as the secret holds it. */
  issueForSecret(account: { namespace: string; name: string; uid: string }, secret: string): string {
    const { namespace, name, uid } = account;
    const claims = {
      iss: secretIssuer,
      "kubernetes.io/serviceaccount/namespace": namespace,
      "kubernetes.io/serviceaccount/secret.name": secret,
      "kubernetes.io/serviceaccount/service-account.name": name,
      "kubernetes.io/serviceaccount/service-account.uid": uid,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    return signedToken(claims, this.#signingKey);
  }

  /** @param audiences who is to accept it, one of them suffices; empty for the API server */
  verify(token: string, audiences: readonly string[]): TokenVerdict | undefined {
    const claims = this.#claims(token);
    if (claims === undefined) return undefined;
    if (claims.iss === secretIssuer) return this.#verifySecret(token, claims as unknown as SecretClaims);
    const accepted = audiences.length === 0 ? [this.issuer] : audiences;
    const shared = claims.aud.filter((audience) => accepted.includes(audience));
    if (shared.length === 0) {
      return {
        error: `token audiences ${goList(claims.aud)} is invalid for the target audiences ${goList(accepted)}`,
      };
    }
    const error = this.#objection(claims);
    return error === undefined ? { user: userOf(claims), audiences: shared } : { error };
  }

  /** The document at `/.well-known/openid-configuration`. */
  get discovery(): object {
    return {
      issuer: this.issuer,
      jwks_uri: `${this.issuer}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: [this.#signingKey.algorithm],
    };
  }

  /** The document at `/openid/v1/jwks`: the public half of the signing key. */
  get keySet(): { readonly keys: readonly JsonWebKey[] } {
    const { publicKey, algorithm, id } = this.#signingKey;
    return { keys: [{ use: "sig", ...publicKey.export({ format: "jwk" }), kid: id, alg: algorithm }] };
  }

  get #signingKey(): SigningKey {
    this.#key ??= readSigningKey((this.#options.signingKey ?? newSigningKey)());
    return this.#key;
  }

  #verifySecret(token: string, claims: SecretClaims): TokenVerdict {
    const namespace = claims["kubernetes.io/serviceaccount/namespace"];
    const secret = claims["kubernetes.io/serviceaccount/secret.name"];
    const name = claims["kubernetes.io/serviceaccount/service-account.name"];
    const uid = claims["kubernetes.io/serviceaccount/service-account.uid"];
    const held = this.#bound.secret.get(`${namespace}/${secret}`)?.object["data"] as
      | { token?: string }
      | undefined;
    if (held?.token !== Buffer.from(token).toString("base64"))
      return { error: "service account token has been invalidated" };
    const account = this.#accounts.get(`${namespace}/${name}`)?.object.metadata;
    if (account?.uid !== uid) return { error: "service account token has been invalidated" };
    return { user: serviceAccountUser(namespace, name, uid), audiences: undefined };
  }

  /** What a token claims, when we signed it. */
  #claims(token: string): Claims | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const claims = verifiedPayload(token, this.#signingKey) as Claims | undefined;
    if (claims === undefined || (claims.iss !== this.issuer && claims.iss !== secretIssuer)) return undefined;
    if (this.#verified.size >= verifiedMax) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }

  /** Why a token that we signed does not count (any more). */
  #objection(claims: Claims): string | undefined {
    const now = this.#options.now() / 1000;
    if (now >= claims.exp) return "service account token has expired";
    if (now < claims.nbf) return "service account token is not valid yet";
    const { namespace, serviceaccount: account, ...bound } = claims["kubernetes.io"];
    const found = this.#accounts.get(`${namespace}/${account.name}`)?.object.metadata;
    if (found === undefined) return `serviceaccounts "${account.name}" not found`;
    if (found.uid !== account.uid)
      return `service account UID (${found.uid}) does not match claim (${account.uid})`;
    for (const kind of ["pod", "secret", "node"] as const) {
      const reference = bound[kind];
      // the node of a bound pod is only told, not required
      if (reference === undefined || (kind === "node" && bound.pod !== undefined)) continue;
      const key = kind === "node" ? reference.name : `${namespace}/${reference.name}`;
      if (this.#bound[kind].get(key)?.object.metadata.uid !== reference.uid) {
        return "service account token has been invalidated";
      }
    }
    return undefined;
  }
}

function userOf(claims: Claims): UserInfo {
  const { namespace, serviceaccount, pod, node } = claims["kubernetes.io"];
  const extra: Record<string, readonly string[]> = {
    "authentication.kubernetes.io/credential-id": [`JTI=${claims.jti}`],
  };
  if (pod !== undefined) {
    extra["authentication.kubernetes.io/pod-name"] = [pod.name];
    extra["authentication.kubernetes.io/pod-uid"] = [pod.uid ?? ""];
  }
  if (node !== undefined) {
    extra["authentication.kubernetes.io/node-name"] = [node.name];
    if (node.uid !== undefined) extra["authentication.kubernetes.io/node-uid"] = [node.uid];
  }
  return { ...serviceAccountUser(namespace, serviceaccount.name, serviceaccount.uid), extra };
}

/** A list of strings as Go's %q prints it. */
function goList(texts: readonly string[]): string {
  return `[${texts.map((t) => JSON.stringify(t)).join(" ")}]`;
}
