/** Waits until a deployed manager works, and says why it does not. */
import { Pod } from "@bowline/api/core/v1";
import { Deployment } from "@bowline/api/apps/v1";
import type { DeepReadonly } from "@bowline/api";
import type { Client } from "@bowline/client";
import { waitFor } from "@bowline/testing";
import { CommandError } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { type DeploymentModel, nameOf, podLabels } from "./model.ts";

/** @throws CommandError when its pods are not ready in time, with what keeps them */
export async function waitForManager(
  client: Client,
  model: DeploymentModel,
  timeoutMs: number,
  output: Output,
): Promise<void> {
  const key = `${model.namespace}/${nameOf(model, "controller-manager")}`;
  try {
    const ready = await waitFor(client, Deployment, key, { until: isRolledOut, timeoutMs });
    output.write(`deployment ${key} is available: ${ready?.status?.readyReplicas ?? 0} ready\n`);
  } catch (cause) {
    const reasons = await podReasons(client, model);
    throw new CommandError(
      `deployment ${key} is not available after ${timeoutMs / 1000} s${reasons.map((reason) => `\n  ${reason}`).join("")}`,
      reasons.length === 0 ? { cause } : {},
    );
  }
}

/** As `kubectl rollout status` sees it: the newest template is everywhere, and every pod is available. */
export function isRolledOut(deployment: DeepReadonly<Deployment> | undefined): boolean {
  const { metadata, spec, status } = deployment ?? {};
  const replicas = spec?.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 1) &&
    status?.updatedReplicas === replicas &&
    status.availableReplicas === replicas &&
    status.replicas === replicas
  );
}

/** `pod shop-controller-manager-5c9f: manager ImagePullBackOff: cannot pull`. */
export async function podReasons(client: Client, model: DeploymentModel): Promise<string[]> {
  const labelSelector = Object.entries(podLabels(model))
    .map(([name, value]) => `${name}=${value}`)
    .join(",");
  const { items } = await client.list(Pod, { namespace: model.namespace, labelSelector });
  return items.flatMap(({ metadata, status }) => {
    const waiting = (status?.containerStatuses ?? []).flatMap(({ name, state }) => {
      const { reason, message } = state?.waiting ?? state?.terminated ?? {};
      return reason === undefined ? [] : [[`${name} ${reason}`, message].filter(Boolean).join(": ")];
    });
    const held = (status?.conditions ?? []).flatMap(({ status: is, type, reason, message }) =>
      is === "False" && type === "PodScheduled" ? [[reason, message].filter(Boolean).join(": ")] : [],
    );
    return [...held, ...waiting].map((text) => `pod ${metadata.name}: ${text}`);
  });
}
