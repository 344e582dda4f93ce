import { spawn } from "node:child_process";
import { isAbsolute, join } from "node:path";
import { ConfigError, CredentialError } from "../errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { CredentialSource, Credentials } from "./connection.ts";
import type { KubeconfigCluster, KubeconfigExec } from "./kubeconfig.ts";
import type { Environment } from "./proxy.ts";
import { type Lease, RefreshingSource } from "./refreshing-source.ts";

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

/** A plug-in that cannot ask anybody gets so long; one that may (a browser login) is not limited. */
const runMsMax = 60_000;

/** Of what a plug-in writes, so much is read or shown. */
const outputBytesMax = 1 << 20;
const shownTextMax = 1000;

export interface ExecCredentialOptions {
  readonly exec: KubeconfigExec;
  readonly cluster: KubeconfigCluster;
  /** Where the plug-in is declared, for messages: `/home/me/.kube/config: user "me"`. */
  readonly where: string;
  /** Folder of the kubeconfig; a command with a slash is relative to it. */
  readonly folder: string;
  readonly environment: Environment;
  readonly isTerminal: boolean;
  readonly clock: Clock;
}

/**
 * Credentials from a plug-in program, run once for any number of requests, and again shortly before what it gave expires
 * or when the server refuses it. Source: client-go plugin/pkg/client/auth/exec, KEP-541.
 * @throws ConfigError when the declaration is not complete
 */
export function execCredentialSource(options: ExecCredentialOptions): CredentialSource {
  const { exec, where, clock } = options;
  if (!exec.command) throw new ConfigError(`${where}: exec.command is missing`);
  if (!versions.includes(exec.apiVersion ?? "")) {
    const found = exec.apiVersion === undefined ? "none" : JSON.stringify(exec.apiVersion);
    throw new ConfigError(
      `${where}: exec.apiVersion: expected ${versions.join(" or ")}, found ${found}; upgrade the plug-in`,
    );
  }
  if (exec.interactiveMode === "Always" && !options.isTerminal) {
    throw new ConfigError(`${where}: exec.interactiveMode is Always, but standard input is not a terminal`);
  }
  const isInteractive = options.isTerminal && (exec.interactiveMode ?? "IfAvailable") !== "Never";
  const load = async (): Promise<Lease> => leaseOf(await run(options, isInteractive), options);
  return new RefreshingSource({ clock, load });
}

async function run(options: ExecCredentialOptions, isInteractive: boolean): Promise<string> {
  const { exec, environment, where, clock } = options;
  const command = commandPath(exec.command ?? "", options.folder);
  const child = spawn(command, exec.args ?? [], {
    env: {
      ...environment,
      ...exec.env,
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(options, isInteractive)),
    },
    stdio: [isInteractive ? "inherit" : "ignore", "pipe", isInteractive ? "inherit" : "pipe"],
    windowsHide: true,
  });
  const output = collectText(child.stdout);
  const complaint = collectText(child.stderr);
  const outcome = new Promise<string>((resolve) => {
    child.on("error", (error: NodeJS.ErrnoException) =>
      resolve(error.code === "ENOENT" ? "was not found" : error.message),
    );
    child.on("close", (code, signal) => resolve(code === 0 ? "" : `ended with ${signal ?? `code ${code}`}`));
  });
  const limit = isInteractive ? undefined : clock.setTimer(runMsMax, () => child.kill("SIGKILL"));
  const problem = await outcome;
  limit?.cancel();
  if (problem === "") return output();
  const hint = problem === "was not found" && exec.installHint ? `\n${exec.installHint}` : "";
  const says = complaint().trim().slice(-shownTextMax);
  throw new CredentialError(
    `${where}: credential plug-in ${command} ${problem}${says && `: ${says}`}${hint}`,
  );
}

function commandPath(command: string, folder: string): string {
  return isAbsolute(command) || !/[/\\]/.test(command) ? command : join(folder, command);
}

function execInfo({ exec, cluster }: ExecCredentialOptions, interactive: boolean): object {
  const info = {
    server: cluster.server,
    "tls-server-name": cluster.tlsServerName,
    "insecure-skip-tls-verify": cluster.insecureSkipTlsVerify,
    "certificate-authority-data": cluster.certificateAuthorityData,
    "proxy-url": cluster.proxyUrl,
    config: cluster.execConfig,
  };
  const spec = { interactive, ...(exec.provideClusterInfo && { cluster: info }) };
  return { apiVersion: exec.apiVersion, kind: "ExecCredential", spec };
}

function collectText(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream?.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length <= outputBytesMax) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}

interface ExecCredential {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly status?: {
    readonly expirationTimestamp?: string;
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
  };
}

function leaseOf(output: string, { exec, where }: ExecCredentialOptions): Lease {
  const fail = (what: string): never => {
    throw new CredentialError(`${where}: credential plug-in ${exec.command}: ${what}`);
  };
  let answer: ExecCredential;
  try {
    answer = JSON.parse(output) as ExecCredential;
  } catch {
    return fail(
      `expected an ExecCredential in JSON on its output, found ${JSON.stringify(output.slice(0, 100))}`,
    );
  }
  if (answer?.kind !== "ExecCredential" || answer.apiVersion !== exec.apiVersion) {
    fail(
      `expected kind ExecCredential of ${exec.apiVersion}, found ${answer?.kind} of ${answer?.apiVersion}`,
    );
  }
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = answer.status ?? {};
  if (!token && !cert) fail("its status has neither token nor clientCertificateData");
  if (!cert !== !key) fail("its status must have both clientCertificateData and clientKeyData, or neither");
  const expiresAtMs = expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAtMs))
    fail(`status.expirationTimestamp is not a time: ${JSON.stringify(expirationTimestamp)}`);
  const credentials: Credentials = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(cert && key && { certificate: { cert, key } }),
  };
  return { credentials, expiresAtMs };
}
