import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import { systemClock } from "../ports/system-clock.ts";
import type { Connection, Impersonation } from "./connection.ts";
import { inClusterConnection } from "./in-cluster.ts";
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { connectionOf } from "./kubeconfig-connection.ts";
import type { Environment } from "./proxy.ts";

export interface LoadConnectionOptions {
  /** Path of a kubeconfig, as `--kubeconfig` gives it: goes before everything else. */
  readonly kubeconfig?: string | undefined;
  /** A context instead of the current one. With it, in-cluster credentials are not considered. */
  readonly context?: string | undefined;
  /** A namespace instead of the one that the context or the pod names. */
  readonly namespace?: string | undefined;
  /** Act as somebody else, instead of what the kubeconfig says. */
  readonly impersonate?: Impersonation | undefined;
  /** Default `process.env`. */
  readonly environment?: Environment | undefined;
  /** Default: the user's home folder. */
  readonly homeFolder?: string | undefined;
  /** Where a pod's service account is mounted. */
  readonly serviceAccountFolder?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Finds out which server to speak to and as whom: the kubeconfig given, else the files of KUBECONFIG (the first that has
 * an entry wins), else the service account of the pod, else `~/.kube/config`. Source: controller-runtime
 * pkg/client/config, client-go tools/clientcmd/loader.go.
 * @throws ConfigError that names the file, the line or entry, and what to do
 */
export async function loadConnection(options: LoadConnectionOptions = {}): Promise<Connection> {
  const completed = completedOptions(options);
  return withOptions(await find(completed), options);
}

/**
 * What a kubeconfig says that is not in a file, such as the one of an embedded cluster.
 * @param options those about places to look in are not used
 * @throws ConfigError
 */
export async function connectionFromKubeconfig(
  text: string,
  options: LoadConnectionOptions = {},
): Promise<Connection> {
  const config = await parseKubeconfig(text, resolve("kubeconfig"));
  return withOptions(connectionOf(config, completedOptions(options)), options);
}

function completedOptions(options: LoadConnectionOptions): FindOptions {
  const { environment = process.env, clock = systemClock } = options;
  return { ...options, environment, clock, isTerminal: process.stdin.isTTY === true };
}

function withOptions(connection: Connection, options: LoadConnectionOptions): Connection {
  const { impersonate = connection.impersonate, namespace = connection.namespace } = options;
  return { ...connection, impersonate, namespace };
}

interface FindOptions extends LoadConnectionOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly isTerminal: boolean;
}

async function find(options: FindOptions): Promise<Connection> {
  const { environment, kubeconfig } = options;
  if (kubeconfig) return connectionOf(await readRequired(resolve(kubeconfig)), options);
  const listed = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  if (listed.length > 0) return connectionOf(await readListed(listed.map((file) => resolve(file))), options);
  if (options.context === undefined) {
    const { serviceAccountFolder: folder } = options;
    const inCluster = await inClusterConnection({ ...options, folder });
    if (inCluster !== undefined) return inCluster;
  }
  const home = join(options.homeFolder ?? homedir(), ".kube", "config");
  const config = await readOptional(home);
  if (config !== undefined) return connectionOf(config, options);
  const tried = "no kubeconfig was given, KUBECONFIG is not set, this is not a pod";
  throw new ConfigError(`no cluster to connect to: ${tried}, and ${home} does not exist`);
}

async function readRequired(file: string): Promise<Kubeconfig> {
  const config = await readOptional(file);
  if (config === undefined) throw new ConfigError(`kubeconfig ${file} does not exist`);
  return config;
}

/** Files of the list may be missing, as kubectl allows, but not all of them. */
async function readListed(files: readonly string[]): Promise<Kubeconfig> {
  const configs = await Promise.all(files.map(readOptional));
  const present = configs.filter((config) => config !== undefined);
  if (present.length === 0)
    throw new ConfigError(`KUBECONFIG names ${files.join(", ")}, and none of it exists`);
  return mergeKubeconfigs(present);
}

async function readOptional(file: string): Promise<Kubeconfig | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new ConfigError(`kubeconfig ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return parseKubeconfig(text, file);
}
