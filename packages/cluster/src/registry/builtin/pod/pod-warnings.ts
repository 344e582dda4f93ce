/** What the server warns of in pods and templates. Source: kubernetes pkg/api/pod/warnings.go. */
import { type DeepReadonly, quantityMilliValue } from "@bowline/api";
import type { PodTemplateSpec } from "@bowline/api/core/v1";
import { quantityOf, quantityShown } from "../field-checks.ts";
import type { ContainerFields } from "./containers.ts";
import type { PodSpecFields } from "./pod-spec.ts";

const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.kubernetes.io/critical-pod":
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.kubernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.kubernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "seccomp.security.alpha.kubernetes.io/pod":
    'non-functional in v1.27+; use the "seccompProfile" field instead',
};

const deprecatedVolumes: Readonly<Record<string, string>> = {
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  gitRepo: "deprecated in v1.11, and disabled by default in v1.33+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  flocker: "deprecated in v1.22, non-functional in v1.25+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  quobyte: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
};

const deprecatedNodeLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
};

/** @param path `""` for a pod, `spec.template` for a template */
export function podWarnings(path: string, template: DeepReadonly<PodTemplateSpec>): string[] {
  const spec = template.spec ?? ({} as PodSpecFields);
  const out: string[] = [];
  const root = path === "" ? "" : `${path}.`;
  const at = `${root}spec`;
  warnOfPlacement(out, at, spec);
  for (const key in template.metadata?.annotations) {
    const text = deprecatedAnnotations[key];
    if (text !== undefined) out.push(`${root}metadata.annotations[${key}]: ${text}`);
  }
  spec.volumes?.forEach((volume, i) => {
    for (const source in volume) {
      const text = deprecatedVolumes[source];
      if (text !== undefined) out.push(`${at}.volumes[${i}].${source}: ${text}`);
    }
    const sources = volume.projected?.sources ?? (volume.projected && []);
    if (sources !== undefined && !sources.some((source) => Object.keys(source).length > 0))
      out.push(`volume "${volume.name}" (Projected) has no sources provided`);
  });
  warnOfDoubles(
    out,
    `${at}.hostAliases`,
    "ip",
    spec.hostAliases?.map((alias) => alias.ip),
  );
  warnOfDoubles(
    out,
    `${at}.imagePullSecrets`,
    "name",
    spec.imagePullSecrets?.map((s) => s.name ?? ""),
  );
  spec.imagePullSecrets?.forEach(({ name = "" }, i) => {
    if (name === "") out.push(`${at}.imagePullSecrets[${i}].name: invalid empty name ""`);
  });
  warnOfGrace(out, at, spec);
  const ports = new Map<string, SeenPort[]>();
  for (const list of ["initContainers", "containers"] as const) {
    spec[list]?.forEach((container, i) => {
      warnOfContainer(out, `${at}.${list}[${i}]`, container, ports);
    });
  }
  return out;
}

function warnOfPlacement(out: string[], at: string, spec: PodSpecFields): void {
  for (const key in spec.nodeSelector) {
    const text = deprecatedNodeLabels[key];
    if (text !== undefined) out.push(`${at}.nodeSelector[${key}]: ${text}`);
  }
  spec.topologySpreadConstraints?.forEach(({ topologyKey, labelSelector }, i) => {
    const text = deprecatedNodeLabels[topologyKey];
    if (text !== undefined)
      out.push(`${at}.topologySpreadConstraints[${i}].topologyKey: ${topologyKey} is ${text}`);
    if (labelSelector === undefined) {
      out.push(
        `${at}.topologySpreadConstraints[${i}].labelSelector: a null labelSelector results in matching no pod`,
      );
    }
  });
}

function warnOfGrace(out: string[], at: string, spec: PodSpecFields): void {
  if (Number(spec.terminationGracePeriodSeconds) < 0)
    out.push(
      `${at}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
}

function warnOfDoubles(
  out: string[],
  path: string,
  field: string,
  values: readonly string[] | undefined,
): void {
  const seen = new Set<string>();
  values?.forEach((value, i) => {
    if (seen.has(value)) out.push(`${path}[${i}].${field}: duplicate ${field} ${JSON.stringify(value)}`);
    seen.add(value);
  });
}

interface SeenPort {
  readonly field: string;
  readonly hostIP: string;
  readonly hostPort: number;
}

function warnOfContainer(
  out: string[],
  at: string,
  container: ContainerFields,
  ports: Map<string, SeenPort[]>,
): void {
  for (const kind of ["limits", "requests"] as const) {
    const list = container.resources?.[kind] as Readonly<Record<string, string>> | undefined;
    for (const name of ["memory", "ephemeral-storage"]) {
      const value = list?.[name];
      if (value === undefined || quantityMilliValue(quantityOf(value)) % 1000n === 0n) continue;
      out.push(
        `${at}.resources.${kind}[${name}]: fractional byte value "${quantityShown(value)}" is invalid, must be an integer`,
      );
    }
  }
  warnOfHostIps(out, at, container);
  warnOfHiddenEnv(out, at, container);
  container.ports?.forEach((port, i) => {
    const field = `${at}.ports[${i}]`;
    const key = `${port.containerPort}/${port.protocol}`;
    const mine = { field, hostIP: port.hostIP ?? "", hostPort: port.hostPort ?? 0 };
    const others = ports.get(key) ?? [];
    for (const other of others) {
      if (mine.hostIP === other.hostIP && mine.hostPort === other.hostPort)
        out.push(`${field}: duplicate port definition with ${other.field}`);
      else if (mine.hostPort === 0 || other.hostPort === 0)
        out.push(`${field}: overlapping port definition with ${other.field}`);
    }
    ports.set(key, [...others, mine]);
  });
}

function warnOfHostIps(out: string[], at: string, { ports = [] }: ContainerFields): void {
  ports.forEach(({ name = "", hostPort = 0, containerPort, protocol = "", hostIP = "" }, i) => {
    if (hostIP === "" || hostPort !== 0) return;
    const shown = `{Name:${name} HostPort:0 ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    out.push(`${at}.ports[${i}]: hostIP set without hostPort: ${shown}`);
  });
}

/** A later variable of the same name replaces the earlier one, unless it refers to it. */
function warnOfHiddenEnv(out: string[], at: string, container: ContainerFields): void {
  if ((container.env?.length ?? 0) < 2) return;
  const seen = new Set<string>();
  container.env?.forEach(({ name, value = "", valueFrom }, i) => {
    const reference = `$(${name})`;
    if (seen.has(name) && (valueFrom !== undefined || value === reference || !value.includes(reference))) {
      out.push(
        `${at}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    }
    seen.add(name);
  });
}
