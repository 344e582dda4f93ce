/** Which checks make a level. Source: k8s.io/pod-security-admission policy (registry.go). */
import type { DeepReadonly, ObjectMeta } from "@bowline/api";
import type { Spec } from "./pod-fields.ts";
import {
  appArmor,
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbes,
  hostProcess,
  privileged,
  procMount,
  seLinux,
  seccomp,
  sysctls,
} from "./pod-security-baseline.ts";
import {
  capabilitiesRestricted,
  privilegeEscalation,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompRestricted,
} from "./pod-security-restricted.ts";
import type { PodCheck, Violation } from "./pod-violation.ts";

export type SecurityLevel = "privileged" | "baseline" | "restricted";

/** In the order in which they are reported. */
const checks: Readonly<Record<SecurityLevel, readonly PodCheck[]>> = {
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
export function podViolations(
  level: SecurityLevel,
  spec: Spec,
  metadata: DeepReadonly<ObjectMeta>,
): Violation[] {
  return checks[level].map((check) => check(spec, metadata)).filter((violation) => violation !== undefined);
}

/** `privileged (container "a" must not set ...), hostPort (...)`. */
export function violationsText(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`))
    .join(", ");
}
