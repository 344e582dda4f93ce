import type { Client } from "../client.ts";
import { type KeyLike } from "../kind-like.ts";
import { deleteBody } from "../resource-request.ts";
import { send } from "../send.ts";
import type { DeleteOptions } from "../verb-options.ts";
import { podPath } from "./pod-resource.ts";

/**
 * Asks for a pod to be deleted, which disruption budgets may refuse.
 * @throws StatusError: `isTooManyRequests` when a budget does not allow it now, `isNotFound`
 */
export async function evict(client: Client, pod: KeyLike, options: DeleteOptions = {}): Promise<void> {
  const { name, namespace } = "metadata" in pod ? pod.metadata : pod;
  const { kind: _kind, apiVersion: _version, ...deleteOptions } = deleteBody(options, client.defaults);
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
  const { signal } = options;
  const path = podPath(client, pod, "eviction");
  await send(client, { method: "POST", path, body, ...(signal && { signal }) });
}
