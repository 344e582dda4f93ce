import { type DeepReadonly, type KubeObject, type IncludeObject, badRequest, buildTable } from "@bowline/api";
import { storePrefix } from "../../registry/resource.ts";
import { Compacted } from "../../store/bucket.ts";
import type { Revision } from "../../store/revision.ts";
import type { StoreEvent } from "../../store/watch-hub.ts";
import { includeObject, negotiated, partial } from "../answer.ts";
import { type Negotiated, contentType, notStreamable } from "../negotiation.ts";
import { type ListOptions, parseListOptions, parseResourceVersion } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { selection } from "../selection.ts";
import type { VerbContext } from "../verb-context.ts";
import { type OutgoingEvent, WatchSession } from "../watch-session.ts";
import { tooOld } from "./get.ts";

/** Shortest lifetime of a watch whose client named none, milliseconds; it is drawn between this and twice this. */
const lifetimeMinMs = 1_800_000;

/** Opens a watch of a collection, or of one object through the deprecated `/watch/` paths. */
export function watchObjects(context: VerbContext): ServerResponse {
  const { request, info } = context;
  const form = negotiateWatch(context);
  const options = parseListOptions(request.query, true);
  const name = nameOf(info.name, options);
  const session = openSession(context, form, options, name);
  session.endWith(request.signal);
  // of a negative lifetime nothing is left; a list is no form of one object, so that the first event would end the stream
  if ((options.timeoutMs ?? 0) < 0 || form.transform === "PartialObjectMetadataList") session.close();
  const type = contentType(form.encoding);
  const headers = { "content-type": form.encoding === "protobuf" ? `${type};stream=watch` : type };
  return { kind: "watch", status: 200, headers, encoding: form.encoding, session };
}

function negotiateWatch(context: VerbContext): Negotiated {
  const form = negotiated(context);
  if (form.encoding === "yaml") throw notStreamable();
  return form;
}

function nameOf(pathName: string, options: ListOptions): string | undefined {
  const selected = options.fields.exactMatch("metadata.name");
  if (pathName === "") return selected;
  if (selected !== undefined && selected !== pathName) {
    throw badRequest(`fieldSelector metadata.name=${selected} does not match the requested name ${pathName}`);
  }
  return pathName;
}

function openSession(
  context: VerbContext,
  form: Negotiated,
  options: ListOptions,
  name: string | undefined,
): WatchSession {
  const { resource, info, ports } = context;
  const prefix = storePrefix(resource.api.namespaced, info.namespace);
  const select = selection(resource, options);
  const matches =
    name === undefined
      ? select
      : (object: Revision["object"]) => object.metadata.name === name && (select?.(object) ?? true);
  const start = startOf(options, ports.store.revision);
  const accepts = (event: StoreEvent): boolean => event.key.startsWith(prefix) && event.revision > start.from;
  const initial = start.replay ? resource.bucket.list(prefix) : [];
  try {
    return new WatchSession({
      resource,
      subscription: resource.bucket.subscribe(start.from, accepts),
      matches,
      initial,
      initialEndRevision:
        start.replay && options.sendInitialEvents === true && options.allowWatchBookmarks
          ? start.from
          : undefined,
      bookmarks: options.allowWatchBookmarks,
      currentRevision: () => ports.store.revision,
      clock: ports.clock,
      timeoutMs: options.timeoutMs ?? lifetimeMinMs * (1 + ports.random.next()),
      transform: transformOf(context, form),
    });
  } catch (error) {
    if (error instanceof Compacted) throw tooOld(error.asked, error.compacted);
    throw error;
  }
}

/** From which revision a watch starts, and whether today's objects are sent first. */
function startOf(options: ListOptions, current: number): { from: number; replay: boolean } {
  const asked = parseResourceVersion(options.resourceVersion, 500);
  if (options.sendInitialEvents === true) return { from: current, replay: true };
  if (asked === undefined || asked === 0)
    return { from: current, replay: options.sendInitialEvents === undefined };
  return { from: asked, replay: false };
}

function transformOf(
  context: VerbContext,
  form: Negotiated,
): ((event: OutgoingEvent, first: boolean) => OutgoingEvent) | undefined {
  switch (form.transform) {
    case "Table": {
      const include = includeObject(context.request);
      return (event, first) => tableEvent(context, { ...form, includeObject: include }, event, first);
    }
    case "PartialObjectMetadata":
      return (event) => {
        if (event.revision === undefined) return event;
        const revision = partial(event.revision, form.metaVersion);
        return { type: event.type, object: revision.object, revision };
      };
    default:
      return undefined;
  }
}

function tableEvent(
  context: VerbContext,
  form: Negotiated & { readonly includeObject: IncludeObject },
  event: OutgoingEvent,
  first: boolean,
): OutgoingEvent {
  const { revision } = event;
  if (revision === undefined) return event;
  const bookmark = event.type === "BOOKMARK";
  const object = buildTable(
    context.resource.printer,
    [revision.object] as readonly DeepReadonly<KubeObject>[],
    {
      nowMs: context.ports.clock.now(),
      includeObject: form.includeObject,
      version: form.metaVersion,
      metadata: { resourceVersion: revision.object.metadata.resourceVersion ?? "" },
      withColumns: first && !bookmark,
    },
  );
  return { type: event.type, object, revision: undefined };
}
