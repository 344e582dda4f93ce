import { type BuiltinResource, builtinResources } from "@bowline/api/catalog";
import type { Store } from "../../store/store.ts";
import { type OtherVersion, type VersionConversion, builtinResource } from "../builtin-resource.ts";
import type { Resource } from "../resource.ts";
import {
  mutatingBindingRules,
  mutatingPolicyRules,
  validatingBindingRules,
  validatingPolicyRules,
} from "./admission/admission-policy.ts";
import { webhookConfigurationRules } from "./admission/webhook-configuration.ts";
import { apiServiceRules } from "./api-service.ts";
import { autoscalerRules, autoscalerV1Rules } from "./autoscaling/autoscaler.ts";
import { autoscalerConversion } from "./autoscaling/autoscaler-conversion.ts";
import type { BuiltinRules } from "./builtin-rules.ts";
import { signingRequestRules } from "./certificate-signing-request.ts";
import { configMapRules, secretRules, serviceAccountRules } from "./core/config-map.ts";
import { coreEventRules, newEventRules } from "./core/event.ts";
import { eventConversion } from "./core/event-conversion.ts";
import { limitRangeRules } from "./core/limit-range.ts";
import { namespaceRules } from "./core/namespace.ts";
import { nodeRules } from "./core/node.ts";
import { resourceQuotaRules } from "./core/resource-quota.ts";
import { crdResource } from "./custom-resource-definition.ts";
import { disruptionBudgetRules } from "./disruption-budget.ts";
import { leaseRules } from "./lease.ts";
import { ingressClassRules, ingressRules } from "./network/ingress.ts";
import { networkPolicyRules } from "./network/network-policy.ts";
import { podRules, podTemplateRules } from "./pod/pod.ts";
import { priorityClassRules } from "./priority-class.ts";
import { rbacRules } from "./rbac.ts";
import { runtimeClassRules } from "./runtime-class.ts";
import { endpointSliceRules, endpointsRules } from "./service/endpoints.ts";
import { serviceRules } from "./service/service.ts";
import { claimRules } from "./storage/persistent-volume-claim.ts";
import { csiDriverRules, storageClassRules, volumeRules } from "./storage/persistent-volume.ts";
import { cronJobRules } from "./workload/cron-job.ts";
import { daemonSetRules } from "./workload/daemon-set.ts";
import { deploymentRules } from "./workload/deployment.ts";
import { jobRules } from "./workload/job.ts";
import { replicaSetRules, replicationControllerRules } from "./workload/replica-set.ts";
import { controllerRevisionRules, statefulSetRules } from "./workload/stateful-set.ts";

/** Rules by `group/plural`. Kinds that are not listed are stored as their schema has them. */
function rulesOf(store: Store): Readonly<Record<string, BuiltinRules>> {
  return {
    ...Object.fromEntries(
      Object.entries(rbacRules).map(([plural, rules]) => [`rbac.authorization.k8s.io/${plural}`, rules]),
    ),
    "/configmaps": configMapRules,
    "/endpoints": endpointsRules,
    "/events": coreEventRules,
    "/limitranges": limitRangeRules,
    "/namespaces": namespaceRules,
    "/nodes": nodeRules,
    "/persistentvolumeclaims": claimRules,
    "/persistentvolumes": volumeRules,
    "/pods": podRules,
    "/podtemplates": podTemplateRules,
    "/replicationcontrollers": replicationControllerRules,
    "/resourcequotas": resourceQuotaRules,
    "/secrets": secretRules,
    "/serviceaccounts": serviceAccountRules,
    "/services": serviceRules(store),
    "admissionregistration.k8s.io/mutatingadmissionpolicies": mutatingPolicyRules,
    "admissionregistration.k8s.io/mutatingadmissionpolicybindings": mutatingBindingRules,
    "admissionregistration.k8s.io/mutatingwebhookconfigurations": webhookConfigurationRules({
      mutating: true,
    }),
    "admissionregistration.k8s.io/validatingadmissionpolicies": validatingPolicyRules,
    "admissionregistration.k8s.io/validatingadmissionpolicybindings": validatingBindingRules,
    "admissionregistration.k8s.io/validatingwebhookconfigurations": webhookConfigurationRules({
      mutating: false,
    }),
    "apiregistration.k8s.io/apiservices": apiServiceRules,
    "apps/controllerrevisions": controllerRevisionRules,
    "apps/daemonsets": daemonSetRules,
    "apps/deployments": deploymentRules,
    "apps/replicasets": replicaSetRules,
    "apps/statefulsets": statefulSetRules,
    "autoscaling/horizontalpodautoscalers": autoscalerRules,
    "batch/cronjobs": cronJobRules,
    "batch/jobs": jobRules,
    "certificates.k8s.io/certificatesigningrequests": signingRequestRules,
    "coordination.k8s.io/leases": leaseRules,
    "discovery.k8s.io/endpointslices": endpointSliceRules,
    "networking.k8s.io/ingressclasses": ingressClassRules,
    "networking.k8s.io/ingresses": ingressRules,
    "networking.k8s.io/networkpolicies": networkPolicyRules,
    "node.k8s.io/runtimeclasses": runtimeClassRules,
    "policy/poddisruptionbudgets": disruptionBudgetRules,
    "scheduling.k8s.io/priorityclasses": priorityClassRules,
    "storage.k8s.io/csidrivers": csiDriverRules,
    "storage.k8s.io/storageclasses": storageClassRules,
  };
}

