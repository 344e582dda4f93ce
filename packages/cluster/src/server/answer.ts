/** Answers of resource requests in the form that was negotiated. */
import {
  type DeepReadonly,
  type IncludeObject,
  type KubeObject,
  type StatusError,
  type TablePrinter,
  buildTable,
  failure,
  parseIncludeObject,
  typedListMeta,
} from "@bowline/api";
import type { Resource } from "../registry/resource.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import { type Negotiated, type Offer, contentType, negotiate } from "./negotiation.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";
import type { VerbContext } from "./verb-context.ts";

export function offerOf(resource: Resource): Offer {
  return { protobuf: !resource.typedItems, transforms: true };
}

/** How this request's answer goes out. @throws StatusError 406 */
export function negotiated({ request, resource }: VerbContext): Negotiated {
  return negotiate(request.headers["accept"], offerOf(resource), request.query);
}

/** Like `negotiated`, for what has no Table: reviews and requests for tokens, which are never stored. @throws StatusError 406 */
export function negotiatedUnprinted({ request, resource }: VerbContext): Negotiated {
  return negotiate(request.headers["accept"], { ...offerOf(resource), tables: false }, request.query);
}

/** Value of the query `includeObject`. @throws StatusError 400 */
export function includeObject(request: ServerRequest): IncludeObject {
  return parseIncludeObject(request.query.get("includeObject"));
}

/** A single object. */
export function objectAnswer(
  context: VerbContext,
  form: Negotiated,
  answer: { readonly status: number; readonly revision: Revision; readonly printer?: TablePrinter },
): ServerResponse {
  const { revision, status } = answer;
  const headers = { "content-type": contentType(form.encoding) };
  switch (form.transform) {
    case "Table": {
      const metadata = { resourceVersion: revision.object.metadata.resourceVersion ?? "" };
      const printer = answer.printer ?? context.resource.printer;
      const object = tableOf(context, form, { printer, objects: [revision.object], metadata });
      return { kind: "object", status, headers, object };
    }
    case "PartialObjectMetadata":
      return { kind: "object", status, headers, object: partial(revision, form.metaVersion).object };
    case "PartialObjectMetadataList":
      throw notList(context, revision);
    default:
      return { kind: "object", status, headers, object: revision.object, revision };
  }
}

/** What is said to who asks for a list's form of one object: untyped ones are only found out while they are turned. */
function notList({ resource }: VerbContext, { object }: Revision): StatusError {
  const isScale = object.kind === "Scale";
  if (resource.typedItems && !isScale) return failure(500, "", "content is not a list");
  const { group, kind } = resource.api;
  const type = isScale ? "v1.Scale" : `${group.split(".")[0] || "core"}.${kind}`;
  return failure(
    406,
    "NotAcceptable",
    `you requested PartialObjectMetadataList, but the requested object is not a list (*${type})`,
  );
}

/** A list. `items` are revisions as the request's version shows them. */
export function listAnswer(
  context: VerbContext,
  form: Negotiated,
  answer: { readonly items: readonly Revision[]; readonly metadata: Record<string, unknown> },
): ServerResponse {
  const { resource } = context;
  const { items, metadata } = answer;
  const headers = { "content-type": contentType(form.encoding) };
  switch (form.transform) {
    case "Table": {
      const objects = items.map((r) => r.object);
      return {
        kind: "object",
        status: 200,
        headers,
        object: tableOf(context, form, { printer: resource.printer, objects, metadata }),
      };
    }
    case "PartialObjectMetadata": {
      const type = resource.typedItems ? "*unstructured.UnstructuredList" : `*${resource.api.listKind}`;
      throw failure(
        406,
        "NotAcceptable",
        `you requested PartialObjectMetadata, but the requested object is a list (${type})`,
      );
    }
    case "PartialObjectMetadataList": {
      const apiVersion = `meta.k8s.io/${form.metaVersion}`;
      const list = { apiVersion, kind: "PartialObjectMetadataList", metadata: typedListMeta(metadata) };
      // Go writes a list that was never added to as null
      if (items.length === 0)
        return { kind: "object", status: 200, headers, object: { ...list, items: null } };
      return {
        kind: "list",
        status: 200,
        headers,
        list,
        items: items.map((r) => partial(r, form.metaVersion)),
        typedItems: true,
      };
    }
    default: {
      const { group, version, listKind } = resource.api;
      const list = {
        apiVersion: group === "" ? version : `${group}/${version}`,
        kind: listKind,
        // only lists of custom resources, which have no Go type upstream, say that nothing continues
        metadata: resource.typedItems ? metadata : typedListMeta(metadata),
      };
      return { kind: "list", status: 200, headers, list, items, typedItems: resource.typedItems };
    }
  }
}

function tableOf(
  context: VerbContext,
  form: Negotiated,
  given: {
    readonly printer: TablePrinter;
    readonly objects: readonly StoredObject[];
    readonly metadata: Record<string, unknown>;
  },
): unknown {
  return buildTable(given.printer, given.objects as readonly DeepReadonly<KubeObject>[], {
    nowMs: context.ports.clock.now(),
    includeObject: includeObject(context.request),
    version: form.metaVersion,
    metadata: given.metadata,
  });
}

/** Only the metadata of an object. */
export function partial(revision: Revision, version: "v1" | "v1beta1"): Revision {
  return revision.view(`partial/${version}`, (object) =>
    Object.freeze({
      apiVersion: `meta.k8s.io/${version}`,
      kind: "PartialObjectMetadata",
      metadata: object.metadata,
    }),
  );
}

/** Items of built-in lists do not repeat what the list says. */
export function untyped(revision: Revision): Revision {
  return revision.view(
    "untyped",
    ({ apiVersion: _apiVersion, kind: _kind, ...rest }) => Object.freeze(rest) as StoredObject,
  );
}
