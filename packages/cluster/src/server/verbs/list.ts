import { type StatusError, expired } from "@bowline/api";
import { storePrefix } from "../../registry/resource.ts";
import { Compacted } from "../../store/bucket.ts";
import type { Revision, StoredObject } from "../../store/revision.ts";
import { listAnswer, negotiated } from "../answer.ts";
import { decodeContinueToken, encodeContinueToken } from "../continue-token.ts";
import { type ListOptions, parseListOptions, parseResourceVersion } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { selectedNamespace, selection } from "../selection.ts";
import type { VerbContext } from "../verb-context.ts";
import { tooLarge, tooOld } from "./get.ts";

/** GET of a collection. @throws StatusError 400, 410, 422, 504 */
export async function listObjects(context: VerbContext): Promise<ServerResponse> {
  const form = negotiated(context);
  const options = parseListOptions(context.request.query, false);
  const page = await readPage(context, options);
  return listAnswer(context, form, page);
}

export interface Page {
  readonly items: readonly Revision[];
  readonly metadata: { resourceVersion: string; continue: string; remainingItemCount?: number };
}

/** The part of a collection that list options ask for, as the request's version shows it. */
export async function readPage(context: VerbContext, options: ListOptions): Promise<Page> {
  const { resource, info } = context;
  const matches = selection(resource, options);
  const namespace = selectedNamespace(resource, info.namespace, options);
  const prefix = storePrefix(resource.api.namespaced, namespace);
  const state = readState(context, options, prefix);
  const from = state.after === undefined ? 0 : firstAfter(state.items, state.after);
  const limit = state.limit;
  if (matches === undefined) return wholePage(context, { ...state, from, limit, prefix });
  const items: Revision[] = [];
  let at = from;
  for (; at < state.items.length && (limit === 0 || items.length < limit); at++) {
    const revision = state.items[at] as Revision;
    const [seen] = await resource.see([revision]);
    if (seen !== undefined && matches(seen.object as StoredObject)) items.push(seen);
  }
  const last = state.items[at - 1];
  const more = at < state.items.length && last !== undefined;
  return {
    items,
    metadata: {
      resourceVersion: String(state.revision),
      continue: more ? token(state, last.key, prefix) : "",
    },
  };
}

interface State {
  readonly items: readonly Revision[];
  /** What the list's resourceVersion says. */
  readonly revision: number;
  readonly limit: number;
  /** Store key that the page starts after. */
  readonly after: string | undefined;
}

async function wholePage(
  context: VerbContext,
  state: State & { readonly from: number; readonly prefix: string },
): Promise<Page> {
  const { from, limit, items: all } = state;
  const end = limit === 0 ? all.length : Math.min(all.length, from + limit);
  const items = await context.resource.see(from === 0 && end === all.length ? all : all.slice(from, end));
  const last = all[end - 1];
  const more = end < all.length && last !== undefined;
  return {
    items,
    metadata: {
      resourceVersion: String(state.revision),
      continue: more ? token(state, last.key, state.prefix) : "",
      ...(more ? { remainingItemCount: all.length - end } : {}),
    },
  };
}

function token(state: State, lastKey: string, prefix: string): string {
  return encodeContinueToken({ revision: state.revision, after: lastKey.slice(prefix.length) });
}

function firstAfter(items: readonly Revision[], after: string): number {
  const at = items.findIndex((r) => r.key > after);
  return at < 0 ? items.length : at;
}

/** The state that a list is answered from: today's, or that of an exact resourceVersion or a continue token. */
function readState(context: VerbContext, options: ListOptions, prefix: string): State {
  const { store } = context.ports;
  const { bucket } = context.resource;
  const asked = parseResourceVersion(options.resourceVersion, 400);
  if (options.continueToken !== "") return continued(context, options, prefix, asked);
  const today = (): State => ({
    items: bucket.list(prefix),
    revision: store.revision,
    limit: asked === 0 ? 0 : options.limit,
    after: undefined,
  });
  if (asked === undefined || asked === 0) return today();
  const exact =
    options.resourceVersionMatch === "Exact" || (options.resourceVersionMatch === "" && options.limit > 0);
  if (asked > store.revision) throw tooLarge(asked, store.revision);
  if (!exact) return today();
  try {
    return { items: bucket.listAt(asked, prefix), revision: asked, limit: options.limit, after: undefined };
  } catch (error) {
    if (error instanceof Compacted) throw tooOld(asked, error.compacted);
    throw error;
  }
}

function continued(
  context: VerbContext,
  options: ListOptions,
  prefix: string,
  asked: number | undefined,
): State {
  const { bucket } = context.resource;
  const { store } = context.ports;
  const from = decodeContinueToken(options.continueToken);
  const after = prefix + from.after;
  const limit = asked === 0 ? 0 : options.limit;
  if (from.revision < 0) return { items: bucket.list(prefix), revision: store.revision, limit, after };
  try {
    return { items: bucket.listAt(from.revision, prefix), revision: from.revision, limit, after };
  } catch (error) {
    if (error instanceof Compacted)
      throw expiredToken(encodeContinueToken({ revision: -1, after: from.after }));
    throw error;
  }
}

/** A token whose state is compacted; the answer carries one that goes on in today's state. */
function expiredToken(fresh: string): StatusError {
  const error = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
  (error.status.metadata as Record<string, unknown>)["continue"] = fresh;
  return error;
}
