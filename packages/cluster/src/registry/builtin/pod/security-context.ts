/** Security contexts of pods and containers. Source: kubernetes pkg/apis/core/validation (ValidateSecurityContext). */
import { type DeepReadonly, dns1123SubdomainErrors } from "@bowline/api";
import type {
  AppArmorProfile,
  PodSecurityContext,
  SeccompProfile,
  SecurityContext,
  WindowsSecurityContextOptions,
} from "@bowline/api/core/v1";
import { checkOneOf } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { checkLocalDescendingPath } from "./volumes.ts";

const idMax = 2 ** 31 - 1;
const idRange = `must be between 0 and ${idMax}, inclusive`;

function checkId(problems: FieldProblems, field: string, id: number | undefined): void {
  if (id !== undefined && (id < 0 || id > idMax)) problems.invalid(field, id, idRange);
}

export interface HostNamespaces {
  readonly hostNetwork: boolean;
  readonly hostPID: boolean;
  readonly hostIPC: boolean;
}

export function checkPodSecurityContext(
  problems: FieldProblems,
  path: string,
  context: DeepReadonly<PodSecurityContext>,
  host: HostNamespaces & { readonly shareProcessNamespace: boolean },
): void {
  checkId(problems, `${path}.fsGroup`, context.fsGroup as number | undefined);
  checkId(problems, `${path}.runAsUser`, context.runAsUser as number | undefined);
  checkId(problems, `${path}.runAsGroup`, context.runAsGroup as number | undefined);
  context.supplementalGroups?.forEach((id, i) => {
    checkId(problems, `${path}.supplementalGroups[${i}]`, id as number);
  });
  if (host.shareProcessNamespace && host.hostPID) {
    problems.invalid(
      `${path}.shareProcessNamespace`,
      true,
      "ShareProcessNamespace and HostPID cannot both be enabled",
    );
  }
  if (context.sysctls !== undefined) checkSysctls(problems, `${path}.sysctls`, context.sysctls, host);
  checkOneOf(problems, `${path}.fsGroupChangePolicy`, context.fsGroupChangePolicy, [
    "Always",
    "OnRootMismatch",
  ]);
  checkSeccomp(problems, `${path}.seccompProfile`, context.seccompProfile);
  checkAppArmor(problems, `${path}.appArmorProfile`, context.appArmorProfile);
  checkWindowsOptions(problems, `${path}.windowsOptions`, context.windowsOptions);
  checkOneOf(problems, `${path}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, [
    "Merge",
    "Strict",
  ]);
  checkOneOf(problems, `${path}.seLinuxChangePolicy`, context.seLinuxChangePolicy, [
    "MountOption",
    "Recursive",
  ]);
}

const sysctlSegment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlForm = `^(${sysctlSegment}[\\./])*${sysctlSegment}$`;
const sysctlPattern = new RegExp(sysctlForm);
const ipcSysctls = /^(kernel\.sem$|kernel\.(shm|msg)|fs\.mqueue\.)/;

function checkSysctls(
  problems: FieldProblems,
  path: string,
  sysctls: NonNullable<DeepReadonly<PodSecurityContext>["sysctls"]>,
  host: HostNamespaces,
): void {
  const seen = new Set<string>();
  sysctls.forEach(({ name }, i) => {
    const field = `${path}[${i}].name`;
    if (name === "") problems.required(field);
    else if (name.length > 253 || !sysctlPattern.test(name)) {
      problems.invalid(field, name, `must have at most 253 characters and match regex ${sysctlForm}`);
    } else if (seen.has(name)) problems.duplicate(field, name);
    seen.add(name);
    const dotted = name.replaceAll("/", ".");
    if (host.hostNetwork && dotted.startsWith("net."))
      problems.invalid(field, name, "may not be specified when 'hostNetwork' is true");
    if (host.hostIPC && ipcSysctls.test(dotted))
      problems.invalid(field, name, "may not be specified when 'hostIPC' is true");
  });
}

export function checkSecurityContext(
  problems: FieldProblems,
  path: string,
  context: DeepReadonly<SecurityContext>,
  options: { readonly hostUsers: boolean },
): void {
  checkId(problems, `${path}.runAsUser`, context.runAsUser as number | undefined);
  checkId(problems, `${path}.runAsGroup`, context.runAsGroup as number | undefined);
  checkOneOf(problems, `${path}.procMount`, context.procMount, ["Default", "Unmasked"]);
  if (options.hostUsers && context.procMount === "Unmasked")
    problems.invalid(`${path}.procMount`, context.procMount, "`hostUsers` must be false to use `Unmasked`");
  checkSeccomp(problems, `${path}.seccompProfile`, context.seccompProfile);
  if (context.allowPrivilegeEscalation === false) {
    if (context.privileged === true) {
      problems.invalid(
        path,
        context,
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
      );
    }
    if (context.capabilities?.add?.includes("CAP_SYS_ADMIN")) {
      problems.invalid(
        path,
        context,
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
      );
    }
  }
  checkAppArmor(problems, `${path}.appArmorProfile`, context.appArmorProfile);
  checkWindowsOptions(problems, `${path}.windowsOptions`, context.windowsOptions);
}

/** The name of a credential and of a user; what a user's name may contain is left to Windows. */
function checkWindowsOptions(
  problems: FieldProblems,
  path: string,
  options: DeepReadonly<WindowsSecurityContextOptions> | undefined,
): void {
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options ?? {};
  if (name !== undefined)
    problems.allInvalid(`${path}.gmsaCredentialSpecName`, name, dns1123SubdomainErrors(name));
  if (spec === "")
    problems.invalid(`${path}.gmsaCredentialSpec`, spec, "gmsaCredentialSpec cannot be an empty string");
  if (user === "") problems.invalid(`${path}.runAsUserName`, user, "runAsUserName cannot be an empty string");
}

const profileTypes = ["Localhost", "RuntimeDefault", "Unconfined"];

function checkSeccomp(
  problems: FieldProblems,
  path: string,
  profile: DeepReadonly<SeccompProfile> | undefined,
): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  if (!type) problems.required(`${path}.type`, "type is required when seccompProfile is set");
  else checkOneOf(problems, `${path}.type`, type, profileTypes);
  if (type !== "Localhost") {
    if (localhostProfile !== undefined)
      problems.invalid(`${path}.localhostProfile`, profile, "can only be set when seccomp type is Localhost");
  } else if (localhostProfile === undefined) {
    problems.required(`${path}.localhostProfile`, "must be set when seccomp type is Localhost");
  } else checkLocalDescendingPath(problems, `${path}.localhostProfile`, localhostProfile);
}

function checkAppArmor(
  problems: FieldProblems,
  path: string,
  profile: DeepReadonly<AppArmorProfile> | undefined,
): void {
  if (profile === undefined) return;
  const { type, localhostProfile } = profile;
  const field = `${path}.localhostProfile`;
  if (!type) problems.required(`${path}.type`, "type is required when appArmorProfile is set");
  else if (!profileTypes.includes(type)) problems.notSupported(`${path}.type`, type, profileTypes);
  else if (type !== "Localhost") {
    if (localhostProfile !== undefined)
      problems.invalid(field, localhostProfile, "can only be set when AppArmor type is Localhost");
  } else if (!localhostProfile) problems.required(field, "must be set when AppArmor type is Localhost");
  else {
    if (localhostProfile.trim() !== localhostProfile)
      problems.invalid(field, localhostProfile, "must not be padded with whitespace");
    if (localhostProfile.length > 4095) problems.tooLong(field, 4095);
  }
}
