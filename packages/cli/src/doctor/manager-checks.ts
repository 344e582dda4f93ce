/** Whether the deployed manager is ready, and whether its Lease is held by somebody who lives. */
import { Lease } from "@bowline/api/coordination/v1";
import { Deployment } from "@bowline/api/apps/v1";
import { Pod } from "@bowline/api/core/v1";
import type { Client } from "@bowline/client";
import { type DeploymentModel, nameOf } from "../manifests/model.ts";
import { isRolledOut, podReasons } from "../manifests/rollout.ts";
import type { Finding } from "./finding.ts";

/** A Lease that was not renewed for so many of its durations is not just late. */
const durationsMax = 4;

/** Undefined when the operator is not deployed. */
export async function checkManager(client: Client, model: DeploymentModel): Promise<Finding[] | undefined> {
  const name = nameOf(model, "controller-manager");
  const deployment = await client.find(Deployment, { namespace: model.namespace, name });
  if (deployment === undefined) return undefined;
  if (isRolledOut(deployment)) return [];
  const reasons = await podReasons(client, model);
  const { readyReplicas = 0 } = deployment.status ?? {};
  const count = `${readyReplicas} of ${deployment.spec?.replicas ?? 1} pods are ready`;
  return [
    {
      check: "manager-not-ready",
      where: `deployment ${model.namespace}/${name}`,
      what: [count, ...reasons].join("; "),
      todo: `kubectl -n ${model.namespace} logs deployment/${name} tells more`,
    },
  ];
}

/** @param now milliseconds since 1970 */
export async function checkLease(client: Client, model: DeploymentModel, now: number): Promise<Finding[]> {
  const name = model.operator.name;
  const lease = await client.find(Lease, { namespace: model.namespace, name });
  const { holderIdentity = "", renewTime, leaseDurationSeconds = 15 } = lease?.spec ?? {};
  if (holderIdentity === "") return [];
  const where = `lease ${model.namespace}/${name}`;
  const silentMs = now - Date.parse(renewTime ?? "1970-01-01T00:00:00Z");
  if (silentMs <= leaseDurationSeconds * 1000) return [];
  // the identity begins with the host name, which in a pod is its name
  const host = holderIdentity.split("_")[0] ?? "";
  const pod = await client.find(Pod, { namespace: model.namespace, name: host });
  const silence = `has not renewed it for ${Math.round(silentMs / 1000)} s`;
  if (pod === undefined || ["Failed", "Succeeded"].includes(pod.status?.phase ?? "")) {
    return [
      {
        check: "lease-dead-holder",
        where,
        what: `${holderIdentity} holds it, ${silence}, and no such pod lives`,
        todo: "another replica takes it over by itself; when none does, none runs: look at the deployment",
      },
    ];
  }
  if (silentMs <= leaseDurationSeconds * 1000 * durationsMax) return [];
  return [
    {
      check: "lease-stuck",
      where,
      what: `${holderIdentity} holds it and ${silence}`,
      todo: `look at its log (kubectl -n ${model.namespace} logs ${host}), then delete the pod`,
    },
  ];
}
