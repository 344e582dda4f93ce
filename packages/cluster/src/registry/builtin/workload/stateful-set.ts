/** StatefulSets and their ControllerRevisions. Source: kubernetes pkg/apis/apps (v1/defaults.go, validation). */
import { type DeepReadonly, type FieldError, type LabelSelector, dns1123LabelErrors } from "@bowline/api";
import type { StatefulSet } from "@bowline/api/apps/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, mapItems, setField } from "../copy-on-write.ts";
import { checkDnsLabel, checkImmutable, checkNonNegative, checkOneOf, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { defaultClaimSpec } from "../pod/pod-defaults.ts";
import { checkPodTemplate, checkTemplateMetadata } from "../pod/pod-spec.ts";
import { checkClaimSpec } from "../storage/claim-spec.ts";
import { checkAtMost100Percent, checkIntOrPercent, isZero } from "./int-or-percent.ts";
import { checkAvailable, checkCollisions, checkCounts, checkWithinReplicas } from "./replica-counts.ts";
import {
  type TemplateFields,
  checkKeepsRunning,
  checkSelectedLabels,
  checkSelector,
  compiled,
  templateWarnings,
  workloadDefaults,
} from "./workload-template.ts";

type StatefulSetSpec = NonNullable<DeepReadonly<StatefulSet>["spec"]>;

const typeDefault: Fields = Object.freeze({ type: "RollingUpdate" });
const policyDefault: Fields = Object.freeze({ podManagementPolicy: "OrderedReady", serviceName: "" });
const specDefaults: Fields = Object.freeze({
  replicas: 1,
  template: Object.freeze({}),
  revisionHistoryLimit: 10,
  updateStrategy: Object.freeze({}),
  persistentVolumeClaimRetentionPolicy: Object.freeze({}),
});
const retentionDefaults: Fields = Object.freeze({ whenDeleted: "Retain", whenScaled: "Retain" });
const rollingDefaults: Fields = Object.freeze({ partition: 0, maxUnavailable: 1 });
const ordinalsDefault: Fields = Object.freeze({ start: 0 });
const rollingPart: Fields = Object.freeze({ rollingUpdate: Object.freeze({}) });
const claimKind: Fields = Object.freeze({ apiVersion: "v1", kind: "PersistentVolumeClaim" });
const claimStatus: Fields = Object.freeze({ status: Object.freeze({ phase: "Pending" }) });

function defaultSpec(given: Fields): Fields {
  let spec = fill(fillZero(given, policyDefault), specDefaults);
  spec = mapField(spec, "updateStrategy", defaultStrategy);
  spec = mapField(spec, "persistentVolumeClaimRetentionPolicy", (p: Fields) =>
    fillZero(p, retentionDefaults),
  );
  spec = mapField(spec, "ordinals", (o: Fields) => fill(o, ordinalsDefault));
  return mapItems(spec, "volumeClaimTemplates", (claim: Fields) =>
    fill(fillZero(mapField(claim, "spec", defaultClaimSpec), claimKind), claimStatus),
  );
}

/** A rolling update gets a partition, and is made up only where no type was given. */
function defaultStrategy(given: Fields): Fields {
  const typed = fillZero(given, typeDefault);
  if (typed["type"] !== "RollingUpdate") return typed;
  const strategy = typed === given ? given : fill(typed, rollingPart);
  return mapField(strategy, "rollingUpdate", (rolling: Fields) => fill(rolling, rollingDefaults));
}

interface Tolerated {
  /** The name of the service does not change: a bad one stays. */
  readonly serviceName?: boolean;
  readonly claims?: boolean;
  readonly template?: boolean;
}

function checkSpec(problems: FieldProblems, spec: StatefulSetSpec, tolerated: Tolerated = {}): void {
  const policy = spec.podManagementPolicy ?? "";
  if (policy === "") problems.required("spec.podManagementPolicy");
  else if (policy !== "OrderedReady" && policy !== "Parallel")
    problems.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'");
  checkStrategy(problems, spec.updateStrategy ?? {});
  for (const field of ["whenDeleted", "whenScaled"] as const) {
    checkOneOf(
      problems,
      `spec.persistentVolumeClaimRetentionPolicy.${field}`,
      spec.persistentVolumeClaimRetentionPolicy?.[field],
      ["Retain", "Delete"],
    );
  }
  checkNonNegative(problems, "spec.replicas", spec.replicas);
  checkNonNegative(problems, "spec.minReadySeconds", spec.minReadySeconds);
  checkNonNegative(problems, "spec.ordinals.start", spec.ordinals?.start);
  if (tolerated.claims !== true) {
    spec.volumeClaimTemplates?.forEach((claim, i) => {
      checkClaimSpec(problems, `spec.volumeClaimTemplates[${i}].spec`, claim.spec ?? ({} as never));
    });
  }
  if (tolerated.serviceName !== true && spec.serviceName)
    checkDnsLabel(problems, "spec.serviceName", spec.serviceName);
  const selector = spec.selector as LabelSelector | undefined;
  checkSelector(problems, "spec.selector", selector, "statefulset");
  const matcher = compiled(selector, () => {
    problems.invalid("spec.selector", selector, "");
  });
  if (matcher !== undefined) {
    const template = templateOfPods(spec);
    checkSelectedLabels(problems, "spec.template", template, matcher);
    if (tolerated.template !== true) checkPodTemplate(problems, "spec.template", template);
    checkTemplateMetadata(problems, "spec.template", template);
  }
  checkKeepsRunning(problems, "spec.template.spec", spec.template ?? {}, "StatefulSet");
}

/** The template as pods are made of it: with volumes for the claims, and without the names that each pod gets. */
function templateOfPods({
  template = {},
  volumeClaimTemplates: claims = [],
}: StatefulSetSpec): TemplateFields {
  const { subdomain: _s, hostname: _h, ...pod } = template.spec ?? ({} as never);
  const names = new Set(claims.map(({ metadata }) => metadata?.name ?? ""));
  const volumes = [
    ...[...names].map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(template.spec?.volumes ?? []).filter(({ name }) => !names.has(name)),
  ];
  return { ...template, spec: { ...pod, volumes } } as TemplateFields;
}

function checkStrategy(
  problems: FieldProblems,
  strategy: NonNullable<StatefulSetSpec["updateStrategy"]>,
): void {
  const { type, rollingUpdate } = strategy;
  const path = "spec.updateStrategy";
  if (type === "OnDelete") {
    if (rollingUpdate !== undefined)
      problems.invalid(
        `${path}.rollingUpdate`,
        { Partition: rollingUpdate.partition ?? 0, MaxUnavailable: rollingUpdate.maxUnavailable ?? null },
        "only allowed for updateStrategy 'RollingUpdate'",
      );
    return;
  }
  if (type !== "RollingUpdate") {
    const shown = { Type: type ?? "", RollingUpdate: rollingUpdate ?? null };
    return problems.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'");
  }
  if (rollingUpdate === undefined) return;
  checkNonNegative(problems, `${path}.rollingUpdate.partition`, rollingUpdate.partition);
  const max = rollingUpdate.maxUnavailable as number | string | undefined;
  if (max === undefined) return;
  checkIntOrPercent(problems, `${path}.rollingUpdate.maxUnavailable`, max);
  if (isZero(max)) problems.invalid(`${path}.rollingUpdate.maxUnavailable`, max, "cannot be 0");
  checkAtMost100Percent(problems, `${path}.rollingUpdate.maxUnavailable`, max);
}

function specErrors(object: StoredObject, tolerated?: Tolerated): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, (object["spec"] ?? {}) as StatefulSetSpec, tolerated);
  return problems;
}

