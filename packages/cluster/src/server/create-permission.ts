import { forbidden } from "@bowline/api";
import { refusal } from "../access/authorization.ts";
import { resourceName } from "../registry/generic-registry.ts";
import type { VerbContext } from "./verb-context.ts";

/**
 * A patch or an update that makes a new object needs the permission to create, too.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/create.go (withAuthorization).
 * @throws StatusError 403
 */
export function requireCreatePermission({ ports, request, info, resource }: VerbContext): void {
  const { authorizer, recorder } = ports.access;
  const question = { user: request.user, info: { ...info, verb: "create" }, path: request.path };
  const decision = authorizer.authorize(question);
  recorder.observe(question, { userAgent: request.headers["user-agent"], allowed: decision.allowed });
  if (!decision.allowed) throw forbidden(resourceName(resource), info.name, refusal(question, decision));
}
