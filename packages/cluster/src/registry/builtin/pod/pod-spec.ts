/** The spec of a pod, alone or in a template. Source: kubernetes pkg/apis/core/validation (ValidatePodSpec). */
import { type DeepReadonly, dns1123SubdomainErrors } from "@bowline/api";
import type { PodSpec, PodTemplateSpec } from "@bowline/api/core/v1";
import {
  checkAnnotations,
  checkDnsLabel,
  checkDnsSubdomain,
  checkIp,
  checkLabels,
  checkOneOf,
  checkQualifiedName,
  checkRequiredOneOf,
} from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import {
  type ContainerFields,
  type ContainerSurroundings,
  checkContainers,
  checkEphemeralContainers,
  checkImageSpace,
  checkInitContainers,
} from "./containers.ts";
import {
  type ResourceList,
  checkContainerResourceName,
  checkResourceQuantity,
  checkResources,
} from "./resources.ts";
import { checkAffinity, checkSchedulingGates, checkTolerations, checkTopologySpread } from "./scheduling.ts";
import { checkPodSecurityContext } from "./security-context.ts";
import { type Volume, checkVolumes } from "./volumes.ts";

export type PodSpecFields = DeepReadonly<PodSpec>;

const int32Max = 2 ** 31 - 1;
const noContainers: readonly ContainerFields[] = [];

/**
 * @param pod name of the pod whose spec it is; undefined in a template, where some things may still be open
 */
