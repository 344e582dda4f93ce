import type { ControllerDefinition, Manager } from "@bowline/runtime";
import { deploymentController } from "./deployment/deployment.ts";
import { garbageCollector } from "./garbage-collection/garbage-collector.ts";
import { namespaceController } from "./namespace.ts";
import { replicaSetController, replicationController } from "./replica-set.ts";
import { ServedKinds } from "./served-kinds.ts";

export interface ControllerManagerOptions {
  /** PEM of the authority that signed the server's certificate, for every namespace. Default: there is none. */
  rootCertificate?(): string;
}

/** The controllers of the embedded control plane: ordinary controllers, on the in-process transport. */
export function controllerManager(
  _options: ControllerManagerOptions,
  _manager: Pick<Manager, "cache" | "client">,
): ControllerDefinition[] {
  const served = new ServedKinds();
  return [
    served.controller(),
    garbageCollector(served),
    namespaceController(served),
    deploymentController(),
    replicaSetController(),
    replicationController(),
  ];
}
