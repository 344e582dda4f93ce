/** Who sends a request. Source: k8s.io/apiserver pkg/authentication (union, request/x509, request/bearertoken). */
import type { UserInfo } from "../registry/user.ts";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";

/** What a connection and a request say about who sends it. */
export interface Credentials {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Subject of a client certificate; `"invalid"` for one that our authority did not sign. */
  readonly certificate:
    | { readonly commonName: string; readonly organizations: readonly string[] }
    | "invalid"
    | undefined;
}

/** A bearer token that was accepted, or why not. */
export type TokenVerdict =
  | { readonly user: UserInfo; readonly audiences: readonly string[] | undefined }
  | { readonly error: string };

/** Tells who sends a request; `anonymous` when it says nothing, undefined when what it says is wrong. */
export interface Authenticator {
  authenticate(credentials: Credentials): UserInfo | "anonymous" | undefined;
  /** Judges a token alone, for TokenReviews. @param audiences those that accept it; empty for the server itself */
  authenticateToken(token: string, audiences: readonly string[]): TokenVerdict;
}

export interface AuthenticatorOptions {
  /** Fixed bearer tokens and whose they are. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  readonly serviceAccounts?: ServiceAccountTokens | undefined;
}

/** Group of everybody who proved who they are. */
export const authenticatedGroup: string = "system:authenticated";

/** The user with the group that everybody gets who is known; the anonymous user stays as it is. */
export function authenticated(user: UserInfo): UserInfo {
  if (user.name === "system:anonymous" || user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/**
 * Client certificates signed by the cluster's own authority (CN is the name, O the groups), then bearer tokens: fixed ones
 * and those of service accounts. The first that is right counts; credentials that are all wrong are refused.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { tokens, serviceAccounts } = options;
  const authenticateToken = (token: string, audiences: readonly string[]): TokenVerdict => {
    const fixed = tokens.get(token);
    if (fixed !== undefined) return { user: authenticated(fixed), audiences: undefined };
    return serviceAccounts?.verify(token, audiences) ?? { error: "invalid bearer token" };
  };
  return {
    authenticateToken,
    authenticate({ authorization, certificate }) {
      if (certificate !== undefined && certificate !== "invalid") {
        return authenticated({ name: certificate.commonName, groups: certificate.organizations });
      }
      const token = /^Bearer\s+(\S+)\s*$/i.exec(authorization ?? "")?.[1];
      // other schemes are nobody's: they prove nothing and harm nothing
      if (token === undefined) return certificate === "invalid" ? undefined : "anonymous";
      const verdict = authenticateToken(token, []);
      return "user" in verdict ? verdict.user : undefined;
    },
  };
}
