/** What pods may not do at the level baseline. Source: k8s.io/pod-security-admission policy, newest versions. */
import { type AnyContainer, allContainers } from "./pod-fields.ts";
import {
  type PodCheck,
  containers,
  hasUserNamespace,
  named,
  plural,
  quoted,
  setters,
  sorted,
} from "./pod-violation.ts";

export const appArmor: PodCheck = (spec, metadata) => {
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

/** Capabilities that a container adds. */
export function added(container: AnyContainer): readonly string[] {
  return container.securityContext?.capabilities?.add ?? [];
}

export const capabilities: PodCheck = (spec) => {
  const bad = (c: AnyContainer): string[] => added(c).filter((name) => !defaultCapabilities.has(name));
  const names = named(spec, (c) => bad(c).length > 0);
  if (names.length === 0) return undefined;
  const what = quoted(sorted(allContainers(spec).flatMap(bad)));
  return {
    reason: "non-default capabilities",
    detail: `${containers(names)} must not include ${what} in securityContext.capabilities.add`,
  };
};

export const hostNamespaces: PodCheck = (spec) => {
  const set = [
    spec.hostNetwork === true ? "hostNetwork=true" : "",
    spec.hostPID === true ? "hostPID=true" : "",
    spec.hostIPC === true ? "hostIPC=true" : "",
  ].filter((text) => text !== "");
  return set.length === 0 ? undefined : { reason: "host namespaces", detail: set.join(", ") };
};

export const hostPathVolumes: PodCheck = (spec) => {
  const names = (spec.volumes ?? []).filter((v) => v.hostPath !== undefined).map((v) => v.name);
  if (names.length === 0) return undefined;
  return {
    reason: "hostPath volumes",
    detail: `${plural("volume", "volumes", names.length)} ${quoted(names)}`,
  };
};

export const hostPorts: PodCheck = (spec) => {
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

export const hostProbes: PodCheck = (spec) => {
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

export const privileged: PodCheck = (spec) => {
  const names = named(spec, (c) => c.securityContext?.privileged === true);
  if (names.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${containers(names)} must not set securityContext.privileged=true`,
  };
};

export const procMount: PodCheck = (spec) => {
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

export const seLinux: PodCheck = (spec) => {
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

export function isGoodSeccomp(type: string | undefined): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}

export const seccomp: PodCheck = (spec) => {
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

export const sysctls: PodCheck = (spec) => {
  const names = (spec.securityContext?.sysctls ?? [])
    .map((s) => s.name)
    .filter((name) => !safeSysctls.has(name));
  return names.length === 0 ? undefined : { reason: "forbidden sysctls", detail: names.join(", ") };
};

export const hostProcess: PodCheck = (spec) => {
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
