/** What pods have to do beside that at the level restricted. Source: k8s.io/pod-security-admission policy, newest versions. */
import { type AnyContainer, allContainers } from "./pod-fields.ts";
import { added, isGoodSeccomp, seccomp } from "./pod-security-baseline.ts";
import {
  type PodCheck,
  containers,
  hasUserNamespace,
  isWindows,
  named,
  plural,
  quoted,
  setters,
  sorted,
} from "./pod-violation.ts";

export const privilegeEscalation: PodCheck = (spec) => {
  if (isWindows(spec)) return undefined;
  const names = named(spec, (c) => c.securityContext?.allowPrivilegeEscalation !== false);
  if (names.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${containers(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const capabilitiesRestricted: PodCheck = (spec) => {
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

export const restrictedVolumes: PodCheck = (spec) => {
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

export const runAsNonRoot: PodCheck = (spec) => {
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

export const runAsUser: PodCheck = (spec) => {
  if (hasUserNamespace(spec)) return undefined;
  const who = setters(
    spec.securityContext?.runAsUser === 0,
    named(spec, (c) => c.securityContext?.runAsUser === 0),
  );
  return who === "" ? undefined : { reason: "runAsUser=0", detail: `${who} must not set runAsUser=0` };
};

export const seccompRestricted: PodCheck = (spec, metadata) => {
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
