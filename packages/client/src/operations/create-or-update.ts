import { type ValueObject, createMergePatch, isAlreadyExists, isNotFound, jsonEqual } from "@bowline/api";
import type { Client } from "../client.ts";
import type { KeyLike, KindLike, MergePatchOf, ReadOf, WriteOf } from "../kind-like.ts";
import type { WriteOptions } from "../verb-options.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";

/** What became of the object. */
export interface Outcome<T> {
  readonly object: T;
  readonly result: "created" | "updated" | "unchanged";
}

/**
 * Reads an object and creates or updates it to what `desired` makes of it; sends nothing when that is what is there. A
 * conflict, and a create that comes second, start over. Prefer `client.apply`, unless others' fields matter for yours.
 * Source: controller-runtime pkg/controller/controllerutil CreateOrUpdate.
 * @param desired pure; given undefined when there is no such object; must keep name and namespace
 */
export function createOrUpdate<K extends KindLike>(
  client: Client,
  kind: K,
  key: KeyLike,
  desired: (current: ReadOf<K> | undefined) => WriteOf<K>,
  options: WriteOptions = {},
): Promise<Outcome<ReadOf<K>>> {
  return startingOver(client, options, async () => {
    const { signal } = options;
    const current = await client.find(kind, key, { signal });
    const wanted = desired(current);
    if (current === undefined)
      return { object: await client.create(kind, wanted, options), result: "created" };
    if (jsonEqual(current, withKindOf(current, wanted))) return { object: current, result: "unchanged" };
    return { object: await client.update(kind, wanted, options), result: "updated" };
  });
}

/**
 * Like `createOrUpdate`, but sends only what changed, as a merge patch, and the status separately when it changed as well
 * and the kind keeps it in a subresource. Nothing is locked: fields that others write meanwhile stay as they are.
 * Source: controller-runtime pkg/controller/controllerutil CreateOrPatch.
 */
export function createOrPatch<K extends KindLike>(
  client: Client,
  kind: K,
  key: KeyLike,
  desired: (current: ReadOf<K> | undefined) => WriteOf<K>,
  options: WriteOptions = {},
): Promise<Outcome<ReadOf<K>>> {
  return startingOver(client, options, async () => {
    const current = await client.find(kind, key, { signal: options.signal });
    const wanted = desired(current);
    if (current === undefined)
      return { object: await client.create(kind, wanted, options), result: "created" };
    const { status, ...rest } = createMergePatch(
      current as unknown as ValueObject,
      withKindOf(current, wanted),
    );
    let object: ReadOf<K> = current;
    const send = async (patch: object, subresource?: string): Promise<void> => {
      object = await client.patch(
        kind,
        key,
        { merge: patch as MergePatchOf<K> },
        { ...options, subresource },
      );
    };
    if (Object.keys(rest).length > 0) await send(rest);
    if (status !== undefined) await send({ status }, "status");
    return { object, result: object === current ? "unchanged" : "updated" };
  });
}

async function startingOver<T>(client: Client, options: WriteOptions, attempt: () => Promise<T>): Promise<T> {
  const { signal } = options;
  const once = async (): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      // Somebody created it after we looked, or deleted it: look again, once.
      if (isAlreadyExists(error) || isNotFound(error)) return attempt();
      throw error;
    }
  };
  return retryOnConflict(client, once, { signal });
}

/** The wanted object with the apiVersion and kind that a write may leave out. */
function withKindOf(current: unknown, wanted: unknown): ValueObject {
  const { apiVersion, kind } = current as { apiVersion: string; kind: string };
  return { apiVersion, kind, ...(wanted as ValueObject) };
}
