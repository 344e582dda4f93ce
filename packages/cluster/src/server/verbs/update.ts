import { badRequest, failure, methodNotSupported, notFound } from "@bowline/api";
import { resourceName, updateObject } from "../../registry/generic-registry.ts";
import type { WriteStrategy } from "../../registry/strategy.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { requireCreatePermission } from "../create-permission.ts";
import { decodeObject } from "../decode-object.ts";
import { parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { inNamespace, optionsObject } from "./create.ts";

/** PUT of an object or of its status. */
export async function updateFromRequest(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource, warnings } = context;
  if (info.name === "") throw badRequest("name must be provided");
  const form = negotiated(context);
  const options = parseWriteOptions(request.query, "UpdateOptions");
  const decoded = decodeObject(request, resource, {
    fieldValidation: options.fieldValidation,
    warn: (text) => void warnings.add(text),
  });
  checkName(decoded, info.name);
  const object = inNamespace(context, decoded, info.namespace);
  const write = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const { revision, created } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: info.subresource,
    strategy: endpointStrategy(context),
    createsMissing: resource.strategy.allowCreateOnUpdate === true && info.subresource === "",
    retriesConflicts: (object.metadata.resourceVersion ?? "") === "",
    compute: async (current) => {
      if (current === undefined) requireCreatePermission(context);
      return { object, tracked: false };
    },
  });
  return objectAnswer(context, form, { status: created ? 201 : 200, revision });
}

/** The strategy of the path's endpoint. @throws StatusError 404 for a subresource that the kind does not have */
export function endpointStrategy(context: VerbContext): WriteStrategy {
  const { info, resource } = context;
  if (info.subresource === "") return resource.strategy;
  if (info.subresource === "status" && resource.status !== undefined) return resource.status;
  const endpoint = resource.endpoints?.get(info.subresource);
  if (endpoint !== undefined) return endpoint;
  throw missingSubresource(context);
}

export function missingSubresource(context: VerbContext): Error {
  if (!context.resource.typedItems)
    return failure(404, "NotFound", "the server could not find the requested resource", {});
  return notFound(resourceName(context.resource), context.info.name);
}

export function notSupported(context: VerbContext, verb: string): Error {
  return methodNotSupported(resourceName(context.resource), verb);
}

/** @throws StatusError 400 when an object is not the one that the path names */
export function checkName(object: StoredObject, name: string): void {
  const own = object.metadata.name ?? "";
  if (own === "") {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
}
