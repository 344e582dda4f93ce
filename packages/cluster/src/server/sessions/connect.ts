/**
 * What all requests have in common that connect to a pod: permission, admission, the protocol.
 * Source: k8s.io/apiserver pkg/endpoints/handlers (rest.go ConnectResource), kubernetes pkg/registry/core/pod/rest.
 */
import { badRequest, deepFreeze, failure, forbidden } from "@bowline/api";
import { admissionRequest } from "../../registry/generic-registry.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { ServerRequest } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";

/** Asks admission, and then the authorizer for `create`, whatever the method says. Answers the options as admission leaves them. */
export async function admittedOptions<O extends object>(context: VerbContext, options: O): Promise<O> {
  const { info, resource, ports } = context;
  const write = writeContext(context, { dryRun: false, fieldManager: "", options: undefined });
  const { namespace, name, subresource } = info;
  const about = { operation: "CONNECT" as const, namespace, name, subresource };
  const asked = deepFreeze(options) as unknown as StoredObject;
  const admission = admissionRequest(resource, write, { ...about, object: asked });
  const admitted = (await ports.admission.mutate(admission)) ?? asked;
  await ports.admission.validate({ ...admission, object: admitted });
  if (info.verb !== "create") ensureCreate(context);
  return admitted as unknown as O;
}

/** GET is how browsers open WebSockets: who may only read may not run programs. */
function ensureCreate({ info, request, ports }: VerbContext): void {
  const question = { user: request.user, info: { ...info, verb: "create" }, path: request.path };
  const decision = ports.access.authorizer.authorize(question);
  if (decision.allowed) return;
  throw forbidden({ group: "", resource: info.resource }, info.name, decision.reason);
}

/** How a client wants to talk: over a WebSocket or over SPDY, with one of these protocols. */
export interface AskedUpgrade {
  readonly kind: "socket" | "spdy";
  readonly offered: readonly string[];
}

/** @throws StatusError 400 for a request that asks for no upgrade */
export function askedUpgrade({ headers }: ServerRequest): AskedUpgrade {
  const upgrade = (headers["upgrade"] ?? "").toLowerCase();
  const listed = (name: string): string[] =>
    (headers[name] ?? "")
      .split(",")
      .map((text) => text.trim())
      .filter((text) => text !== "");
  if (upgrade === "websocket") return { kind: "socket", offered: listed("sec-websocket-protocol") };
  if (upgrade === "spdy/3.1") return { kind: "spdy", offered: listed("x-stream-protocol-version") };
  throw badRequest("Upgrade request required");
}

/** The first protocol that both sides speak. @throws StatusError 403 when there is none */
export function agreedProtocol({ offered }: AskedUpgrade, supported: readonly string[]): string {
  const found = offered.find((protocol) => supported.includes(protocol));
  if (found !== undefined) return found;
  if (offered.length === 0 && supported.includes("")) return "";
  const why = `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(" ")}], server accepts [${supported.join(" ")}]`;
  throw failure(403, "Forbidden", why, {});
}
