import { pathSegmentNameErrors } from "@bowline/api";
import { builtinResources } from "@bowline/api/catalog";
import type { Store } from "../../store/store.ts";
import { builtinResource } from "../builtin-resource.ts";
import type { Resource } from "../resource.ts";
import { type BuiltinRules, fieldReader } from "./builtin-rules.ts";
import { crdResource } from "./custom-resource-definition.ts";
import { eventConversion } from "./core/event-conversion.ts";
import { namespaceRules } from "./core/namespace.ts";
import { podRules } from "./pod/pod.ts";
import { cronJobRules } from "./workload/cron-job.ts";
import { daemonSetRules } from "./workload/daemon-set.ts";
import { deploymentRules } from "./workload/deployment.ts";
import { jobRules } from "./workload/job.ts";
import { replicaSetRules, replicationControllerRules } from "./workload/replica-set.ts";
import { controllerRevisionRules, statefulSetRules } from "./workload/stateful-set.ts";

const anyPathName: BuiltinRules = { name: pathSegmentNameErrors };

const eventFields = (object: string, message: string): BuiltinRules => ({
  fields: {
    [`${object}.kind`]: fieldReader(object, "kind"),
    [`${object}.namespace`]: fieldReader(object, "namespace"),
    [`${object}.name`]: fieldReader(object, "name"),
    [`${object}.uid`]: fieldReader(object, "uid"),
    [`${object}.apiVersion`]: fieldReader(object, "apiVersion"),
    [`${object}.resourceVersion`]: fieldReader(object, "resourceVersion"),
    [`${object}.fieldPath`]: fieldReader(object, "fieldPath"),
    reason: fieldReader("reason"),
    reportingComponent: fieldReader(message === "note" ? "reportingController" : "reportingComponent"),
    source: fieldReader(message === "note" ? "deprecatedSource" : "source", "component"),
    type: fieldReader("type"),
  },
});

/** Rules by `group/plural`. Kinds that are not listed are stored as their schema has them. */
const rulesOf: Readonly<Record<string, BuiltinRules>> = {
  "/namespaces": namespaceRules,
  "/pods": podRules,
  "/nodes": { fields: { "spec.unschedulable": fieldReader("spec", "unschedulable") } },
  "/secrets": { fields: { type: fieldReader("type") } },
  "/events": eventFields("involvedObject", "message"),
  "events.k8s.io/events": eventFields("regarding", "note"),
  "rbac.authorization.k8s.io/roles": anyPathName,
  "rbac.authorization.k8s.io/rolebindings": anyPathName,
  "rbac.authorization.k8s.io/clusterroles": anyPathName,
  "rbac.authorization.k8s.io/clusterrolebindings": anyPathName,
  "/replicationcontrollers": replicationControllerRules,
  "apps/controllerrevisions": controllerRevisionRules,
  "apps/daemonsets": daemonSetRules,
  "apps/deployments": deploymentRules,
  "apps/replicasets": replicaSetRules,
  "apps/statefulsets": statefulSetRules,
  "batch/cronjobs": cronJobRules,
  "batch/jobs": jobRules,
};

/** Resources that the real server has for old clients only, and that nobody answers here. */
const virtual = /^(bindings|componentstatuses)$/;

/** Every built-in resource that a real server serves by default, on the buckets of `store`. */
export function builtinCatalog(store: Store): Resource[] {
  return builtinResources
    .filter((api) => api.servedByDefault && !virtual.test(api.plural))
    .map((api) => {
      const key = `${api.group}/${api.plural}`;
      const events = key === "events.k8s.io/events";
      const resource = builtinResource({
        api,
        bucket: store.bucket(events ? "/events" : key),
        rules: rulesOf[key] ?? {},
        conversion: events ? eventConversion : undefined,
      });
      return api.kind === "CustomResourceDefinition" ? crdResource(resource) : resource;
    });
}
