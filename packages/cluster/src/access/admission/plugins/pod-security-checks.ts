/** What pods may not do at the levels baseline and restricted. Source: k8s.io/pod-security-admission policy, newest versions. */
import type { DeepReadonly, ObjectMeta } from "@bowline/api";
import { type AnyContainer, type Spec, allContainers } from "./pod-fields.ts";

export type SecurityLevel = "privileged" | "baseline" | "restricted";

type Meta = DeepReadonly<ObjectMeta>;

/** What is wrong: in short, and in detail. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

type Check = (spec: Spec, metadata: Meta) => Violation | undefined;

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(", ");
}

function plural(one: string, many: string, count: number): string {
  return count === 1 ? one : many;
}

/** `container "a"`, `containers "a", "b"`. */
function containers(names: readonly string[]): string {
  return `${plural("container", "containers", names.length)} ${quoted(names)}`;
}

function sorted(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort();
}

function named(spec: Spec, bad: (container: AnyContainer) => boolean): string[] {
  return allContainers(spec)
    .filter(bad)
    .map((container) => container.name);
}

/** The pod and containers that set something wrong: `pod and container "a"`. */
function setters(pod: boolean, names: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(names.length > 0 ? [containers(names)] : [])].join(" and ");
}

const isWindows = (spec: Spec): boolean => spec.os?.name === "windows";
/** Root of a user namespace is nobody outside of it. */
const hasUserNamespace = (spec: Spec): boolean => spec.hostUsers === false;

const appArmor: Check = (spec, metadata) => {
  const good = (type: string): boolean => type === "RuntimeDefault" || type === "Localhost";
  const ofPod = spec.securityContext?.appArmorProfile?.type;
  const podIsBad = ofPod !== undefined && !good(ofPod);
  const typeOf = (c: AnyContainer): string | undefined => c.securityContext?.appArmorProfile?.type;
  const isBad = (c: AnyContainer): boolean => typeOf(c) !== undefined && !good(typeOf(c) ?? "");
  const names = named(spec, isBad);
  const values = sorted([
    ...(podIsBad ? [ofPod] : []),
    ...allContainers(spec)
      .filter(isBad)
      .map((c) => typeOf(c) ?? ""),
  ]);
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([key]) => key.startsWith("container.apparmor.security.beta.kubernetes.io/"))
    .filter(([, value]) => value !== "" && value !== "runtime/default" && !value.startsWith("localhost/"))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const who = [
    setters(podIsBad, names),
    annotations.length > 0 ? plural("annotation", "annotations", annotations.length) : "",
  ].filter((part) => part !== "");
  if (who.length === 0) return undefined;
  const all = [...values, ...annotations];
  return {
    reason: plural("forbidden AppArmor profile", "forbidden AppArmor profiles", all.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(all)}`,
  };
};

const defaultCapabilities: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

function added(container: AnyContainer): readonly string[] {
  return container.securityContext?.capabilities?.add ?? [];
}

const capabilities: Check = (spec) => {
  const bad = (c: AnyContainer): string[] => added(c).filter((name) => !defaultCapabilities.has(name));
  const names = named(spec, (c) => bad(c).length > 0);
  if (names.length === 0) return undefined;
  const what = quoted(sorted(allContainers(spec).flatMap(bad)));
  return {
    reason: "non-default capabilities",
    detail: `${containers(names)} must not include ${what} in securityContext.capabilities.add`,
  };
};

const hostNamespaces: Check = (spec) => {
  const set = [
    spec.hostNetwork === true ? "hostNetwork=true" : "",
    spec.hostPID === true ? "hostPID=true" : "",
    spec.hostIPC === true ? "hostIPC=true" : "",
  ].filter((text) => text !== "");
  return set.length === 0 ? undefined : { reason: "host namespaces", detail: set.join(", ") };
};

const hostPathVolumes: Check = (spec) => {
  const names = (spec.volumes ?? []).filter((v) => v.hostPath !== undefined).map((v) => v.name);
  if (names.length === 0) return undefined;
  return {
    reason: "hostPath volumes",
    detail: `${plural("volume", "volumes", names.length)} ${quoted(names)}`,
  };
};

const hostPorts: Check = (spec) => {
  const bad = (c: AnyContainer): string[] =>
    (c.ports ?? []).filter((p) => (p.hostPort ?? 0) !== 0).map((p) => String(p.hostPort));
  const names = named(spec, (c) => bad(c).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(allContainers(spec).flatMap(bad));
  const what = `${plural("hostPort", "hostPorts", ports.length)} ${ports.join(", ")}`;
  return {
    reason: "hostPort",
    detail: `${containers(names)} ${plural("uses", "use", names.length)} ${what}`,
  };
};

interface Handler {
  readonly httpGet?: { readonly host?: string };
  readonly tcpSocket?: { readonly host?: string };
}

const hostProbes: Check = (spec) => {
  const bad = (c: AnyContainer): string[] => {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = c;
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    return (handlers as readonly (Handler | undefined)[])
      .flatMap((handler) => [handler?.httpGet?.host ?? "", handler?.tcpSocket?.host ?? ""])
      .filter((host) => host !== "");
  };
  const names = sorted(named(spec, (c) => bad(c).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(allContainers(spec).flatMap(bad));
  const what = `${plural("probe or lifecycle host", "probe or lifecycle hosts", hosts.length)} ${quoted(hosts)}`;
  const uses = plural("uses", "use", names.length);
  return { reason: "probe or lifecycle host", detail: `${containers(names)} ${uses} ${what}` };
};

const privileged: Check = (spec) => {
  const names = named(spec, (c) => c.securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${containers(names)} must not set securityContext.privileged=true`,
  };
};