export function checkPodSpec(
  problems: FieldProblems,
  path: string,
  spec: PodSpecFields,
  pod: { readonly name: string } | undefined,
): void {
  const grace = spec.terminationGracePeriodSeconds as number | undefined;
  if (grace === undefined) problems.required(`${path}.terminationGracePeriodSeconds`);
  const volumes = (spec.volumes ?? []) as unknown as readonly Volume[];
  const around: ContainerSurroundings = {
    problems,
    volumes: checkVolumes(problems, `${path}.volumes`, volumes, pod?.name ?? ""),
    claims: checkResourceClaims(problems, `${path}.resourceClaims`, spec),
    restartPolicy: spec.restartPolicy ?? "",
    hostUsers: spec.hostUsers !== false,
    graceSeconds: grace,
  };
  checkAllContainers(around, path, spec);
  checkHostNetworkPorts(problems, `${path}.containers`, spec, pod !== undefined);
  checkRequiredOneOf(problems, `${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  checkRequiredOneOf(problems, `${path}.dnsPolicy`, spec.dnsPolicy, [
    "ClusterFirstWithHostNet",
    "ClusterFirst",
    "Default",
    "None",
  ]);
  checkLabels(problems, `${path}.nodeSelector`, spec.nodeSelector as never);
  checkPodSecurityContext(problems, `${path}.securityContext`, spec.securityContext ?? {}, {
    hostNetwork: spec.hostNetwork === true,
    hostPID: spec.hostPID === true,
    hostIPC: spec.hostIPC === true,
    shareProcessNamespace: spec.shareProcessNamespace === true,
  });
  if (spec.affinity !== undefined) checkAffinity(problems, `${path}.affinity`, spec.affinity);
  checkDns(problems, path, spec);
  spec.readinessGates?.forEach((gate, i) => {
    checkQualifiedName(problems, `${path}.readinessGates[${i}].conditionType`, gate.conditionType);
  });
  if (spec.schedulingGates !== undefined)
    checkSchedulingGates(problems, `${path}.schedulingGates`, spec.schedulingGates);
  if (spec.topologySpreadConstraints !== undefined)
    checkTopologySpread(problems, `${path}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  checkHostUsers(problems, path, spec);
  checkRest(problems, path, spec);
}

function checkAllContainers(around: ContainerSurroundings, path: string, spec: PodSpecFields): void {
  const regular = spec.containers ?? noContainers;
  const initial = spec.initContainers ?? noContainers;
  checkContainers(around, `${path}.containers`, regular);
  if (initial.length > 0) checkInitContainers(around, `${path}.initContainers`, initial, regular);
  if (spec.ephemeralContainers !== undefined) {
    checkEphemeralContainers(around, `${path}.ephemeralContainers`, spec.ephemeralContainers, [
      ...regular,
      ...initial,
    ]);
  }
  if (spec.resources !== undefined)
    checkResources(around.problems, `${path}.resources`, spec.resources, {
      claims: around.claims,
      ofPod: true,
    });
}

function checkRest(problems: FieldProblems, path: string, spec: PodSpecFields): void {
  checkName(problems, `${path}.serviceAccountName`, spec.serviceAccountName);
  checkName(problems, `${path}.nodeName`, spec.nodeName);
  const deadline = spec.activeDeadlineSeconds as number | undefined;
  if (deadline !== undefined && (deadline < 1 || deadline > int32Max)) {
    problems.invalid(
      `${path}.activeDeadlineSeconds`,
      deadline,
      `must be between 1 and ${int32Max}, inclusive`,
    );
  }
  if (spec.hostname) checkDnsLabel(problems, `${path}.hostname`, spec.hostname);
  if (spec.subdomain) checkDnsLabel(problems, `${path}.subdomain`, spec.subdomain);
  if (spec.tolerations !== undefined) checkTolerations(problems, `${path}.tolerations`, spec.tolerations);
  spec.hostAliases?.forEach(({ ip, hostnames = [] }, i) => {
    checkIp(problems, `${path}.hostAliases[${i}].ip`, ip);
    hostnames.forEach((hostname, j) => {
      checkDnsSubdomain(problems, `${path}.hostAliases[${i}].hostnames[${j}]`, hostname);
    });
  });
  checkName(problems, `${path}.priorityClassName`, spec.priorityClassName);
  checkName(problems, `${path}.runtimeClassName`, spec.runtimeClassName);
  checkOneOf(problems, `${path}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  const overhead = (spec.overhead ?? {}) as ResourceList;
  for (const name in overhead) {
    checkContainerResourceName(problems, `${path}.overhead.limits[${name}]`, name);
    checkResourceQuantity(problems, `${path}.overhead.limits[${name}]`, name, overhead[name] ?? "");
  }
  if (spec.os === undefined) return;
  if (!spec.os.name) problems.required(`${path}.os.name`, "cannot be empty");
  else checkOneOf(problems, `${path}.os`, spec.os.name, ["linux", "windows"]);
  if (spec.os.name === "windows") checkWindows(problems, path, spec);
}

const notOnWindows = "cannot be set for a windows pod";
/** Fields of the security context that mean nothing to Windows, of the pod and of a container. */
const linuxPodFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
] as const;
const linuxContainerFields = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

function checkWindows(problems: FieldProblems, path: string, spec: PodSpecFields): void {
  for (const field of ["hostUsers", "shareProcessNamespace"] as const)
    if (spec[field] !== undefined) problems.forbidden(`${path}.${field}`, notOnWindows);
  for (const field of ["hostPID", "hostIPC"] as const)
    if (spec[field] === true) problems.forbidden(`${path}.${field}`, notOnWindows);
  for (const field of linuxPodFields)
    if (spec.securityContext?.[field] !== undefined)
      problems.forbidden(`${path}.securityContext.${field}`, notOnWindows);
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec[list]?.forEach(({ securityContext }, i) => {
      for (const field of linuxContainerFields)
        if (securityContext?.[field] !== undefined)
          problems.forbidden(`${path}.${list}[${i}].securityContext.${field}`, notOnWindows);
    });
  }
}

function checkName(problems: FieldProblems, field: string, name: string | undefined): void {
  if (name) problems.allInvalid(field, name, dns1123SubdomainErrors(name));
}

function checkResourceClaims(
  problems: FieldProblems,
  path: string,
  spec: PodSpecFields,
): ReadonlySet<string> {
  const names = new Set<string>();
  spec.resourceClaims?.forEach((claim, i) => {
    const at = `${path}[${i}]`;
    if (!claim.name) problems.required(`${at}.name`);
    else if (names.has(claim.name)) problems.duplicate(`${at}.name`, claim.name);
    else checkDnsLabel(problems, `${at}.name`, claim.name);
    names.add(claim.name);
    const { resourceClaimName, resourceClaimTemplateName } = claim;
    if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
      problems.invalid(
        at,
        claim,
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      );
    }
    if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
      problems.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
  });
  names.delete("");
  return names;
}

/** In a template a host port may be left open, since the pod's defaults fill it in. */
function checkHostNetworkPorts(
  problems: FieldProblems,
  path: string,
  spec: PodSpecFields,
  isPod: boolean,
): void {
  if (spec.hostNetwork !== true) return;
  spec.containers?.forEach((container, i) => {
    container.ports?.forEach(({ hostPort = 0, containerPort }, j) => {
      if ((isPod || hostPort !== 0) && hostPort !== containerPort) {
        problems.invalid(
          `${path}[${i}].ports[${j}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        );
      }
    });
  });
}

