import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Connection } from "./connection.ts";
import type { Environment } from "./proxy.ts";
import { rotatingFile, tokenFileSource } from "./rotating-file.ts";

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface InClusterOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  /** Where the service account is mounted. Default `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly folder?: string | undefined;
}

/**
 * The connection of a process that runs in a pod; undefined when it does not. Token and authority are files that the
 * kubelet replaces. Source: client-go rest/config.go InClusterConfig.
 * @throws ConfigError when the pod has the variables but no service account token
 */
export async function inClusterConnection(options: InClusterOptions): Promise<Connection | undefined> {
  const { environment, clock, folder = serviceAccountFolder } = options;
  const host = environment["KUBERNETES_SERVICE_HOST"];
  const port = environment["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) return undefined;
  const tokenPath = join(folder, "token");
  await readFile(tokenPath, "utf8").catch((error: Error) => {
    const hint = "does the pod set automountServiceAccountToken: false?";
    throw new ConfigError(`in cluster: the service account token cannot be read: ${error.message}; ${hint}`, {
      cause: error,
    });
  });
  const namespace = await readFile(join(folder, "namespace"), "utf8").catch(() => "");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca: rotatingFile(join(folder, "ca.crt"), "certificate-authority file", clock).current,
    credentials: tokenFileSource(tokenPath, clock),
    namespace: namespace.trim() || "default",
    origin: `in cluster, ${folder}`,
  };
}
