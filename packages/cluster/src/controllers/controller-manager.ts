import type { ControllerDefinition } from "@bowline/runtime";
import { deploymentController } from "./deployment.ts";
import { replicaSetController } from "./replica-set.ts";

/** The controllers of the embedded control plane: ordinary controllers, on the in-process transport. */
export function controllerManager(): ControllerDefinition[] {
  return [deploymentController, replicaSetController];
}
