/** HorizontalPodAutoscalers. Source: kubernetes pkg/apis/autoscaling (v2/defaults.go, validation). */
import { type DeepReadonly, type FieldError, pathSegmentNameErrors } from "@bowline/api";
import type {
  CrossVersionObjectReference,
  HPAScalingRules,
  HorizontalPodAutoscalerSpec,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
} from "@bowline/api/autoscaling/v2";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapField, setField } from "../copy-on-write.ts";
import { checkNonNegative, checkOneOf, quantityOf, quantityShown } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { autoscalerConversion } from "./autoscaler-conversion.ts";

const minDefault: Fields = Object.freeze({ minReplicas: 1 });
const cpuTarget: Fields = Object.freeze({
  type: "Resource",
  resource: Object.freeze({
    name: "cpu",
    target: Object.freeze({ type: "Utilization", averageUtilization: 80 }),
  }),
});
const scaleUpDefaults: Fields = Object.freeze({
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: Object.freeze([
    Object.freeze({ type: "Pods", value: 4, periodSeconds: 15 }),
    Object.freeze({ type: "Percent", value: 100, periodSeconds: 15 }),
  ]),
});
const scaleDownDefaults: Fields = Object.freeze({
  selectPolicy: "Max",
  policies: Object.freeze([Object.freeze({ type: "Percent", value: 100, periodSeconds: 15 })]),
});
const behaviorParts: Fields = Object.freeze({ scaleUp: Object.freeze({}), scaleDown: Object.freeze({}) });

function defaultSpec(given: Fields): Fields {
  let spec = fill(given, minDefault);
  if (((spec["metrics"] ?? []) as readonly unknown[]).length === 0)
    spec = setField(spec, "metrics", [cpuTarget]);
  return mapField(spec, "behavior", (behavior: Fields) =>
    mapField(
      mapField(fill(behavior, behaviorParts), "scaleUp", (rules: Fields) => fill(rules, scaleUpDefaults)),
      "scaleDown",
      (rules: Fields) => fill(rules, scaleDownDefaults),
    ),
  );
}

type SpecFields = DeepReadonly<HorizontalPodAutoscalerSpec>;

function checkReference(
  problems: FieldProblems,
  at: string,
  reference: DeepReadonly<CrossVersionObjectReference> | undefined,
): void {
  for (const field of ["kind", "name"] as const) {
    const value = reference?.[field] ?? "";
    if (value === "") problems.required(`${at}.${field}`);
    else problems.allInvalid(`${at}.${field}`, value, pathSegmentNameErrors(value));
  }
}

function checkSpec(problems: FieldProblems, spec: SpecFields): void {
  const { minReplicas: min, maxReplicas: max = 0 } = spec;
  if (min !== undefined && min < 1)
    problems.invalid("spec.minReplicas", min, "must be greater than or equal to 1");
  if (max < 1) problems.invalid("spec.maxReplicas", max, "must be greater than 0");
  if (min !== undefined && max < min)
    problems.invalid("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`");
  checkReference(problems, "spec.scaleTargetRef", spec.scaleTargetRef);
  if (!spec.scaleTargetRef?.apiVersion?.includes("/")) {
    const field = "spec.scaleTargetRef.apiVersion";
    problems.invalid(field, spec.scaleTargetRef?.apiVersion ?? "", "apiVersion must specify API group");
  }
  const scalesToZero = spec.metrics?.some(({ type }) => type === "Object" || type === "External");
  if (min === 0 && scalesToZero !== true) {
    problems.forbidden(
      "spec.metrics",
      "must specify at least one Object or External metric to support scaling to zero replicas",
    );
  }
  spec.metrics?.forEach((metric, i) => {
    checkMetric(problems, `spec.metrics[${i}]`, metric);
  });
  for (const direction of ["scaleUp", "scaleDown"] as const) {
    const rules = spec.behavior?.[direction];
    if (rules !== undefined) checkRules(problems, `spec.behavior.${direction}`, rules);
  }
}

const windowMax = 3600;
const periodMax = 1800;