const procMount: Check = (spec) => {
  if (hasUserNamespace(spec)) return undefined;
  const typeOf = (c: AnyContainer): string => c.securityContext?.procMount ?? "Default";
  const names = named(spec, (c) => typeOf(c) !== "Default");
  if (names.length === 0) return undefined;
  const types = sorted(
    allContainers(spec)
      .map(typeOf)
      .filter((type) => type !== "Default"),
  );
  return {
    reason: "procMount",
    detail: `${containers(names)} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

const seLinuxTypes: ReadonlySet<string> = new Set([
  "",
  "container_t",
  "container_init_t",
  "container_kvm_t",
  "container_engine_t",
]);

const seLinux: Check = (spec) => {
  type Options = { readonly type?: string; readonly user?: string; readonly role?: string } | undefined;
  const isBad = (o: Options): boolean =>
    o !== undefined && (!seLinuxTypes.has(o.type ?? "") || (o.user ?? "") !== "" || (o.role ?? "") !== "");
  const ofPod = spec.securityContext?.seLinuxOptions;
  const optionsOf = (c: AnyContainer): Options => c.securityContext?.seLinuxOptions;
  const names = named(spec, (c) => isBad(optionsOf(c)));
  const who = setters(isBad(ofPod), names);
  if (who === "") return undefined;
  const bad = [ofPod, ...allContainers(spec).map(optionsOf)].filter((o) => o !== undefined);
  const types = sorted(bad.map((o) => o.type ?? "").filter((type) => !seLinuxTypes.has(type)));
  const what = [
    types.length > 0 ? `${plural("type", "types", types.length)} ${quoted(types)}` : "",
    bad.some((o) => (o.user ?? "") !== "") ? "user may not be set" : "",
    bad.some((o) => (o.role ?? "") !== "") ? "role may not be set" : "",
  ].filter((text) => text !== "");
  return {
    reason: "seLinuxOptions",
    detail: `${who} set forbidden securityContext.seLinuxOptions: ${what.join("; ")}`,
  };
};

function isGoodSeccomp(type: string | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

const seccomp: Check = (spec) => {
  const ofPod = spec.securityContext?.seccompProfile?.type;
  const podIsBad = ofPod !== undefined && !isGoodSeccomp(ofPod);
  const typeOf = (c: AnyContainer): string | undefined => c.securityContext?.seccompProfile?.type;
  const isBad = (c: AnyContainer): boolean => typeOf(c) !== undefined && !isGoodSeccomp(typeOf(c));
  const names = named(spec, isBad);
  const who = setters(podIsBad, names);
  if (who === "") return undefined;
  const values = sorted([
    ...(podIsBad ? [ofPod] : []),
    ...allContainers(spec)
      .filter(isBad)
      .map((c) => typeOf(c) ?? ""),
  ]);
  return {
    reason: "seccompProfile",
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
};

const seccompRestricted: Check = (spec, metadata) => {
  if (isWindows(spec)) return undefined;
  const explicit = seccomp(spec, metadata);
  if (explicit !== undefined) return explicit;
  if (isGoodSeccomp(spec.securityContext?.seccompProfile?.type)) return undefined;
  const names = named(spec, (c) => c.securityContext?.seccompProfile === undefined);
  if (names.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containers(names)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

const safeSysctls: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
  "net.ipv4.tcp_slow_start_after_idle",
  "net.ipv4.tcp_notsent_lowat",
]);

const sysctls: Check = (spec) => {
  const names = (spec.securityContext?.sysctls ?? [])
    .map((s) => s.name)
    .filter((name) => !safeSysctls.has(name));
  return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
};

const hostProcess: Check = (spec) => {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const who = setters(
    pod,
    named(spec, (c) => c.securityContext?.windowsOptions?.hostProcess === true),
  );
  if (who === "") return undefined;
  return {
    reason: "hostProcess",
    detail: `${who} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

const privilegeEscalation: Check = (spec) => {
  if (isWindows(spec)) return undefined;
  const names = named(spec, (c) => c.securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containers(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilitiesRestricted: Check = (spec) => {
  if (isWindows(spec)) return undefined;
  const keeping = named(spec, (c) => c.securityContext?.capabilities?.drop?.includes("ALL") !== true);
  const bad = (c: AnyContainer): string[] => added(c).filter((name) => name !== "NET_BIND_SERVICE");
  const adding = named(spec, (c) => bad(c).length > 0);
  const details: string[] = [];
  if (keeping.length > 0)
    details.push(`${containers(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  if (adding.length > 0) {
    const what = quoted(sorted(allContainers(spec).flatMap(bad)));
    details.push(`${containers(adding)} must not include ${what} in securityContext.capabilities.add`);
  }
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
};

const unrestrictedVolumes: ReadonlySet<string> = new Set([
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
]);

const restrictedVolumes: Check = (spec) => {
  const typeOf = (volume: object): string => Object.keys(volume).find((key) => key !== "name") ?? "unknown";
  const bad = (spec.volumes ?? []).filter((volume) => !unrestrictedVolumes.has(typeOf(volume)));
  if (bad.length === 0) return undefined;
  const names = bad.map((v) => v.name);
  const types = sorted(bad.map(typeOf));
  const what = `${plural("restricted volume type", "restricted volume types", types.length)} ${quoted(types)}`;
  const who = `${plural("volume", "volumes", names.length)} ${quoted(names)}`;
  return {
    reason: "restricted volume types",
    detail: `${who} ${plural("uses", "use", names.length)} ${what}`,
  };
};

const runAsNonRoot: Check = (spec) => {
  if (hasUserNamespace(spec)) return undefined;
  const ofPod = spec.securityContext?.runAsNonRoot;
  const who = setters(
    ofPod === false,
    named(spec, (c) => c.securityContext?.runAsNonRoot === false),
  );
  const reason = "runAsNonRoot != true";
  if (who !== "") return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const silent = ofPod === true ? [] : named(spec, (c) => c.securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containers(silent)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = (spec) => {
  if (hasUserNamespace(spec)) return undefined;
  const who = setters(
    spec.securityContext?.runAsUser === 0,
    named(spec, (c) => c.securityContext?.runAsUser === 0),
  );
  return who === "" ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
};

/** In the order in which they are reported. */
const checks: Readonly<Record<SecurityLevel, readonly Check[]>> = {
  privileged: [],
  baseline: [
    appArmor,
    capabilities,
    hostNamespaces,
    hostPathVolumes,
    hostPorts,
    hostProbes,
    privileged,
    procMount,
    seLinux,
    seccomp,
    sysctls,
    hostProcess,
  ],
  restricted: [
    appArmor,
    hostNamespaces,
    hostPorts,
    hostProbes,
    privileged,
    procMount,
    seLinux,
    sysctls,
    hostProcess,
    privilegeEscalation,
    capabilitiesRestricted,
    restrictedVolumes,
    runAsNonRoot,
    runAsUser,
    seccompRestricted,
  ],
};

/** Everything in a pod that a level does not allow. */
export function podViolations(level: SecurityLevel, spec: Spec, metadata: Meta): Violation[] {
  return checks[level].map((check) => check(spec, metadata)).filter((violation) => violation !== undefined);
}

/** `privileged (container "a" must not set ...), hostPort (...)`. */
export function violationsText(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
}
