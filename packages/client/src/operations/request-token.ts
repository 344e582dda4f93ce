import type { DeepReadonly } from "@bowline/api";
import type { Client } from "../client.ts";
import type { KeyLike } from "../kind-like.ts";
import { send } from "../send.ts";
import type { CallOptions } from "../verb-options.ts";
import { serviceAccountPath } from "./pod-resource.ts";

export interface RequestTokenOptions extends CallOptions {
  /** Who shall accept it. Default: the API server. */
  readonly audiences?: readonly string[] | undefined;
  /** At least 600. Default: the server's choice, an hour. */
  readonly expirationSeconds?: number | undefined;
  /** The token ends with this object. */
  readonly boundObjectRef?:
    | { readonly apiVersion?: string; readonly kind?: string; readonly name?: string; readonly uid?: string }
    | undefined;
}

export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Has the server issue a token for a service account. Source: authentication.k8s.io/v1 TokenRequest. @throws StatusError */
export async function requestToken(
  client: Client,
  serviceAccount: KeyLike,
  options: RequestTokenOptions = {},
): Promise<IssuedToken> {
  const { signal, audiences = [], expirationSeconds, boundObjectRef } = options;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: { audiences, expirationSeconds, boundObjectRef },
  };
  const path = serviceAccountPath(client, serviceAccount, "token");
  const request = { method: "POST", path, body, ...(signal && { signal }) } as const;
  const answer = await send<DeepReadonly<{ status: IssuedToken }>>(client, request);
  return answer.body.status;
}
