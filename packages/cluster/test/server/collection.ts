import type { ApiResponse, Transport, WatchEvent } from "@bowline/client";

export const configMaps = "/api/v1/namespaces/default/configmaps";

export interface Item {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly data?: Readonly<Record<string, string>>;
}

export interface List {
  readonly items: readonly Item[];
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
}

export async function create(
  transport: Transport,
  name: string,
  labels?: Record<string, string>,
): Promise<Item> {
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...(labels && { labels }) } };
  return (await transport.request<Item>({ method: "POST", path: configMaps, body })).body;
}

export async function list(transport: Transport, query: Record<string, string> = {}): Promise<List> {
  return (await transport.request<List>({ method: "GET", path: configMaps, query })).body;
}

export function mergePatch(transport: Transport, name: string, body: unknown): Promise<ApiResponse<Item>> {
  const headers = { "content-type": "application/merge-patch+json" };
  return transport.request<Item>({ method: "PATCH", path: `${configMaps}/${name}`, headers, body });
}

export async function remove(transport: Transport, name: string): Promise<void> {
  await transport.request({ method: "DELETE", path: `${configMaps}/${name}` });
}

/** The events of a watch up to and including the first that `isLast`; the watch is closed then. */
export async function eventsUntil(
  transport: Transport,
  query: Record<string, string>,
  isLast: (event: WatchEvent<Item>) => boolean,
): Promise<WatchEvent<Item>[]> {
  const watch = await transport.watch<Item>({
    method: "GET",
    path: configMaps,
    query: { watch: "true", ...query },
  });
  const events: WatchEvent<Item>[] = [];
  try {
    for await (const batch of watch) {
      for (const event of batch) {
        events.push(event);
        if (isLast(event)) return events;
      }
    }
  } finally {
    watch.close();
  }
  return events;
}

/** What a request was refused with. */
export async function refusal(
  promise: Promise<unknown>,
): Promise<{ code: number; reason: string; message: string; status: never }> {
  try {
    await promise;
  } catch (error) {
    return error as never;
  }
  throw new Error("the request was not refused");
}
