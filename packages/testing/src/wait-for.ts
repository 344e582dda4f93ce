import { type AnyKind, type DeepReadonly, type KindOf, isExpired } from "@bowline/api";
import type { Client } from "@bowline/client";

export interface WaitForOptions<T> {
  /** Called with the object, or undefined when there is none, at first and after every change. */
  readonly until: (object: DeepReadonly<T> | undefined) => boolean;
  /** Ends the sentence of the error: `applications default/a did not <what> within 10000 ms`. Default `meet the condition`. */
  readonly what?: string;
  /** Default 10,000. On a virtual clock the time is virtual. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Waits until an object meets a condition, and gives the object as it is then (undefined when there is none). Watches, never
 * polls: it wakes when the object changes.
 * @param key `name` or `namespace/name`
 * @throws Error with the object's last state when the time is over
 */
export async function waitFor<K extends AnyKind>(
  client: Client,
  kind: K,
  key: string,
  options: WaitForOptions<KindOf<K>>,
): Promise<DeepReadonly<KindOf<K>> | undefined> {
  const [name = "", namespace] = key.split("/").reverse();
  const timeoutMs = options.timeoutMs ?? 10_000;
  const over = new AbortController();
  const timer = client.clock.setTimer(timeoutMs, () => over.abort());
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([over.signal, options.signal]);
  let last: DeepReadonly<KindOf<K>> | undefined;
  try {
    for (;;) {
      const found = await follow(client, kind, { name, namespace, signal }, (object) => {
        last = object;
        return options.until(object);
      });
      if (found) return last;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!over.signal.aborted) throw error;
    const state =
      last === undefined ? "it does not exist" : `its last state: ${JSON.stringify(last, undefined, 2)}`;
    const what = options.what ?? "meet the condition";
    throw new Error(`${kind.plural} ${key} did not ${what} within ${timeoutMs} ms; ${state}`, {
      cause: error,
    });
  } finally {
    timer.cancel();
  }
}

/** Follows one object until `met`; false when the watch ended before. */
async function follow<K extends AnyKind>(
  client: Client,
  kind: K,
  at: { readonly name: string; readonly namespace: string | undefined; readonly signal: AbortSignal },
  met: (object: DeepReadonly<KindOf<K>> | undefined) => boolean,
): Promise<boolean> {
  const { name, namespace, signal } = at;
  const scope = {
    fieldSelector: `metadata.name=${name}`,
    signal,
    ...(namespace === undefined ? {} : { namespace }),
  };
  const list = await client.list(kind, scope as never);
  if (met((list as unknown as { items: DeepReadonly<KindOf<K>>[] }).items[0])) return true;
  const { resourceVersion = "" } = (list as unknown as { metadata: { resourceVersion?: string } }).metadata;
  try {
    for await (const event of await client.watch(kind, { ...scope, resourceVersion } as never)) {
      if (event.type === "BOOKMARK") continue;
      if (met(event.type === "DELETED" ? undefined : (event.object as DeepReadonly<KindOf<K>>))) return true;
    }
    signal.throwIfAborted();
  } catch (error) {
    if (!isExpired(error)) throw error;
  }
  return false;
}
