import { badRequest, conflict, dns1123LabelErrors } from "@bowline/api";
import { updateObject } from "../generic-registry.ts";
import { withMetadata } from "../metadata.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiated, objectAnswer } from "../../server/answer.ts";
import { parseBody } from "../../server/body.ts";
import type { ServerResponse } from "../../server/request.ts";
import { type VerbContext, writeContext } from "../../server/verb-context.ts";
import { notSupported } from "../../server/verbs/update.ts";
import { type BuiltinRules, fieldReader } from "./builtin-rules.ts";

const nameLabel = "kubernetes.io/metadata.name";

interface NamespaceFields {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

/** Namespaces: a phase, a finalizer of their own in the spec, a label with their name. Source: kubernetes pkg/registry/core/namespace. */
export const namespaceRules: BuiltinRules = {
  name: dns1123LabelErrors,
  fields: { "status.phase": fieldReader("status", "phase"), name: fieldReader("metadata", "name") },
  defaults: (object) => {
    const { name = "", labels } = object.metadata;
    if (name === "" || labels?.[nameLabel] === name) return object;
    return withMetadata(object, { labels: { ...labels, [nameLabel]: name } });
  },
  prepareForCreate: (object) => ({ ...object, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } }),
  prepareForUpdate: (object, old) => ({ ...object, spec: old["spec"], status: old["status"] }) as StoredObject,
  prepareForDelete: (object) => ({ ...object, status: { ...(object as NamespaceFields).status, phase: "Terminating" } }),
  keepsDeleted: (object) => ((object as NamespaceFields).spec?.finalizers?.length ?? 0) > 0,
  subresources: { finalize },
};

/** PUT of spec.finalizers: the namespace controller takes its own away when a namespace is empty. */
async function finalize(context: VerbContext): Promise<ServerResponse> {
  const { request, info, resource } = context;
  if (info.verb !== "update") throw notSupported(context, info.verb);
  const form = negotiated(context);
  const body = parseBody(request).value as unknown as StoredObject & NamespaceFields;
  if (body.metadata?.name !== info.name) throw badRequest("the name of the object does not match the name on the URL");
  const write = writeContext(context, { dryRun: false, fieldManager: "", options: { kind: "UpdateOptions" } });
  const { revision } = await updateObject(resource, write, {
    namespace: info.namespace,
    name: info.name,
    subresource: "finalize",
    strategy: {
      management: resource.strategy.management,
      prepareForUpdate: (object, old) => ({ ...old, metadata: object.metadata, spec: object["spec"] }) as StoredObject,
      validateUpdate: () => ({ errors: [], warnings: [] }),
    },
    createsMissing: false,
    retriesConflicts: true,
    compute: (current) => {
      const version = body.metadata.resourceVersion ?? "";
      if (version !== "" && version !== current?.metadata.resourceVersion) {
        throw conflict({ group: "", resource: "namespaces" }, info.name, "the object has been modified; please apply your changes to the latest version and try again");
      }
      return Promise.resolve({ object: { ...(current as StoredObject), spec: body.spec } as StoredObject, tracked: false });
    },
  });
  return objectAnswer(context, form, { status: 200, revision });
}
