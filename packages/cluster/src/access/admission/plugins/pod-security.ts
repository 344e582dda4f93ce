/** Pod security standards by labels of the namespace. Source: k8s.io/pod-security-admission admission (admission.go). */
import type { Labels } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { podTemplateOf } from "./pod-fields.ts";
import { type SecurityLevel, podViolations, violationsText } from "./pod-security-checks.ts";
import { refusal } from "./refusal.ts";

const prefix = "pod-security.kubernetes.io/";
const modes = ["enforce", "audit", "warn"] as const;

interface Policy {
  readonly level: SecurityLevel;
  readonly version: string;
}

/** Resources with pods in them; only pods themselves are refused. */
const workloads: ReadonlySet<string> = new Set([
  "pods",
  "podtemplates",
  "replicationcontrollers",
  "replicasets",
  "deployments",
  "statefulsets",
  "daemonsets",
  "jobs",
  "cronjobs",
]);

export function podSecurity(namespaces: Bucket, pods: Bucket): AdmissionPlugin {
  return {
    name: "PodSecurity",
    validate(request) {
      const { resource, operation, object } = request;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
      if (resource.bucket === namespaces) return namespaceChanged(request, object, pods);
      const relevant = request.subresource === "" || request.subresource === "ephemeralcontainers";
      if (!workloads.has(resource.api.plural) || !relevant) return;
      const labels = namespaces.get(request.namespace)?.object.metadata.labels as Labels;
      if (labels === undefined || !modes.some((mode) => labels[prefix + mode] !== undefined)) return;
      judge(request, object, labels);
    },
  };
}

function policyOf(labels: Labels, mode: (typeof modes)[number]): Policy {
  const level = labels?.[prefix + mode] ?? "privileged";
  const version = labels?.[`${prefix}${mode}-version`] ?? "latest";
  // what cannot be read is taken strictly
  const known = level === "privileged" || level === "baseline" || level === "restricted";
  return { level: known ? level : "restricted", version };
}

function nameOf({ level, version }: Policy): string {
  return JSON.stringify(`${level}:${version}`);
}

function judge(request: AdmissionRequest, object: StoredObject, labels: Labels): void {
  const template = podTemplateOf(object);
  if (template === undefined) return;
  const isPod = request.resource.api.plural === "pods";
  if (isPod && request.operation === "UPDATE" && !isSignificant(request)) return;
  const found = (policy: Policy): string =>
    violationsText(podViolations(policy.level, template.spec, template.metadata));
  const audit = policyOf(labels, "audit");
  const audited = found(audit);
  if (audited !== "") {
    const text = `would violate PodSecurity ${nameOf(audit)}: ${audited}`;
    request.annotate(`${prefix}audit-violations`, text);
  }
  const enforce = policyOf(labels, "enforce");
  if (isPod) {
    request.annotate(`${prefix}enforce-policy`, `${enforce.level}:${enforce.version}`);
    const violations = found(enforce);
    if (violations !== "") {
      const why = `violates PodSecurity ${nameOf(enforce)}: ${violations}`;
      throw refusal(request, why);
    }
  }
  const warn = policyOf(labels, "warn");
  const warned = found(warn);
  if (warned !== "") request.warn(`would violate PodSecurity ${nameOf(warn)}: ${warned}`);
}

/** Of an existing pod only a change of images or of what is checked counts. */
function isSignificant({ object, oldObject }: AdmissionRequest): boolean {
  const shown = (pod: StoredObject | undefined): string => {
    const template = pod === undefined ? undefined : podTemplateOf(pod);
    const { tolerations: _t, activeDeadlineSeconds: _a, ...spec } = template?.spec ?? { containers: [] };
    return JSON.stringify([spec, template?.metadata.annotations]);
  };
  return shown(object) !== shown(oldObject);
}

/** A namespace that gets stricter is told which of its pods would not have been allowed. */
function namespaceChanged(request: AdmissionRequest, namespace: StoredObject, pods: Bucket): void {
  if (request.operation !== "UPDATE" || request.subresource !== "") return;
  const policy = policyOf(namespace.metadata.labels as Labels, "enforce");
  const before = policyOf(request.oldObject?.metadata.labels as Labels, "enforce");
  if (policy.level === "privileged" || (policy.level === before.level && policy.version === before.version))
    return;
  const byReason = new Map<string, string[]>();
  for (const { object } of pods.list(`${request.name}/`)) {
    const template = podTemplateOf(object);
    const violations =
      template === undefined ? [] : podViolations(policy.level, template.spec, template.metadata);
    if (violations.length === 0) continue;
    const reason = violations.map((v) => v.reason).join(", ");
    byReason.set(reason, [...(byReason.get(reason) ?? []), object.metadata.name ?? ""]);
  }
  if (byReason.size === 0) return;
  request.warn(
    `existing pods in namespace ${JSON.stringify(request.name)} violate the new PodSecurity enforce level ${nameOf(policy)}`,
  );
  const lines = [...byReason].map(([reason, [first = "", ...others]]) => {
    const more =
      others.length === 0 ? "" : ` (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`;
    return `${first}${more}: ${reason}`;
  });
  for (const line of lines.sort()) request.warn(line);
}
