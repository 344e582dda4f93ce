import { badRequest } from "@bowline/api";
import { createObject } from "../../registry/generic-registry.ts";
import { withMetadata } from "../../registry/metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { decodeObject } from "../decode-object.ts";
import { parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";

/** POST to a collection. */
export async function createFromRequest(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource, warnings } = context;
  const form = negotiated(context);
  const options = parseWriteOptions(request.query, "CreateOptions");
  const decoded = decodeObject(request, resource, {
    fieldValidation: options.fieldValidation,
    warn: (text) => void warnings.add(text),
  });
  const object = inNamespace(context, decoded, info.namespace);
  const write = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const revision = await createObject(resource, write, { namespace: info.namespace, object });
  return objectAnswer(context, form, { status: 201, revision });
}

/** The object with the namespace of its path. @throws StatusError 400 when it names another one */
export function inNamespace(context: VerbContext, object: StoredObject, namespace: string): StoredObject {
  const own = object.metadata.namespace ?? "";
  if (!context.resource.api.namespaced)
    return own === "" ? object : withMetadata(object, { namespace: undefined });
  if (own === namespace) return object;
  if (own !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  return withMetadata(object, { namespace });
}

/** Write options as webhooks and audit see them. */
export function optionsObject(options: {
  dryRun: boolean;
  fieldManager: string;
  fieldValidation: string;
}): object {
  return {
    ...(options.dryRun ? { dryRun: ["All"] } : {}),
    ...(options.fieldManager === "" ? {} : { fieldManager: options.fieldManager }),
    fieldValidation: options.fieldValidation,
  };
}
