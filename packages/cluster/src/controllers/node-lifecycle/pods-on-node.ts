import type { DeepReadonly } from "@bowline/api";
import { Pod } from "@bowline/api/core/v1";
import type { ReconcileContext } from "@bowline/runtime";

const nodeIndex = "node";

/** The pods that are bound to a node, by an index of the cache. */
export function podsOnNode(
  name: string,
  ctx: ReconcileContext<never>,
): Promise<readonly DeepReadonly<Pod>[]> {
  ctx.cache.addIndex(Pod, nodeIndex, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
  return ctx.list(Pod, { index: { name: nodeIndex, value: name } });
}
