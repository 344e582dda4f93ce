import { badRequest, conflict } from "@bowline/api";
import { updateObject } from "../../registry/generic-registry.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../answer.ts";
import { decodeObject } from "../decode-object.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { notSupported } from "../verbs/update.ts";

/** PUT of spec.finalizers: the namespace controller takes its own away when a namespace is empty. */
export async function finalizeNamespace(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource } = context;
  if (info.verb !== "update") throw notSupported(context, info.verb);
  const form = negotiated(context);
  const body = decodeObject(request, resource, { fieldValidation: "Ignore", warn: () => {} });
  if (body.metadata.name !== info.name)
    throw badRequest("the name of the object does not match the name on the URL");
  const write = writeContext(context, {
    dryRun: false,
    fieldManager: "",
    options: { kind: "UpdateOptions" },
  });
  const { revision } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: "finalize",
    strategy: {
      management: resource.strategy.management,
      prepareForUpdate: (object, old) =>
        ({ ...old, metadata: object.metadata, spec: object["spec"] }) as StoredObject,
      validateUpdate: () => ({ errors: [], warnings: [] }),
    },
    createsMissing: false,
    retriesConflicts: true,
    compute: (current) => {
      const version = body.metadata.resourceVersion ?? "";
      if (version !== "" && version !== current?.metadata.resourceVersion) {
        throw conflict(
          { group: "", resource: "namespaces" },
          info.name,
          "the object has been modified; please apply your changes to the latest version and try again",
        );
      }
      return Promise.resolve({
        object: { ...(current as StoredObject), spec: body["spec"] } as StoredObject,
        tracked: false,
      });
    },
  });
  return objectAnswer(context, form, { status: 200, revision });
}
