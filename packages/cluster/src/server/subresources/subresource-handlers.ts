import type { Resource } from "../../registry/resource.ts";
import type { ServerResponse } from "../request.ts";
import { attachToPod, execInPod } from "../sessions/container-session.ts";
import { readPodLog } from "../sessions/pod-log.ts";
import { forwardPorts } from "../sessions/port-forward.ts";
import type { VerbContext } from "../verb-context.ts";
import { bindPod } from "./binding.ts";
import { evictPod } from "./eviction.ts";
import { requestToken } from "./service-account-token.ts";

/** Answers the requests of one subresource. @throws StatusError 405 for verbs that it does not have */
export type SubresourceHandler = (context: VerbContext) => Promise<ServerResponse>;

/** Subresources with handlers of their own, by `group/plural/name`. Status and scale are generic. */
const handlers: Readonly<Record<string, SubresourceHandler>> = {
  "/pods/attach": attachToPod,
  "/pods/binding": bindPod,
  "/pods/eviction": evictPod,
  "/pods/exec": execInPod,
  "/pods/log": readPodLog,
  "/pods/portforward": forwardPorts,
  "/serviceaccounts/token": requestToken,
};

export function subresourceHandler(resource: Resource, name: string): SubresourceHandler | undefined {
  return resource.typedItems ? undefined : handlers[`${resource.api.group}/${resource.api.plural}/${name}`];
}
