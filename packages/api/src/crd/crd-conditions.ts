/** Source: apiextensions-apiserver pkg/controller/{status,establish,nonstructuralschema,apiapproval,finalizer}. */
import { jsonEqual } from "../schema/json-value.ts";
import { fieldErrorsText, quote } from "../status/field-error.ts";
import type { FieldError } from "../status/field-error.ts";
import { approvalOf, isProtectedGroup } from "./api-approval.ts";
import { caBundleError } from "./ca-bundle.ts";
import {
  type CrdCondition,
  type CrdNames,
  type CrdStatus,
  type CustomResourceDefinition,
  isCrdConditionTrue,
} from "./custom-resource-definition.ts";
import { emptyCrdStatus } from "./prepare-crd.ts";
import { structuralConversionError, validateStructural } from "./structural-rules.ts";

export interface CrdStatusContext {
  /** Every other CRD of the cluster (those of other groups are ignored). */
  readonly others: readonly CustomResourceDefinition[];
  /** RFC 3339, whole seconds: `lastTransitionTime` of conditions that change. */
  readonly now: string;
}

/**
 * The status that the server's controllers arrive at: accepted names (and conflicts with others of the group),
 * NamesAccepted, Established, NonStructuralSchema, KubernetesAPIApprovalPolicyConformant. The same reference when
 * nothing changed. A CRD that loses or gives up names makes others of its group worth computing again.
 */
export function computeCrdStatus(crd: CustomResourceDefinition, context: CrdStatusContext): CrdStatus {
  const status = crd.status ?? emptyCrdStatus();
  const named = acceptNames(crd, status, context);
  const conditions = [establish({ ...crd, status: named }), nonStructural(crd), approval(crd)];
  let result = named;
  for (const condition of conditions)
    if (condition !== undefined) result = setCondition(result, condition, context.now);
  if (conditions[1] === undefined) result = withoutCondition(result, "NonStructuralSchema");
  return result;
}

type NewCondition = Omit<CrdCondition, "lastTransitionTime">;

function setCondition(status: CrdStatus, condition: NewCondition, now: string): CrdStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find((c) => c.type === condition.type);
  const same = old?.status === condition.status;
  const made: CrdCondition = {
    ...(old ?? {}),
    ...condition,
    lastTransitionTime: (same ? old?.lastTransitionTime : undefined) ?? now,
  };
  if (old !== undefined && jsonEqual(old, made)) return status;
  const next = old === undefined ? [...conditions, made] : conditions.map((c) => (c === old ? made : c));
  return { ...status, conditions: next };
}

function withoutCondition(status: CrdStatus, type: string): CrdStatus {
  const conditions = (status.conditions ?? []).filter((c) => c.type !== type);
  return conditions.length === (status.conditions ?? []).length ? status : { ...status, conditions };
}

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** Names that CRDs of the group have, this one's own included. */
function takenNames(crd: CustomResourceDefinition, others: readonly CustomResourceDefinition[]): Taken {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const { spec, status } of [crd, ...others]) {
    const names = status?.acceptedNames;
    if (spec.group !== crd.spec.group || names === undefined) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])])
      if (name) resources.add(name);
    for (const kind of [names.kind, names.listKind]) if (kind) kinds.add(kind);
  }
  return { resources, kinds };
}