const searchesMax = 32;
const searchCharactersMax = 2048;

function checkDns(problems: FieldProblems, path: string, { dnsPolicy, dnsConfig }: PodSpecFields): void {
  const at = `${path}.dnsConfig`;
  const nameservers = dnsConfig?.nameservers ?? [];
  if (dnsPolicy === "None") {
    if (dnsConfig === undefined)
      return problems.required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (nameservers.length === 0) {
      return problems.required(
        `${at}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
    }
  }
  if (dnsConfig === undefined) return;
  if (nameservers.length > 3)
    problems.invalid(`${at}.nameservers`, nameservers, "must not have more than 3 nameservers");
  nameservers.forEach((ip, i) => {
    checkIp(problems, `${at}.nameservers[${i}]`, ip);
  });
  const { searches = [], options = [] } = dnsConfig;
  if (searches.length > searchesMax)
    problems.invalid(`${at}.searches`, searches, `must not have more than ${searchesMax} search paths`);
  if (searches.join(" ").length > searchCharactersMax) {
    problems.invalid(
      `${at}.searches`,
      searches,
      `must not have more than ${searchCharactersMax} characters (including spaces) in the search list`,
    );
  }
  searches.forEach((search, i) => {
    const domain = search.replace(/\.$/, "").replaceAll("_", "a");
    if (domain !== "") checkDnsSubdomain(problems, `${at}.searches[${i}]`, domain);
  });
  options.forEach((option, i) => {
    if (!option.name) problems.required(`${at}.options[${i}]`, "must not be empty");
  });
}

function checkHostUsers(problems: FieldProblems, path: string, spec: PodSpecFields): void {
  if (spec.hostUsers !== false) return;
  const why = "when `hostUsers` is false";
  if (spec.hostNetwork === true) problems.forbidden(`${path}.hostNetwork`, why);
  if (spec.hostPID === true) problems.forbidden(`${path}.HostPID`, why);
  if (spec.hostIPC === true) problems.forbidden(`${path}.HostIPC`, why);
}

/** What only whole pods are checked for. */
export function checkPodOnly(problems: FieldProblems, path: string, spec: PodSpecFields): void {
  if (!spec.serviceAccountName) {
    spec.volumes?.forEach((volume, i) => {
      volume.projected?.sources?.forEach((source, j) => {
        if (source.serviceAccountToken === undefined) return;
        problems.forbidden(
          `${path}.volumes[${i}].projected.sources[${j}].serviceAccountToken`,
          "must not be specified when serviceAccountName is not set",
        );
      });
    });
  }
  for (const list of ["containers", "initContainers"] as const) {
    spec[list]?.forEach((container, i) => {
      checkImageSpace(problems, `${path}.${list}[${i}]`, container);
    });
  }
}

const mirrorPod = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";
const costPattern = /^(0|[+-]?[1-9][0-9]*)$/;

export function checkPodAnnotations(
  problems: FieldProblems,
  path: string,
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpecFields,
): void {
  if (annotations === undefined) return;
  const mirror = annotations[mirrorPod];
  if (mirror !== undefined && !spec.nodeName)
    problems.invalid(
      `${path}[${mirrorPod}]`,
      mirror,
      "must set spec.nodeName if mirror pod annotation is set",
    );
  const cost = annotations[deletionCost];
  if (cost !== undefined && !(costPattern.test(cost) && Math.abs(Number(cost)) <= int32Max))
    problems.invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer");
}

/** The template of a workload. */
export function checkPodTemplate(
  problems: FieldProblems,
  path: string,
  template: DeepReadonly<PodTemplateSpec>,
): void {
  checkTemplateMetadata(problems, path, template);
  const spec = template.spec ?? ({} as PodSpecFields);
  checkPodSpec(problems, `${path}.spec`, spec, undefined);
  if ((spec.ephemeralContainers?.length ?? 0) > 0)
    problems.forbidden(
      `${path}.spec.ephemeralContainers`,
      "ephemeral containers not allowed in pod template",
    );
}

export function checkTemplateMetadata(
  problems: FieldProblems,
  path: string,
  template: DeepReadonly<PodTemplateSpec>,
): void {
  const { labels, annotations } = template.metadata ?? {};
  checkLabels(problems, `${path}.labels`, labels);
  checkAnnotations(problems, `${path}.annotations`, annotations);
  checkPodAnnotations(problems, `${path}.annotations`, annotations, template.spec ?? ({} as PodSpecFields));
}
