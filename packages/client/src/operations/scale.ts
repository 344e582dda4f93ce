import type { DeepReadonly } from "@bowline/api";
import type { Scale } from "@bowline/api/autoscaling/v1";
import type { Client } from "../client.ts";
import type { KeyLike, KindLike } from "../kind-like.ts";
import type { CallOptions, PatchOptions } from "../verb-options.ts";

/** How many replicas a scalable object wants and has. @throws like `client.get` */
export function getScale(
  client: Client,
  kind: KindLike,
  key: KeyLike,
  options: CallOptions = {},
): Promise<DeepReadonly<Scale>> {
  return client.get(kind, key, { ...options, subresource: "scale" }) as Promise<DeepReadonly<Scale>>;
}

/** Sets how many replicas a scalable object shall have, whatever field of its kind that is. @throws like `client.patch` */
export function setScale(
  client: Client,
  kind: KindLike,
  key: KeyLike,
  replicas: number,
  options: PatchOptions = {},
): Promise<DeepReadonly<Scale>> {
  const patch = { merge: { spec: { replicas } } };
  return client.patch(kind, key, patch, { ...options, subresource: "scale" }) as Promise<DeepReadonly<Scale>>;
}
