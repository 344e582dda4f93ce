import { badRequest, expired, failure, notFound, pathSegmentNameErrors, quote } from "@bowline/api";
import { resourceName } from "../../registry/generic-registry.ts";
import { seeOne, storeKey } from "../../registry/resource.ts";
import type { Revision } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { parseResourceVersion } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";

/** GET of one object. @throws StatusError 404 */
export async function getObject(context: VerbContext): Promise<ServerResponse> {
  const form = negotiated(context);
  const version = parseResourceVersion(context.request.query.get("resourceVersion") ?? "", 500);
  if (version !== undefined && version > context.ports.store.revision)
    throw tooLarge(version, context.ports.store.revision);
  return objectAnswer(context, form, {
    status: 200,
    revision: await seeOne(context.resource, stored(context)),
  });
}

/** The stored revision that the path names. @throws StatusError 404 */
export function stored(context: VerbContext): Revision {
  const { info, resource } = context;
  const problems = pathSegmentNameErrors(info.name);
  if (problems.length > 0)
    throw badRequest(`Name parameter invalid: ${quote(info.name)}: ${problems.join(";")}`);
  const revision = resource.bucket.get(storeKey(resource.api.namespaced, info.namespace, info.name));
  if (revision === undefined) throw notFound(resourceName(resource), info.name);
  return revision;
}

/** The answer to a resourceVersion that the store has not reached. */
export function tooLarge(asked: number, current: number): Error {
  return failure(504, "Timeout", `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

/** The answer to a resourceVersion that has been compacted. */
export function tooOld(asked: number, current: number): Error {
  return expired(`too old resource version: ${asked} (${current})`);
}
