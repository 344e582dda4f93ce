import type { ControllerDefinition } from "@bowline/runtime";
import { horizontalAutoscaler } from "./autoscaler/autoscaler.ts";
import type { MetricSource } from "./autoscaler/metric-source.ts";
import { type CertificateSigner, certificateRequestController } from "./certificate-requests.ts";
import { cronJobController } from "./cron-job.ts";
import { daemonSetController } from "./daemon-set.ts";
import { deploymentController } from "./deployment/deployment.ts";
import { disruptionController } from "./disruption-budget.ts";
import { endpointSliceController } from "./endpoints/endpoint-slices.ts";
import { endpointMirroringController } from "./endpoints/endpoint-mirroring.ts";
import { endpointsController } from "./endpoints/endpoints.ts";
import { eventExpiry } from "./event-expiry.ts";
import { garbageCollector } from "./garbage-collection/garbage-collector.ts";
import { jobController } from "./job/job.ts";
import { ttlAfterFinished } from "./job/ttl-after-finished.ts";
import { kubernetesService } from "./kubernetes-service.ts";
import { namespaceController } from "./namespace.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle.ts";
import { taintEvictionController } from "./node-lifecycle/taint-eviction.ts";
import { replicaSetController, replicationController } from "./replica-set.ts";
import { type RootCertificatePublisher, serviceAccountController } from "./namespace-content.ts";
import { ServedKinds } from "./served-kinds.ts";
import { statefulSetController } from "./stateful-set/stateful-set.ts";
import { claimBinding } from "./volumes/claim-binding.ts";
import { claimProtection } from "./volumes/claim-protection.ts";
import { defaultClass } from "./volumes/default-class.ts";
import { ephemeralClaims } from "./volumes/ephemeral-claims.ts";
import { volumePhase } from "./volumes/volume-phase.ts";

export interface ControllerManagerOptions {
  readonly rootCertificates: RootCertificatePublisher;
  readonly metrics: MetricSource;
  readonly signer: CertificateSigner;
}

/** The controllers of the embedded control plane: ordinary controllers, on the in-process transport. */
export function controllerManager(options: ControllerManagerOptions): ControllerDefinition[] {
  const served = new ServedKinds();
  return [
    served.controller(),
    garbageCollector(served),
    namespaceController(served),
    deploymentController(),
    replicaSetController(),
    replicationController(),
    statefulSetController(),
    daemonSetController(),
    jobController(),
    ttlAfterFinished(),
    cronJobController(),
    endpointSliceController(),
    endpointsController(),
    endpointMirroringController(),
    disruptionController(),
    nodeLifecycleController(),
    taintEvictionController(),
    eventExpiry(),
    horizontalAutoscaler(options.metrics),
    certificateRequestController(options.signer),
    kubernetesService(),
    defaultClass(),
    claimBinding(),
    volumePhase(),
    claimProtection(),
    ephemeralClaims(),
    serviceAccountController(),
    options.rootCertificates.controller(),
  ];
}