const mutable = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];
const names = mutable.map((field) => `'${field}'`);
const immutableText = `updates to statefulset spec for fields other than ${names.slice(0, -1).join(", ")} and ${names.at(-1)} are forbidden`;

function statusErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Fields;
  const parts = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
  checkCounts(problems, status, ["replicas", ...parts, "observedGeneration", "collisionCount"]);
  checkWithinReplicas(problems, status, parts);
  checkAvailable(problems, status, "status.readyReplicas");
  checkCollisions(problems, status, (old["status"] ?? {}) as Fields);
  return problems.list;
}

export const statefulSetRules: BuiltinRules = {
  name: dns1123LabelErrors,
  generation: true,
  initialStatus: { availableReplicas: 0, replicas: 0 },
  defaults: workloadDefaults(defaultSpec),
  validateCreate: (object) => specErrors(object).list,
  validateUpdate(object, old) {
    const kept = { serviceName: true, claims: true };
    const template = specErrors(old, kept).list.length > 0;
    const problems = specErrors(object, { ...kept, template });
    const before = (old["spec"] ?? {}) as Fields;
    const now = mutable.reduce(
      (spec, field) => setField(spec, field, before[field]),
      (object["spec"] ?? {}) as Fields,
    );
    if (!same(now, before)) problems.forbidden("spec", immutableText);
    return problems.list;
  },
  validateStatusUpdate: statusErrors,
  warnings(object, old) {
    const { revisionHistoryLimit: limit } = (object["spec"] ?? {}) as StatefulSetSpec;
    const about = templateWarnings(object, old);
    return (limit ?? 0) < 0 ? [...about, endlessHistory] : about;
  },
};

const endlessHistory =
  "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended";

function revisionErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  if (object["data"] === undefined || object["data"] === null) problems.required("data", "data is mandatory");
  checkNonNegative(problems, "revision", Number(object["revision"] ?? 0));
  return problems;
}

export const controllerRevisionRules: BuiltinRules = {
  validateCreate: (object) => revisionErrors(object).list,
  validateUpdate(object, old) {
    const problems = revisionErrors(object);
    checkImmutable(problems, "data", object["data"], old["data"]);
    return problems.list;
  },
};