function checkRules(problems: FieldProblems, at: string, rules: DeepReadonly<HPAScalingRules>): void {
  const { stabilizationWindowSeconds: window, selectPolicy, policies = [] } = rules;
  const field = `${at}.stabilizationWindowSeconds`;
  if (window !== undefined && window < 0)
    problems.invalid(field, window, "must be greater than or equal to zero");
  if (window !== undefined && window > windowMax)
    problems.invalid(field, window, `must be less than or equal to ${windowMax}`);
  checkOneOf(problems, `${at}.selectPolicy`, selectPolicy, ["Disabled", "Max", "Min"]);
  if (policies.length === 0) problems.required(`${at}.policies`, "must specify at least one Policy");
  policies.forEach(({ type, value, periodSeconds }, i) => {
    const path = `${at}.policies[${i}]`;
    checkOneOf(problems, `${path}.type`, type, ["Percent", "Pods"]);
    if (value <= 0) problems.invalid(`${path}.value`, value, "must be greater than zero");
    if (periodSeconds <= 0)
      problems.invalid(`${path}.periodSeconds`, periodSeconds, "must be greater than zero");
    if (periodSeconds > periodMax)
      problems.invalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${periodMax}`);
  });
}

/** The field of each type of source, and the order in which they are looked at. */
const fieldOfType: Readonly<Record<string, SourceField>> = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
};
type SourceField = "object" | "external" | "pods" | "resource" | "containerResource";
const sourceTypes = ["ContainerResource", "External", "Object", "Pods", "Resource"];

function checkMetric(problems: FieldProblems, at: string, metric: DeepReadonly<MetricSpec>): void {
  const { type = "" } = metric;
  if (type === "") problems.required(`${at}.type`, "must specify a metric source type");
  const expected = fieldOfType[type];
  if (expected === undefined) problems.notSupported(`${at}.type`, type, sourceTypes);
  const present = Object.values(fieldOfType).filter((field) => metric[field] !== undefined);
  const [first] = present;
  if (first !== undefined) checkMetricSource(problems, `${at}.${first}`, first, metric);
  if (expected !== undefined && metric[expected] === undefined)
    problems.required(`${at}.${expected}`, "must populate information for the given metric source");
  if (expected === undefined) problems.notSupported(`${at}.type`, type, sourceTypes);
  if (present.length === 1) return;
  for (const field of present)
    if (field !== expected)
      problems.forbidden(`${at}.${field}`, "must populate the given metric source only");
}

function checkMetricSource(
  problems: FieldProblems,
  at: string,
  field: SourceField,
  metric: DeepReadonly<MetricSpec>,
): void {
  const source = metric[field] as {
    readonly name?: string;
    readonly container?: string;
    readonly metric?: DeepReadonly<MetricIdentifier>;
    readonly describedObject?: DeepReadonly<CrossVersionObjectReference>;
    readonly target?: DeepReadonly<MetricTarget>;
  };
  const target = source.target ?? ({} as DeepReadonly<MetricTarget>);
  if (field === "resource" || field === "containerResource") {
    if (!source.name) problems.required(`${at}.name`, "must specify a resource name");
    if (field === "containerResource" && !source.container)
      problems.required(`${at}.container`, "must specify a container");
  }
  if (field === "object") checkReference(problems, `${at}.describedObject`, source.describedObject);
  if (field === "object" || field === "external" || field === "pods") {
    const name = source.metric?.name ?? "";
    if (name === "") problems.required(`${at}.metric.name`, "must specify a metric name");
    else problems.allInvalid(`${at}.metric.name`, name, pathSegmentNameErrors(name));
  }
  checkTarget(problems, `${at}.target`, target);
  checkTargetOf(problems, `${at}.target`, field, target);
}

function checkTarget(problems: FieldProblems, at: string, target: DeepReadonly<MetricTarget>): void {
  const { type = "", averageUtilization } = target;
  if (type === "") problems.required(`${at}.type`, "must specify a metric target type");
  if (!["Utilization", "Value", "AverageValue"].includes(type))
    problems.invalid(`${at}.type`, type, "must be either Utilization, Value, or AverageValue");
  for (const field of ["value", "averageValue"] as const) {
    const value = target[field] as string | undefined;
    if (value !== undefined && quantityOf(value).unscaled <= 0n)
      problems.invalid(`${at}.${field}`, quantityShown(value), "must be positive");
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    problems.invalid(`${at}.averageUtilization`, averageUtilization, "must be greater than 0");
}

function checkTargetOf(
  problems: FieldProblems,
  at: string,
  field: SourceField,
  target: DeepReadonly<MetricTarget>,
): void {
  const { value, averageValue, averageUtilization } = target;
  switch (field) {
    case "object":
      if (value === undefined && averageValue === undefined)
        problems.required(`${at}.averageValue`, "must set either a target value or averageValue");
      break;
    case "external":
      if (value === undefined && averageValue === undefined) {
        problems.required(
          `${at}.averageValue`,
          "must set either a target value for metric or a per-pod target",
        );
      }
      if (value !== undefined && averageValue !== undefined) {
        problems.forbidden(`${at}.value`, "may not set both a target value for metric and a per-pod target");
      }
      break;
    case "pods":
      if (averageValue === undefined)
        problems.required(`${at}.averageValue`, "must specify a positive target averageValue");
      break;
    default:
      if (averageUtilization === undefined && averageValue === undefined) {
        problems.required(
          `${at}.averageUtilization`,
          "must set either a target raw value or a target utilization",
        );
      }
      if (averageUtilization !== undefined && averageValue !== undefined) {
        problems.forbidden(
          `${at}.averageValue`,
          "may not set both a target raw value and a target utilization",
        );
      }
  }
}

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  checkSpec(problems, (object["spec"] ?? {}) as SpecFields);
  return problems.list;
}

function statusErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = (object["status"] ?? {}) as Readonly<Record<string, number>>;
  checkNonNegative(problems, "status.currentReplicas", status["currentReplicas"]);
  checkNonNegative(problems, "status.desiredReplicas", status["desiredReplicas"]);
  return problems.list;
}

export const autoscalerRules: BuiltinRules = {
  initialStatus: { currentMetrics: null, desiredReplicas: 0 },
  defaults: (object) => setField(object, "spec", defaultSpec((object["spec"] ?? {}) as Fields)),
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
  validateStatusUpdate: statusErrors,
};

/** autoscaling/v1: what its objects become is what is checked. */
export const autoscalerV1Rules: BuiltinRules = {
  initialStatus: { currentReplicas: 0, desiredReplicas: 0 },
  defaults: (object) => setField(object, "spec", fill((object["spec"] ?? {}) as Fields, minDefault)),
  validateCreate: (object) => errorsOf(autoscalerConversion.write(object)),
  validateUpdate: (object) => errorsOf(autoscalerConversion.write(object)),
  validateStatusUpdate: statusErrors,
};
