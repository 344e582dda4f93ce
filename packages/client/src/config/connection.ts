/** Who asks: changes while the process runs, because tokens and certificates rotate. */
export interface Credentials {
  /** The Authorization header: `Bearer ...` or `Basic ...`. */
  readonly authorization?: string | undefined;
  /** A client certificate, PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Where credentials come from. Implementations do their work once for any number of concurrent callers. */
export interface CredentialSource {
  /** The credentials to use now; the same object as long as they have not changed. @throws ConfigError, CredentialError */
  current(signal?: AbortSignal): Promise<Credentials>;
  /**
   * Called when the server refused `refused` with 401: other credentials, or undefined when there is nothing better to
   * try.
   */
  renew?(refused: Credentials, signal?: AbortSignal): Promise<Credentials | undefined>;
}

/** Credentials that never change: `fixedCredentials({ authorization: "Bearer ..." })`. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { current: () => Promise.resolve(credentials) };
}

export interface Impersonation {
  readonly user?: string | undefined;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Everything that is needed to speak to one API server as one identity. Made by `loadConnection`, or by hand. */
export interface Connection {
  /** `https://10.0.0.1:6443`, perhaps with a path in front of all API paths. */
  readonly server: string;
  /** Certificates of the authorities to trust, PEM. Default: those of the system. */
  readonly ca?: string | (() => Promise<string>) | undefined;
  /** The name to ask for and to verify, instead of the host in `server`. */
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** `http://proxy:3128`. Absent: HTTPS_PROXY and NO_PROXY of `environment`. */
  readonly proxyUrl?: string | undefined;
  readonly credentials?: CredentialSource | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The server answers better compressed: false when it is near. Default: true unless the server is on this machine. */
  readonly compression?: boolean | undefined;
  /** The namespace that the context names; `default` otherwise. */
  readonly namespace: string;
  /** Where this came from, for messages: `kubeconfig /home/me/.kube/config, context prod`. */
  readonly origin: string;
}
