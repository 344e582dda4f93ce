import type { UserInfo } from "../registry/user.ts";

/** What a connection and a request say about who sends it. */
export interface Credentials {
  /** Value of the Authorization header. */
  readonly authorization: string | undefined;
  /** Subject of a verified client certificate. */
  readonly certificate:
    | { readonly commonName: string; readonly organizations: readonly string[] }
    | undefined;
}

/** Tells who sends a request; `anonymous` when it says nothing, undefined when what it says is wrong. */
export interface Authenticator {
  authenticate(credentials: Credentials): UserInfo | "anonymous" | undefined;
}

/** Client certificates signed by the cluster's own authority, and fixed bearer tokens. */
export function createAuthenticator(tokens: ReadonlyMap<string, UserInfo>): Authenticator {
  return {
    authenticate({ authorization, certificate }) {
      if (certificate !== undefined) {
        return {
          name: certificate.commonName,
          groups: [...certificate.organizations, "system:authenticated"],
        };
      }
      if (authorization === undefined || authorization === "") return "anonymous";
      const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
      return token === undefined ? undefined : tokens.get(token);
    },
  };
}
