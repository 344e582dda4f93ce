import { type World, template } from "../controllers/world.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

export const namespace = "default";

/** A workload `NAME` of pods labelled `app=NAME`. */
export function workload(apiVersion: string, kind: string, name: string, spec: object = {}): Sent {
  const selector = kind === "ReplicationController" ? { app: name } : { matchLabels: { app: name } };
  return { apiVersion, kind, metadata: { name }, spec: { selector, template: template(name), ...spec } };
}
export const deployment = (name: string, spec: object = {}): Sent =>
  workload("apps/v1", "Deployment", name, spec);
export const replicaSet = (name: string, spec: object = {}): Sent =>
  workload("apps/v1", "ReplicaSet", name, spec);
export const daemonSet = (name: string, spec: object = {}): Sent =>
  workload("apps/v1", "DaemonSet", name, spec);
export const statefulSet = (name: string, spec: object = {}): Sent =>
  workload("apps/v1", "StatefulSet", name, { serviceName: name, ...spec });
export const rc = (name: string, spec: object = {}): Sent =>
  workload("v1", "ReplicationController", name, spec);
export const job = (name: string, spec: object = {}, image = "busybox"): Sent => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: {
    template: {
      spec: { restartPolicy: "Never", containers: [{ name: "c", image, command: ["sleep", "60"] }] },
    },
    ...spec,
  },
});

export const podsOf = async (world: World, app?: string): Promise<Found[]> =>
  (
    await new Endpoint(world, "v1/pods", namespace).list(
      app === undefined ? {} : { labelSelector: `app=${app}` },
    )
  ).items as Found[];
export const running = async (world: World, app: string): Promise<Found[]> =>
  (await podsOf(world, app)).filter(
    (pod) => pod.status.phase === "Running" && pod.metadata.deletionTimestamp === undefined,
  );
export const runs = (world: World, app: string, count: number): Promise<unknown> =>
  world.wait(
    `${count} pods of ${app} run`,
    async () => (await running(world, app)).length === count,
    600_000,
  );