/** Takes over what is free; the last conflict is the one that the condition tells of. */
function acceptNames(crd: CustomResourceDefinition, status: CrdStatus, context: CrdStatusContext): CrdStatus {
  const wanted = crd.spec.names;
  const current: Partial<CrdNames> = status.acceptedNames ?? {};
  if (sameNames(wanted, current)) return status;
  const taken = takenNames(crd, context.others);
  const accepted: Partial<CrdNames> = { ...current };
  let conflict: { reason: string; message: string } | undefined;
  const take = (name: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>): void => {
    const value = wanted[name];
    if (value !== current[name] && used.has(value ?? "")) {
      const reason = `${name[0]?.toUpperCase()}${name.slice(1)}Conflict`;
      conflict = { reason, message: inUse(value ?? "") };
    } else if (value !== undefined) accepted[name] = value;
  };
  take("plural", taken.resources);
  take("singular", taken.resources);
  const clashing = (wanted.shortNames ?? []).filter(
    (name) => !current.shortNames?.includes(name) && taken.resources.has(name),
  );
  if (clashing.length > 0)
    conflict = { reason: "ShortNamesConflict", message: aggregate(clashing.map(inUse)) };
  else setList(accepted, "shortNames", wanted.shortNames);
  take("kind", taken.kinds);
  take("listKind", taken.kinds);
  setList(accepted, "categories", wanted.categories);
  const condition: NewCondition =
    conflict === undefined
      ? { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { type: "NamesAccepted", status: "False", ...conflict };
  const next = setCondition(status, condition, context.now);
  const names = accepted as CrdNames;
  return jsonEqual(names, current) ? next : { ...next, acceptedNames: names };
}

function sameNames(a: Partial<CrdNames>, b: Partial<CrdNames>): boolean {
  const normal = (names: Partial<CrdNames>): unknown =>
    Object.fromEntries(Object.entries(names).filter(([, value]) => value !== undefined && value.length > 0));
  return jsonEqual(normal(a), normal(b));
}

function setList(
  names: Partial<CrdNames>,
  field: "shortNames" | "categories",
  value: string[] | undefined,
): void {
  if (value === undefined) delete names[field];
  else names[field] = value;
}

function inUse(name: string): string {
  return `${quote(name)} is already in use`;
}

/** One message as it is, several in brackets, each once. */
function aggregate(messages: readonly string[]): string {
  const unique = [...new Set(messages)];
  return unique.length === 1 ? (unique[0] ?? "") : `[${unique.join(", ")}]`;
}

/** Once established, a CRD stays established. */
function establish(crd: CustomResourceDefinition): NewCondition | undefined {
  if (isCrdConditionTrue(crd, "Established")) return undefined;
  const condition: NewCondition = { type: "Established", status: "False" };
  if (!isCrdConditionTrue(crd, "NamesAccepted")) {
    return { ...condition, reason: "NotAccepted", message: "not all names are accepted" };
  }
  const caBundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle ?? "";
  if (caBundle !== "" && caBundleError(caBundle) !== undefined) {
    return { ...condition, reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" };
  }
  const message = "the initial names have been accepted";
  return { type: "Established", status: "True", reason: "InitialNamesAccepted", message };
}

function nonStructural(crd: CustomResourceDefinition): NewCondition | undefined {
  const errors: FieldError[] = [];
  if (crd.spec.preserveUnknownFields === true) {
    errors.push({
      type: "Invalid",
      field: "spec.preserveUnknownFields",
      badValue: true,
      detail: "must be false",
    });
  }
  for (const [i, version] of crd.spec.versions.entries()) {
    const schema = version.schema?.openAPIV3Schema;
    if (schema === undefined) continue;
    const error = structuralConversionError(schema);
    if (error !== undefined) {
      const message = `failed to check validation schema for version ${version.name}: ${error}`;
      return { type: "NonStructuralSchema", status: "Unknown", reason: "StructuralError", message };
    }
    errors.push(...validateStructural(schema, `spec.versions[${i}].schema.openAPIV3Schema`));
  }
  if (errors.length === 0) return undefined;
  return {
    type: "NonStructuralSchema",
    status: "True",
    reason: "Violations",
    message: fieldErrorsText(errors),
  };
}

const approvalReasons = {
  invalid: "InvalidAnnotation",
  missing: "MissingAnnotation",
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
};

function approval(crd: CustomResourceDefinition): NewCondition | undefined {
  if (!isProtectedGroup(crd.spec.group)) return undefined;
  const { state, reason } = approvalOf(crd);
  const status = state === "approved" ? "True" : "False";
  return {
    type: "KubernetesAPIApprovalPolicyConformant",
    status,
    reason: approvalReasons[state],
    message: reason,
  };
}

/** How far the clean-up of a deleted CRD is. */
export type CrdTermination = "pending" | "inProgress" | "completed" | "neverEstablished" | "overlapsBuiltin";

const terminations: Record<CrdTermination, NewCondition> = {
  pending: {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  },
  inProgress: {
    type: "Terminating",
    status: "True",
    reason: "InstanceDeletionInProgress",
    message: "CustomResource deletion is in progress",
  },
  completed: {
    type: "Terminating",
    status: "False",
    reason: "InstanceDeletionCompleted",
    message: "removed all instances",
  },
  neverEstablished: {
    type: "Terminating",
    status: "False",
    reason: "NeverEstablished",
    message: "resource was never established",
  },
  overlapsBuiltin: {
    type: "Terminating",
    status: "False",
    reason: "OverlappingBuiltInResource",
    message: "instances overlap with built-in resources in storage",
  },
};

/** The status with the Terminating condition of a CRD that is being deleted: `pending` is what the delete itself writes. */
export function terminatingCrdStatus(
  crd: CustomResourceDefinition,
  progress: { readonly state: CrdTermination; readonly now: string },
): CrdStatus {
  return setCondition(crd.status ?? emptyCrdStatus(), terminations[progress.state], progress.now);
}