interface SecondVersion {
  /** `group/plural` of the resource that stores. */
  readonly bucket: string;
  /** The version that is stored. */
  readonly storedVersion: string;
  readonly rules: BuiltinRules;
  readonly conversion: VersionConversion;
}

/** Resources that show what another version, or another group, stores. By `group/version/plural`. */
const secondVersions: Readonly<Record<string, SecondVersion>> = {
  "events.k8s.io/v1/events": {
    bucket: "/events",
    storedVersion: "v1",
    rules: newEventRules,
    conversion: eventConversion,
  },
  "autoscaling/v1/horizontalpodautoscalers": {
    bucket: "autoscaling/horizontalpodautoscalers",
    storedVersion: "v2",
    rules: autoscalerV1Rules,
    conversion: autoscalerConversion,
  },
};

/** A resource that the real server has for clients older than pods' own endpoint, and that nobody answers here. */
const unserved = "bindings";

/** Every built-in resource that a real server serves by default, on the buckets of `store`. */
export function builtinCatalog(store: Store): Resource[] {
  const rules = rulesOf(store);
  const served = builtinResources.filter((api) => api.servedByDefault && api.plural !== unserved);
  const byKey = new Map(served.map((api) => [versionedKey(api), api]));
  return served.map((api) => {
    const key = `${api.group}/${api.plural}`;
    const second = secondVersions[versionedKey(api)];
    const resource = builtinResource({
      api,
      bucket: store.bucket(second?.bucket ?? key),
      rules: second?.rules ?? rules[key] ?? {},
      conversion: second?.conversion,
      other: otherVersion(api, byKey),
    });
    return api.kind === "CustomResourceDefinition" ? crdResource(resource) : resource;
  });
}

function versionedKey(api: Pick<BuiltinResource, "group" | "version" | "plural">): string {
  return `${api.group}/${api.version}/${api.plural}`;
}

/** The version that stores what this one shows, or that shows what this one stores. */
function otherVersion(
  api: BuiltinResource,
  byKey: ReadonlyMap<string, BuiltinResource>,
): OtherVersion | undefined {
  for (const [key, { bucket, storedVersion, conversion }] of Object.entries(secondVersions)) {
    const shown = byKey.get(key);
    const [group = "", plural = ""] = bucket.split("/");
    const stored = byKey.get(versionedKey({ group, version: storedVersion, plural }));
    if (shown === undefined || stored === undefined) continue;
    if (api === shown) return { api: stored, to: conversion.write, from: conversion.read };
    if (api === stored) return { api: shown, to: conversion.read, from: conversion.write };
  }
  return undefined;
}
