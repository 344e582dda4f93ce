import { DecodeError, badRequest } from "@bowline/api";
import type { DeleteOptions } from "../../registry/delete-options.ts";
import { type Deleted, deleteObject } from "../../registry/delete-object.ts";
import type { Revision } from "../../store/revision.ts";
import { listAnswer, negotiated, objectAnswer } from "../answer.ts";
import { bodyFormat, hasBody, parseBody } from "../body.ts";
import { parseDeleteOptions } from "../delete-options.ts";
import { type Negotiated, contentType } from "../negotiation.ts";
import { type ListOptions, parseListOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { readPage } from "./list.ts";

/** DELETE of one object. */
export async function deleteFromRequest(context: VerbContext): Promise<ServerResponse> {
  const { info, resource } = context;
  const form = negotiated(context);
  const options = readOptions(context);
  const deleted = await deleteObject(resource, deleteContext(context, options), {
    namespace: info.namespace,
    name: info.name,
    options,
  });
  if (!deleted.gone) {
    const status = options.orphanDependents === false ? 202 : 200;
    return objectAnswer(context, form, { status, revision: deleted.revision });
  }
  if (answersDeleted(context))
    return objectAnswer(context, form, { status: 200, revision: deleted.revision });
  return goneAnswer(context, form, deleted);
}

/** Built-in resources whose delete answers the object that is gone. Source: kubernetes pkg/registry (ReturnDeletedObject). */
const answeringDeleted: ReadonlySet<string> = new Set([
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/pods",
  "/podtemplates",
  "/resourcequotas",
  "/serviceaccounts",
  "/services",
  "storage.k8s.io/storageclasses",
]);

function answersDeleted({ resource }: VerbContext): boolean {
  return !resource.typedItems && answeringDeleted.has(`${resource.api.group}/${resource.api.plural}`);
}

/** DELETE of a collection: answers what it deleted, as it was before. */
export async function deleteCollection(context: VerbContext): Promise<ServerResponse> {
  const { request, info } = context;
  const form = negotiated(context);
  const listOptions = parseListOptions(request.query, false);
  const options = readOptions(context);
  const page = await readPage(context, paged(listOptions));
  const write = deleteContext(context, options);
  for (const revision of page.items) {
    await deleteIfThere(context, write, { revision, options, namespace: info.namespace });
  }
  return listAnswer(context, form, page);
}

/** Without a limit the collection is read page by page, and so exactly at a resourceVersion that was given. */
function paged(options: ListOptions): ListOptions {
  const exact = options.limit === 0 && !["", "0"].includes(options.resourceVersion);
  return exact && options.resourceVersionMatch === ""
    ? { ...options, resourceVersionMatch: "Exact" }
    : options;
}

async function deleteIfThere(
  context: VerbContext,
  write: ReturnType<typeof writeContext>,
  given: { readonly revision: Revision; readonly options: DeleteOptions; readonly namespace: string },
): Promise<void> {
  const { name = "", namespace = "" } = given.revision.object.metadata;
  try {
    await deleteObject(context.resource, write, { namespace, name, options: given.options });
  } catch (error) {
    // gone meanwhile is what was wanted
    if ((error as { reason?: string }).reason !== "NotFound") throw error;
  }
}

function deleteContext(context: VerbContext, options: DeleteOptions): ReturnType<typeof writeContext> {
  return writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: "",
    options: {
      kind: "DeleteOptions",
      apiVersion: "meta.k8s.io/v1",
      ...options,
      dryRun: options.dryRun ? ["All"] : undefined,
    },
  });
}

function readOptions(context: VerbContext): DeleteOptions {
  const { request } = context;
  if (!hasBody(request)) return parseDeleteOptions(undefined, request.query);
  try {
    return parseDeleteOptions(parseBody(request).value, request.query);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const json = bodyFormat(request) === "json";
    throw badRequest(`${json ? "couldn't get version/kind; json parse error: " : ""}${error.message}`);
  }
}

/** The Status that answers a delete after which nothing is left. */
function goneAnswer(context: VerbContext, form: Negotiated, deleted: Deleted): ServerResponse {
  const { api } = context.resource;
  const { name = "", uid = "" } = deleted.revision.object.metadata;
  const object = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name, ...(api.group === "" ? {} : { group: api.group }), kind: api.plural, uid },
  };
  return {
    kind: "object",
    status: 200,
    headers: { "content-type": contentType(form.encoding) },
    object: Object.freeze(object),
  };
}
