import type { Client } from "../client.ts";
import type { KeyLike } from "../kind-like.ts";
import { type AnyKind, objectPath } from "../resource-request.ts";

/** What the paths of pods and service accounts need to know: these operations work without any built-in kind being loaded. */
function coreResource(kind: string, plural: string): AnyKind {
  return {
    group: "",
    version: "v1",
    apiVersion: "v1",
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: [],
    categories: [],
    scope: "Namespaced",
  };
}

const pods = coreResource("Pod", "pods");
const serviceAccounts = coreResource("ServiceAccount", "serviceaccounts");

/** @throws InvalidCallError */
export function podPath(client: Client, pod: KeyLike, subresource: string): string {
  return objectPath(pods, pod, client.defaults, subresource);
}

/** @throws InvalidCallError */
export function serviceAccountPath(client: Client, account: KeyLike, subresource: string): string {
  return objectPath(serviceAccounts, account, client.defaults, subresource);
}
