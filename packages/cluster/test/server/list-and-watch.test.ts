import type { Transport } from "@bowline/client";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import {
  type Item,
  type List,
  configMaps,
  create,
  eventsUntil,
  list,
  mergePatch,
  refusal,
  remove,
} from "./collection.ts";

let cluster: Cluster;
let transport: Transport;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false });
  transport = cluster.transport();
});
afterEach(() => cluster.close());

function names(page: List): string[] {
  return page.items.map((item) => item.metadata.name);
}

async function pages(limit: number, query: Record<string, string> = {}): Promise<List[]> {
  const found: List[] = [];
  let token = "";
  do {
    const page = await list(transport, { ...query, limit: String(limit), ...(token && { continue: token }) });
    found.push(page);
    token = page.metadata.continue ?? "";
  } while (token !== "");
  return found;
}

describe("Paging", () => {
  it("gives at any limit what one list gives, whatever changes in between", async () => {
    for (let i = 0; i < 12; i++) await create(transport, `item-${String(i).padStart(2, "0")}`);
    const whole = await list(transport);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), async (limit) => {
        const first = await list(transport, { limit: String(limit) });
        const expected = await list(transport);
        await create(transport, "a-new-one");
        await remove(transport, "a-new-one");
        const rest = first.metadata.continue
          ? await list(transport, { continue: first.metadata.continue })
          : { items: [], metadata: first.metadata };
        expect([...first.items, ...rest.items]).toEqual(expected.items);
        expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
        expect((await pages(limit)).flatMap(names)).toEqual(names(whole));
      }),
      { numRuns: 15 },
    );
  });

  it("counts what remains, but not when a selector hides how much that is", async () => {
    for (const name of ["a", "b", "c"]) await create(transport, name, { keep: name === "b" ? "no" : "yes" });
    const first = await list(transport, { limit: "1" });
    expect(first.metadata.remainingItemCount).toBeGreaterThanOrEqual(2);
    const selected = await pages(1, { labelSelector: "keep=yes" });
    expect(selected.flatMap(names)).toEqual(["a", "c"]);
    expect(selected.every((page) => page.metadata.remainingItemCount === undefined)).toBe(true);
  });

  it("answers an expired token with 410 and one that goes on in today's state", async () => {
    for (const name of ["a", "b", "c"]) await create(transport, name);
    const first = await list(transport, { limit: "1" });
    await create(transport, "d");
    cluster.compact();
    const expired = await refusal(list(transport, { continue: first.metadata.continue ?? "" }));
    expect(expired).toMatchObject({ code: 410, reason: "Expired" });
    const fresh = (expired.status as { metadata: { continue: string } }).metadata.continue;
    expect(names(await list(transport, { continue: fresh }))).toEqual(["b", "c", "d"]);
  });
});

describe("List: resourceVersion and resourceVersionMatch", () => {
  it.each([
    [{ resourceVersion: "1", resourceVersionMatch: "Exact" }, 0],
    [{ resourceVersion: "1", resourceVersionMatch: "NotOlderThan" }, 2],
    [{ resourceVersion: "1" }, 2],
    [{ resourceVersion: "0" }, 2],
    [{ resourceVersion: "1", limit: "5" }, 0],
    [{ resourceVersion: "0", limit: "1" }, 2],
  ])("%j gives %i objects", async (query, count) => {
    await create(transport, "a");
    await create(transport, "b");
    expect((await list(transport, query as Record<string, string>)).items).toHaveLength(count);
  });

  it.each([
    [{ resourceVersionMatch: "Exact" }, 422],
    [{ resourceVersion: "0", resourceVersionMatch: "Exact" }, 422],
    [{ resourceVersion: "1", resourceVersionMatch: "Newest" }, 422],
    [{ resourceVersion: "x" }, 400],
    [{ resourceVersion: "999999" }, 504],
    [{ resourceVersion: "999999", resourceVersionMatch: "Exact" }, 504],
    [{ continue: "x" }, 400],
    [{ sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }, 422],
  ])("%j is refused with %i", async (query, code) => {
    expect(await refusal(list(transport, query as Record<string, string>))).toMatchObject({ code });
  });
});

