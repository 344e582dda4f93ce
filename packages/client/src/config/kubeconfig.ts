import { ConfigError } from "../errors.ts";
import { type Entry, openDocument } from "./kubeconfig-reader.ts";

/** A cluster entry. Paths are absolute. */
export interface KubeconfigCluster {
  readonly server: string | undefined;
  readonly tlsServerName: string | undefined;
  readonly insecureSkipTlsVerify: boolean | undefined;
  readonly certificateAuthority: string | undefined;
  /** Base64 of PEM. */
  readonly certificateAuthorityData: string | undefined;
  readonly proxyUrl: string | undefined;
  readonly disableCompression: boolean | undefined;
  /** What the cluster's extension for plug-ins says, passed to them as it is. */
  readonly execConfig: unknown;
}

/** Source: client-go tools/clientcmd/api ExecConfig. */
export interface KubeconfigExec {
  readonly apiVersion: string | undefined;
  readonly command: string | undefined;
  readonly args: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean | undefined;
  readonly interactiveMode: string | undefined;
}

/** A user entry. Paths are absolute. */
export interface KubeconfigUser {
  readonly clientCertificate: string | undefined;
  readonly clientCertificateData: string | undefined;
  readonly clientKey: string | undefined;
  readonly clientKeyData: string | undefined;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly as: string | undefined;
  readonly asUid: string | undefined;
  readonly asGroups: readonly string[] | undefined;
  readonly asUserExtra: Readonly<Record<string, readonly string[]>> | undefined;
  readonly exec: KubeconfigExec | undefined;
  readonly authProvider:
    | { readonly name: string; readonly config: Readonly<Record<string, string>> }
    | undefined;
}

export interface KubeconfigContext {
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

/** A named entry and the file it stands in. */
export interface Located<T> {
  readonly file: string;
  readonly value: T;
}

/** One kubeconfig, or several merged: the first file that has an entry wins. */
export interface Kubeconfig {
  /** The files it was read from. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Located<KubeconfigContext>>;
  readonly clusters: ReadonlyMap<string, Located<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Located<KubeconfigUser>>;
}

/**
 * Reads one kubeconfig.
 * @param file its path: names it in messages, and relative paths in it start from its folder
 * @throws ConfigError that names file, line and entry
 */
export async function parseKubeconfig(text: string, file: string): Promise<Kubeconfig> {
  const reader = await openDocument(text, file);
  const root = reader.root();
  const kind = root.text("kind");
  if (kind !== undefined && kind !== "Config") {
    throw root.error("kind", `expected Config, found ${JSON.stringify(kind)}; is this a kubeconfig?`);
  }
  const named = <T>(list: string, field: string, read: (entry: Entry) => T): Map<string, Located<T>> => {
    const found = new Map<string, Located<T>>();
    for (const entry of root.list(list)) {
      const name = entry.text("name");
      if (name === undefined) throw entry.error("name", "is missing");
      found.set(name, { file, value: read(entry.map(field)) });
    }
    return found;
  };
  return {
    files: [file],
    currentContext: root.text("current-context") || undefined,
    contexts: named("contexts", "context", readContext),
    clusters: named("clusters", "cluster", readCluster),
    users: named("users", "user", readUser),
  };
}

/** Several kubeconfigs as one. Source: client-go tools/clientcmd/loader.go. */
export function mergeKubeconfigs(all: readonly Kubeconfig[]): Kubeconfig {
  const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
    new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    files: all.flatMap((one) => one.files),
    currentContext: all.find((one) => one.currentContext !== undefined)?.currentContext,
    contexts: firstWins(all.map((one) => one.contexts)),
    clusters: firstWins(all.map((one) => one.clusters)),
    users: firstWins(all.map((one) => one.users)),
  };
}

/** The entry of a name. @throws ConfigError that lists the names there are */
export function namedEntry<T>(
  config: Kubeconfig,
  what: "context" | "cluster" | "user",
  entries: ReadonlyMap<string, Located<T>>,
  name: string,
): Located<T> {
  const found = entries.get(name);
  if (found !== undefined) return found;
  const names = [...entries.keys()].map((one) => JSON.stringify(one)).join(", ") || "none";
  throw new ConfigError(
    `${config.files.join(", ")}: there is no ${what} ${JSON.stringify(name)}; it has: ${names}`,
  );
}

function readContext(entry: Entry): KubeconfigContext {
  return {
    cluster: entry.text("cluster") || undefined,
    user: entry.text("user") || undefined,
    namespace: entry.text("namespace") || undefined,
  };
}

const execExtension = "client.authentication.k8s.io/exec";

function readCluster(entry: Entry): KubeconfigCluster {
  const extension = entry.list("extensions").find((one) => one.text("name") === execExtension);
  return {
    server: entry.text("server") || undefined,
    tlsServerName: entry.text("tls-server-name") || undefined,
    insecureSkipTlsVerify: entry.flag("insecure-skip-tls-verify"),
    certificateAuthority: entry.path("certificate-authority"),
    certificateAuthorityData: entry.text("certificate-authority-data") || undefined,
    proxyUrl: entry.text("proxy-url") || undefined,
    disableCompression: entry.flag("disable-compression"),
    execConfig: extension?.raw("extension"),
  };
}

function readUser(entry: Entry): KubeconfigUser {
  const exec = entry.has("exec") ? readExec(entry.map("exec")) : undefined;
  const provider = entry.has("auth-provider") ? entry.map("auth-provider") : undefined;
  return {
    clientCertificate: entry.path("client-certificate"),
    clientCertificateData: entry.text("client-certificate-data") || undefined,
    clientKey: entry.path("client-key"),
    clientKeyData: entry.text("client-key-data") || undefined,
    token: entry.text("token") || undefined,
    tokenFile: entry.path("tokenFile"),
    username: entry.text("username") || undefined,
    password: entry.text("password"),
    as: entry.text("as") || undefined,
    asUid: entry.text("as-uid") || undefined,
    asGroups: entry.texts("as-groups"),
    asUserExtra: entry.has("as-user-extra") ? entry.map("as-user-extra").textLists() : undefined,
    exec,
    authProvider: provider && {
      name: provider.text("name") ?? "",
      config: provider.map("config").allTexts(),
    },
  };
}

function readExec(entry: Entry): KubeconfigExec {
  const pairs = entry.list("env").map((one) => [one.text("name") ?? "", one.text("value") ?? ""] as const);
  return {
    apiVersion: entry.text("apiVersion"),
    command: entry.text("command") || undefined,
    args: entry.texts("args"),
    env: Object.fromEntries(pairs),
    installHint: entry.text("installHint") || undefined,
    provideClusterInfo: entry.flag("provideClusterInfo"),
    interactiveMode: entry.text("interactiveMode") || undefined,
  };
}
