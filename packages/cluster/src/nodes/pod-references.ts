/** What a pod takes from ConfigMaps and Secrets. Source: kubernetes pkg/kubelet (kubelet_pods.go makeEnvironmentVariables). */
import type { DeepReadonly } from "@bowline/api";
import { ConfigMap, type Container, type Pod, Secret } from "@bowline/api/core/v1";
import type { ReconcileContext } from "@bowline/runtime";
import type { ResolvedPod } from "./pod-worker.ts";

type PodState = DeepReadonly<Pod>;
type Spec = DeepReadonly<Container>;
type Data = Readonly<Record<string, string>>;

/** A volume that cannot be mounted, for an event. */
export interface MountProblem {
  readonly message: string;
}

export interface References {
  readonly resolved: ResolvedPod;
  readonly mountProblems: readonly MountProblem[];
}

const nothing: References = { resolved: { env: new Map(), problems: new Map() }, mountProblems: [] };

/** Reads what the pod names, if it names anything. */
export async function readReferences(pod: PodState, ctx: ReconcileContext<Pod>): Promise<References> {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const hasEnv = containers.some((c) => (c.env?.length ?? 0) + (c.envFrom?.length ?? 0) > 0);
  const mounted = (pod.spec?.volumes ?? []).filter((volume) => volume.configMap ?? volume.secret);
  if (!hasEnv && mounted.length === 0) return nothing;
  const sources = new Sources(pod.metadata.namespace ?? "", ctx);
  const env = new Map<string, Data>();
  const problems = new Map<string, { reason: string; message: string }>();
  const mountProblems: MountProblem[] = [];
  for (const { name, configMap, secret } of mounted) {
    const isOptional = (configMap ?? secret)?.optional === true;
    const found =
      configMap === undefined
        ? await sources.secret(secret?.secretName ?? "")
        : await sources.configMap(configMap.name ?? "");
    if (found !== undefined || isOptional) continue;
    const what = configMap === undefined ? `secret "${secret?.secretName}"` : `configmap "${configMap.name}"`;
    mountProblems.push({ message: `MountVolume.SetUp failed for volume "${name}" : ${what} not found` });
    problems.set("", { reason: "ContainerCreating", message: "" });
  }
  for (const container of containers) {
    const result = await environment(container, pod, sources);
    if (typeof result === "string")
      problems.set(container.name, { reason: "CreateContainerConfigError", message: result });
    else env.set(container.name, result);
  }
  return { resolved: { env, problems }, mountProblems };
}

/** The variables, or what is missing. */
async function environment(container: Spec, pod: PodState, sources: Sources): Promise<Data | string> {
  const env: Record<string, string> = {};
  for (const { configMapRef, secretRef, prefix = "" } of container.envFrom ?? []) {
    const data =
      configMapRef === undefined
        ? await sources.secret(secretRef?.name ?? "")
        : await sources.configMap(configMapRef.name ?? "");
    if (data === undefined && (configMapRef ?? secretRef)?.optional !== true) {
      return configMapRef === undefined
        ? `secret "${secretRef?.name}" not found`
        : `configmap "${configMapRef.name}" not found`;
    }
    for (const [key, value] of Object.entries(data ?? {})) env[`${prefix}${key}`] = value;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    if (valueFrom === undefined) {
      env[name] = expand(value ?? "", env);
      continue;
    }
    const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
    if (fieldRef !== undefined) {
      env[name] = fieldOf(pod, fieldRef.fieldPath);
      continue;
    }
    const ref = configMapKeyRef ?? secretKeyRef;
    if (ref === undefined) continue;
    const kind = configMapKeyRef === undefined ? "secret" : "configmap";
    const data =
      kind === "secret" ? await sources.secret(ref.name ?? "") : await sources.configMap(ref.name ?? "");
    const found = data?.[ref.key];
    if (found !== undefined) env[name] = found;
    else if (ref.optional !== true) {
      if (data === undefined) return `${kind} "${ref.name}" not found`;
      return `couldn't find key ${ref.key} in ${kind === "secret" ? "Secret" : "ConfigMap"} ${pod.metadata.namespace}/${ref.name}`;
    }
  }
  return env;
}

/** `$(NAME)` stands for a variable that came before. */
function expand(value: string, env: Data): string {
  return value.replace(/\$\$|\$\(([A-Za-z_][\w.-]*)\)/g, (text, name?: string) =>
    name === undefined ? "$" : (env[name] ?? text),
  );
}

function fieldOf(pod: PodState, path: string): string {
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed !== null) return pod.metadata[keyed[1] as "labels" | "annotations"]?.[keyed[2] as string] ?? "";
  let value: unknown = pod;
  for (const part of path.split(".")) value = (value as Record<string, unknown> | undefined)?.[part];
  return value === undefined || value === null ? "" : String(value);
}

/** Reads each object once per pass. */
class Sources {
  readonly #namespace: string;
  readonly #ctx: ReconcileContext<Pod>;
  readonly #read = new Map<string, Promise<Data | undefined>>();

  constructor(namespace: string, ctx: ReconcileContext<Pod>) {
    this.#namespace = namespace;
    this.#ctx = ctx;
  }

  configMap(name: string): Promise<Data | undefined> {
    return this.#once(`configmap/${name}`, async () => {
      const found = await this.#ctx.client.find(
        ConfigMap,
        { name, namespace: this.#namespace },
        { signal: this.#ctx.signal },
      );
      return found === undefined ? undefined : (found.data ?? {});
    });
  }

  secret(name: string): Promise<Data | undefined> {
    return this.#once(`secret/${name}`, async () => {
      const found = await this.#ctx.client.find(
        Secret,
        { name, namespace: this.#namespace },
        { signal: this.#ctx.signal },
      );
      if (found === undefined) return undefined;
      return Object.fromEntries(
        Object.entries(found.data ?? {}).map(([key, value]) => [key, decodeBase64(value)]),
      );
    });
  }

  #once(key: string, read: () => Promise<Data | undefined>): Promise<Data | undefined> {
    let reading = this.#read.get(key);
    if (reading === undefined) this.#read.set(key, (reading = read()));
    return reading;
  }
}

function decodeBase64(text: string): string {
  return Buffer.from(text, "base64").toString("utf8");
}