describe("Watch", () => {
  type Change = { readonly name: string; readonly what: "write" | "remove" };

  async function make({ name, what }: Change, existing: Set<string>, serial: number): Promise<void> {
    if (what === "remove") {
      if (existing.delete(name)) await remove(transport, name);
    } else if (existing.has(name)) {
      await mergePatch(transport, name, { data: { serial: String(serial) } });
    } else {
      existing.add(name);
      await create(transport, name);
    }
  }

  it("from any revision leads from the list of then to the list of now", async () => {
    const change = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      what: fc.constantFrom<Change["what"]>("write", "write", "remove"),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 15 }), fc.nat(15), async (changes, at) => {
        const existing = new Set(names(await list(transport)));
        let then = await list(transport);
        for (const [i, each] of changes.entries()) {
          if (i === at) then = await list(transport);
          await make(each, existing, i);
        }
        const last = `end-${run++}`;
        await create(transport, last);
        const events = await eventsUntil(
          transport,
          { resourceVersion: then.metadata.resourceVersion },
          (event) => (event.object as Item).metadata.name === last,
        );
        const rebuilt = new Map(
          then.items.map((item) => [item.metadata.name, item.metadata.resourceVersion]),
        );
        for (const { type, object } of events) {
          const { name, resourceVersion } = (object as Item).metadata;
          expect(rebuilt.has(name)).toBe(type !== "ADDED");
          if (type === "DELETED") rebuilt.delete(name);
          else rebuilt.set(name, resourceVersion);
        }
        const now = await list(transport);
        expect([...rebuilt].sort()).toEqual(
          now.items
            .map((item): [string, string] => [item.metadata.name, item.metadata.resourceVersion])
            .sort(),
        );
        await remove(transport, last);
      }),
      { numRuns: 25 },
    );
  });

  it("sends the state first, ended by a bookmark, when asked to", async () => {
    await create(transport, "a");
    const query = {
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: "true",
    };
    const events = await eventsUntil(transport, query, (event) => event.type === "BOOKMARK");
    expect(events.map((event) => event.type)).toEqual(["ADDED", "BOOKMARK"]);
    expect(events.at(-1)?.object).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });

  it("shows an object that leaves the selection as deleted, in its last selected state", async () => {
    await create(transport, "a", { color: "red" });
    const { metadata } = await list(transport);
    await mergePatch(transport, "a", { metadata: { labels: { color: "blue" } } });
    await mergePatch(transport, "a", { metadata: { labels: { color: "red" } } });
    const query = { labelSelector: "color=red", resourceVersion: metadata.resourceVersion };
    const events = await eventsUntil(transport, query, (event) => event.type === "ADDED");
    expect(events.map((event) => [event.type, (event.object as Item).metadata.labels])).toEqual([
      ["DELETED", { color: "red" }],
      ["ADDED", { color: "red" }],
    ]);
  });

  it("is refused with 410 where its history is gone", async () => {
    await create(transport, "a");
    await create(transport, "b");
    cluster.compact();
    const query = { watch: "true", resourceVersion: "1" };
    expect(await refusal(transport.watch({ method: "GET", path: configMaps, query }))).toMatchObject({
      code: 410,
      reason: "Expired",
    });
  });

  it.each([
    [{ sendInitialEvents: "true" }, 422],
    [{ resourceVersionMatch: "NotOlderThan" }, 422],
    [{ resourceVersion: "x" }, 500],
    [{ labelSelector: "a in (" }, 400],
    [{ fieldSelector: "spec.none=1" }, 400],
  ])("%j is refused with %i", async (query, code) => {
    const request = { method: "GET", path: configMaps, query: { watch: "true", ...query } } as const;
    expect(await refusal(transport.watch(request))).toMatchObject({ code });
  });
});
