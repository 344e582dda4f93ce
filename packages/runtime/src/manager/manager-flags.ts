/** The flags of a manager's process, under the names that controller-runtime's projects have made common. */
import type { LoadConnectionOptions } from "@bowline/client";
import { MisuseError } from "../errors.ts";
import { pinoLogger } from "./logger.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** What the flags say. */
export interface ManagerFlags {
  readonly connection: LoadConnectionOptions;
  /** @param namespace the pod's own, where Lease, Secret and Service are */
  managerOptions(name: string, namespace: string): Partial<ManagerOptions>;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Flag {
  readonly default: string | boolean;
  readonly text: string;
}

const flags: Readonly<Record<string, Flag>> = {
  kubeconfig: { default: "", text: "path of a kubeconfig" },
  context: { default: "", text: "context of the kubeconfig" },
  "health-probe-bind-address": {
    default: ":8081",
    text: "where /healthz and /readyz are answered; 0: nowhere",
  },
  "metrics-bind-address": { default: "0", text: "where /metrics is answered; 0: nowhere" },
  "metrics-secure": { default: true, text: "metrics over HTTPS, for those whom the API server allows" },
  "metrics-cert-path": {
    default: "",
    text: "folder of the metrics certificate; default: one made on the spot",
  },
  "metrics-cert-name": { default: "tls.crt", text: "file name of the metrics certificate" },
  "metrics-cert-key": { default: "tls.key", text: "file name of the key of the metrics certificate" },
  "leader-elect": {
    default: false,
    text: "work only while holding the Lease, so that one replica works at a time",
  },
  "leader-election-namespace": { default: "", text: "namespace of the Lease; default: the pod's" },
  "webhook-bind-address": { default: ":9443", text: "where webhooks are served" },
  "webhook-service": {
    default: "",
    text: "Service through which the API server reaches the webhooks; their certificate is then kept in a Secret",
  },
  "webhook-cert-path": {
    default: "",
    text: "folder of the webhook certificate that someone else, such as cert-manager, keeps",
  },
  "webhook-cert-name": { default: "tls.crt", text: "file name of the webhook certificate" },
  "webhook-cert-key": { default: "tls.key", text: "file name of the key of the webhook certificate" },
  "watch-namespace": {
    default: "",
    text: "only these namespaces, with commas; default: WATCH_NAMESPACE, else all",
  },
  "log-level": { default: "", text: "debug, info, warn or error; default: LOG_LEVEL, else info" },
};

/**
 * Reads a manager's command line: `--name value`, `--name=value`, `--switch`, `--switch=false`.
 * @throws MisuseError for a flag that does not exist (also `--help`), listing those that do
 */
export function managerFlags(
  args: readonly string[],
  options: { readonly environment: Environment },
): ManagerFlags {
  const values = parse(args);
  const text = (name: string): string => String(values.get(name) ?? flags[name]?.default ?? "");
  const isOn = (name: string): boolean => text(name) === "true";
  return {
    connection: {
      ...(text("kubeconfig") === "" ? {} : { kubeconfig: text("kubeconfig") }),
      ...(text("context") === "" ? {} : { context: text("context") }),
    },
    managerOptions: (name, namespace) => ({
      healthAddress: text("health-probe-bind-address"),
      metricsAddress: text("metrics-bind-address"),
      secureMetrics: isOn("metrics-secure") && metricsCertificate(text),
      ...(isOn("leader-elect")
        ? { leaderElection: { id: name, namespace: text("leader-election-namespace") || namespace } }
        : {}),
      webhookServer: webhookServer(text, namespace),
      ...watchedNamespaces(text("watch-namespace") || (options.environment["WATCH_NAMESPACE"] ?? "")),
      ...(text("log-level") === "" ? {} : { logger: pinoLogger({ level: text("log-level"), name }) }),
    }),
  };
}

function metricsCertificate(text: (name: string) => string): NonNullable<ManagerOptions["secureMetrics"]> {
  const folder = text("metrics-cert-path");
  if (folder === "") return true;
  return {
    certificateFile: `${folder}/${text("metrics-cert-name")}`,
    keyFile: `${folder}/${text("metrics-cert-key")}`,
  };
}

function webhookServer(
  text: (name: string) => string,
  namespace: string,
): NonNullable<ManagerOptions["webhookServer"]> {
  const [directory, service] = [text("webhook-cert-path"), text("webhook-service")];
  return {
    address: text("webhook-bind-address"),
    ...(directory === ""
      ? {}
      : {
          certificate: {
            directory,
            certificateName: text("webhook-cert-name"),
            keyName: text("webhook-cert-key"),
          },
        }),
    ...(service === "" ? {} : { reach: { service: { namespace, name: service } } }),
  };
}

function watchedNamespaces(text: string): Pick<ManagerOptions, "cache"> {
  const namespaces = text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return namespaces.length === 0 ? {} : { cache: { namespaces } };
}

function parse(args: readonly string[]): Map<string, string | boolean> {
  const values = new Map<string, string | boolean>();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const [, name = "", value] = /^--?([a-z-]+)(?:=(.*))?$/.exec(arg) ?? [];
    const flag = flags[name];
    if (flag === undefined) throw new MisuseError(`unknown flag ${arg}; there are:\n${usage()}`);
    if (typeof flag.default === "boolean") {
      if (value !== undefined && !/^(true|false)$/.test(value)) {
        throw new MisuseError(`--${name} is a switch: write --${name} or --${name}=false`);
      }
      values.set(name, value ?? "true");
      continue;
    }
    const next = value ?? args[++i];
    if (next === undefined) throw new MisuseError(`--${name} needs a value: ${flag.text}`);
    values.set(name, next);
  }
  return values;
}

function usage(): string {
  const width = Math.max(...Object.keys(flags).map((name) => name.length));
  return Object.entries(flags)
    .map(([name, flag]) => `  --${name.padEnd(width)}  ${flag.text} (${JSON.stringify(flag.default)})`)
    .join("\n");
}
