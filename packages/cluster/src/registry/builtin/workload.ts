/** Deployments and the other workloads. Source: kubernetes pkg/apis/apps/v1/defaults.go, pkg/registry/apps. */
import type { FieldError } from "@bowline/api";
import { jsonEqual } from "@bowline/api";
import type { StoredObject } from "../../store/revision.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { fieldReader } from "./builtin-rules.ts";
import { defaultPodSpec, mapField, withDefaults } from "./pod-defaults.ts";

type Fields = Readonly<Record<string, unknown>>;

function defaultTemplate(spec: Fields): Fields {
  return mapField(spec, "template", (template) => {
    const pod = defaultPodSpec(template["spec"] as Fields | undefined);
    return pod === template["spec"] ? template : { ...template, spec: pod };
  });
}

function specDefaults(change: (spec: Fields) => Fields): (object: StoredObject) => StoredObject {
  return (object) => mapField(object as unknown as Fields, "spec", change) as unknown as StoredObject;
}

function immutableSelector(object: StoredObject, old: StoredObject): FieldError[] {
  const now = (object["spec"] as Fields | undefined)?.["selector"];
  const before = (old["spec"] as Fields | undefined)?.["selector"];
  if (jsonEqual(now, before)) return [];
  return [{ type: "Invalid", field: "spec.selector", badValue: now, detail: "field is immutable" }];
}

const deployment: BuiltinRules = {
  generation: true,
  validateUpdate: immutableSelector,
  defaults: specDefaults((spec) =>
    defaultTemplate(
      mapField(
        withDefaults(spec, {
          replicas: 1,
          strategy: { type: "RollingUpdate" },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        }),
        "strategy",
        (given) => {
          const strategy = withDefaults(given, { type: "RollingUpdate" });
          if (strategy["type"] !== "RollingUpdate") return strategy;
          return mapField(withDefaults(strategy, { rollingUpdate: {} }), "rollingUpdate", (rolling) =>
            withDefaults(rolling, { maxUnavailable: "25%", maxSurge: "25%" }),
          );
        },
      ),
    ),
  ),
};

const replicaSet: BuiltinRules = {
  generation: true,
  validateUpdate: immutableSelector,
  defaults: specDefaults((spec) => defaultTemplate(withDefaults(spec, { replicas: 1 }))),
  fields: { "status.replicas": fieldReader("status", "replicas") },
};

const statefulSet: BuiltinRules = {
  generation: true,
  defaults: specDefaults((spec) =>
    defaultTemplate(
      withDefaults(spec, {
        replicas: 1,
        podManagementPolicy: "OrderedReady",
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      }),
    ),
  ),
};

const daemonSet: BuiltinRules = {
  generation: true,
  validateUpdate: immutableSelector,
  defaults: specDefaults((spec) =>
    defaultTemplate(
      withDefaults(spec, {
        revisionHistoryLimit: 10,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      }),
    ),
  ),
};

/** Rules by `group/plural`. */
export const workloadRules: Readonly<Record<string, BuiltinRules>> = {
  "apps/deployments": deployment,
  "apps/replicasets": replicaSet,
  "apps/statefulsets": statefulSet,
  "apps/daemonsets": daemonSet,
  "batch/jobs": { generation: true, defaultPropagation: "Background" },
  "batch/cronjobs": { generation: true },
};
