import { dirname } from "node:path";
import { ConfigError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import {
  type Connection,
  type CredentialSource,
  type Impersonation,
  fixedCredentials,
} from "./connection.ts";
import { execCredentialSource } from "./exec-credential.ts";
import {
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigUser,
  type Located,
  namedEntry,
} from "./kubeconfig.ts";
import { oidcSource } from "./oidc.ts";
import type { Environment } from "./proxy.ts";
import { certificateFileSource, combinedSource, rotatingFile, tokenFileSource } from "./rotating-file.ts";

export interface ConnectionOfOptions {
  /** Instead of the current context. */
  readonly context?: string | undefined;
  /** Instead of the namespace that the context names. */
  readonly namespace?: string | undefined;
  readonly environment: Environment;
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/** What a context of a kubeconfig stands for. @throws ConfigError that names file and entry */
export function connectionOf(config: Kubeconfig, options: ConnectionOfOptions): Connection {
  const contextName = options.context ?? config.currentContext;
  const files = config.files.join(", ");
  if (contextName === undefined) {
    const names = [...config.contexts.keys()].map((name) => JSON.stringify(name)).join(", ") || "none";
    throw new ConfigError(
      `${files}: current-context is not set; set it, or choose a context (it has: ${names})`,
    );
  }
  const context = namedEntry(config, "context", config.contexts, contextName);
  const where = `${context.file}: context ${JSON.stringify(contextName)}`;
  const clusterName = context.value.cluster;
  if (clusterName === undefined) throw new ConfigError(`${where} names no cluster`);
  const cluster = namedEntry(config, "cluster", config.clusters, clusterName);
  const userName = context.value.user;
  const user = userName === undefined ? undefined : namedEntry(config, "user", config.users, userName);
  return {
    ...clusterPart(cluster, clusterName, options),
    ...(user && userName !== undefined && userPart(user, userName, cluster.value, options)),
    namespace: options.namespace ?? context.value.namespace ?? "default",
    origin: `kubeconfig ${files}, context ${contextName}`,
  };
}

function clusterPart(
  { file, value: cluster }: Located<KubeconfigCluster>,
  name: string,
  { clock }: ConnectionOfOptions,
): Pick<
  Connection,
  "server" | "ca" | "tlsServerName" | "insecureSkipTlsVerify" | "proxyUrl" | "compression"
> {
  const where = `${file}: cluster ${JSON.stringify(name)}`;
  if (cluster.server === undefined) throw new ConfigError(`${where}: server is missing`);
  const { certificateAuthority: caFile, certificateAuthorityData: caData } = cluster;
  if (cluster.insecureSkipTlsVerify && (caFile ?? caData) !== undefined) {
    throw new ConfigError(
      `${where}: certificate-authority and insecure-skip-tls-verify exclude each other; remove one`,
    );
  }
  const rotating =
    caFile === undefined ? undefined : rotatingFile(caFile, "certificate-authority file", clock);
  const ca = caData !== undefined ? pem(caData, `${where}: certificate-authority-data`) : rotating?.current;
  return {
    server: cluster.server.includes("://") ? cluster.server : `http://${cluster.server}`,
    ca,
    tlsServerName: cluster.tlsServerName,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    proxyUrl: cluster.proxyUrl,
    ...(cluster.disableCompression && { compression: false }),
  };
}

function userPart(
  { file, value: user }: Located<KubeconfigUser>,
  name: string,
  cluster: KubeconfigCluster,
  options: ConnectionOfOptions,
): Pick<Connection, "credentials" | "impersonate"> {
  const where = `${file}: user ${JSON.stringify(name)}`;
  const sources = [
    certificateSource(user, where, options.clock),
    tokenSource(user, where, options.clock),
    pluginSource(user, { name, file, where, cluster }, options),
  ].filter((source) => source !== undefined);
  const credentials = sources.length === 0 ? undefined : sources.reduce(combinedSource);
  return { credentials, impersonate: impersonation(user, where) };
}

function certificateSource(user: KubeconfigUser, where: string, clock: Clock): CredentialSource | undefined {
  const part = (
    file: string | undefined,
    data: string | undefined,
    field: string,
  ): ReturnType<typeof rotatingFile> | string | undefined => {
    if (data !== undefined) return pem(data, `${where}: ${field}-data`);
    return file === undefined ? undefined : rotatingFile(file, `${field} file`, clock);
  };
  const cert = part(user.clientCertificate, user.clientCertificateData, "client-certificate");
  const key = part(user.clientKey, user.clientKeyData, "client-key");
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new ConfigError(
      `${where}: client-${cert === undefined ? "certificate" : "key"} is missing: both are needed`,
    );
  }
  return certificateFileSource(cert, key);
}

function tokenSource(user: KubeconfigUser, where: string, clock: Clock): CredentialSource | undefined {
  const { token, tokenFile, username, password = "" } = user;
  if ((token ?? tokenFile) !== undefined && username !== undefined) {
    throw new ConfigError(`${where}: token and username exclude each other; remove one`);
  }
  if (tokenFile !== undefined) return tokenFileSource(tokenFile, clock);
  if (token !== undefined) return fixedCredentials({ authorization: `Bearer ${token}` });
  if (username === undefined) return undefined;
  const login = Buffer.from(`${username}:${password}`).toString("base64");
  return fixedCredentials({ authorization: `Basic ${login}` });
}

function pluginSource(
  user: KubeconfigUser,
  at: { name: string; file: string; where: string; cluster: KubeconfigCluster },
  options: ConnectionOfOptions,
): CredentialSource | undefined {
  const { exec, authProvider } = user;
  const { where, cluster, file } = at;
  if (exec !== undefined) {
    if (authProvider !== undefined)
      throw new ConfigError(`${where}: exec and auth-provider exclude each other; remove one`);
    return execCredentialSource({ ...options, exec, cluster, where, folder: dirname(file) });
  }
  if (authProvider === undefined) return undefined;
  if (authProvider.name === "oidc") {
    return oidcSource({ config: authProvider.config, where, file, userName: at.name, clock: options.clock });
  }
  const hint = "such providers were removed from Kubernetes; use the provider's exec plug-in";
  throw new ConfigError(
    `${where}: auth-provider ${JSON.stringify(authProvider.name)} is not supported: ${hint}`,
  );
}

function impersonation(user: KubeconfigUser, where: string): Impersonation | undefined {
  const { as, asUid: uid, asGroups: groups, asUserExtra: extra } = user;
  if (as !== undefined) return { user: as, uid, groups, extra };
  if ((uid ?? groups ?? extra) === undefined) return undefined;
  throw new ConfigError(`${where}: as-uid, as-groups and as-user-extra need as`);
}

/** @throws ConfigError unless it is base64 of PEM */
function pem(base64: string, where: string): string {
  const text = Buffer.from(base64, "base64").toString("utf8");
  if (text.includes("-----BEGIN ")) return text;
  throw new ConfigError(
    `${where}: expected base64 of PEM (-----BEGIN ...); the text that it stands for is something else`,
  );
}
