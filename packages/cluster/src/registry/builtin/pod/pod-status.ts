/** The status of a pod. Source: kubernetes pkg/apis/core/validation (ValidatePodStatusUpdate). */
import { type DeepReadonly, dns1123SubdomainErrors } from "@bowline/api";
import type { ContainerStatus } from "@bowline/api/core/v1";
import { checkImmutable, checkIp, checkQualifiedName } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import type { PodFields } from "./pod-update.ts";

const systemConditions: ReadonlySet<string> = new Set(["PodScheduled", "Ready", "Initialized"]);

export function checkPodStatusUpdate(problems: FieldProblems, pod: PodFields, old: PodFields): void {
  const status = pod.status ?? {};
  const before = old.status ?? {};
  status.conditions?.forEach(({ type }, i) => {
    // the real server reports these under metadata
    if (!systemConditions.has(type)) checkQualifiedName(problems, `metadata.conditions[${i}].Type`, type);
  });
  const { nominatedNodeName = "" } = status;
  if (nominatedNodeName !== "" && nominatedNodeName !== before.nominatedNodeName)
    problems.allInvalid(
      "status.nominatedNodeName",
      nominatedNodeName,
      dns1123SubdomainErrors(nominatedNodeName),
    );
  checkImmutable(problems, "status.qosClass", status.qosClass ?? "", before.qosClass ?? "");
  const policy = old.spec?.restartPolicy ?? "Always";
  const sidecars = new Set(
    old.spec?.initContainers?.filter((c) => c.restartPolicy === "Always").map((c) => c.name),
  );
  checkTransitions(problems, "containerStatuses", { status, before, policy });
  checkTransitions(problems, "initContainerStatuses", { status, before, policy, sidecars });
  checkTransitions(problems, "ephemeralContainerStatuses", { status, before, policy: "Never" });
  checkIps(problems, pod);
}

type StatusList = "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses";
type StatusFields = DeepReadonly<Partial<Record<StatusList, readonly ContainerStatus[]>>>;

/** A program that has ended and shall not run again does not come back. */
function checkTransitions(
  problems: FieldProblems,
  list: StatusList,
  given: {
    readonly status: StatusFields;
    readonly before: StatusFields;
    readonly policy: string;
    readonly sidecars?: ReadonlySet<string>;
  },
): void {
  if (given.policy === "Always") return;
  given.before[list]?.forEach((old, i) => {
    const ended = old.state?.terminated;
    if (ended === undefined || given.sidecars?.has(old.name) === true) return;
    if (ended.exitCode !== 0 && given.policy === "OnFailure") return;
    for (const now of given.status[list] ?? []) {
      if (now.name === old.name && now.state?.terminated === undefined)
        problems.forbidden(`status.${list}[${i}].state`, "may not be transitioned to non-terminated state");
    }
  });
}

function checkIps(problems: FieldProblems, pod: PodFields): void {
  const { podIPs = [], hostIPs = [], hostIP = "" } = pod.status ?? {};
  checkIpList(problems, "status.podIPs", podIPs);
  if (hostIPs.length === 0) return;
  if (hostIPs[0]?.ip !== hostIP)
    problems.invalid("status.hostIPs[0].ip", hostIPs[0]?.ip, "must be equal to `hostIP`");
  checkIpList(problems, "status.hostIPs", hostIPs);
}

function checkIpList(problems: FieldProblems, path: string, list: readonly { readonly ip: string }[]): void {
  list.forEach(({ ip }, i) => {
    checkIp(problems, `${path}[${i}]`, ip);
  });
  if (list.length < 2) return;
  const families = new Set(list.map(({ ip }) => ip.includes(":")));
  if (families.size < 2 || list.length > 2)
    problems.invalid(path, list, "may specify no more than one IP for each IP family");
  const seen = new Set<string>();
  list.forEach((item, i) => {
    if (seen.has(item.ip)) problems.duplicate(`${path}[${i}]`, item);
    seen.add(item.ip);
  });
}
