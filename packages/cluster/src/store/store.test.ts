import { deepFreeze } from "@bowline/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Compacted, StaleWrite } from "./bucket.ts";
import type { Revision, StoredObject } from "./revision.ts";
import { SortedMap } from "./sorted-map.ts";
import { Store, type StoreOptions } from "./store.ts";

function makeStore(options: Partial<StoreOptions> = {}): Store {
  return new Store({ now: () => 0, ...options });
}

function object(name: string, value = 0) {
  return (resourceVersion: string): StoredObject =>
    deepFreeze({ apiVersion: "v1", kind: "Thing", metadata: { name, resourceVersion }, value }) as never;
}

function shown(revisions: readonly Revision[]): string[] {
  return revisions.map((r) => `${r.key}@${r.revision}`);
}

describe("Store", () => {
  it("counts one revision over all buckets, and stamps it on what it stores", () => {
    const store = makeStore();
    const first = store.bucket("/a").put("x", undefined, object("x"));
    const second = store.bucket("/b").put("x", undefined, object("x"));
    expect(second.revision).toBe(first.revision + 1);
    expect(second.object.metadata.resourceVersion).toBe(String(store.revision));
  });

  it("refuses a write that was computed from another state than the stored one", () => {
    const bucket = makeStore().bucket("/a");
    const first = bucket.put("x", undefined, object("x"));
    const second = bucket.put("x", first, object("x", 1));
    expect(() => bucket.put("x", first, object("x", 2))).toThrow(StaleWrite);
    expect(() => bucket.put("x", undefined, object("x", 2))).toThrow(StaleWrite);
    expect(() => bucket.remove("x", first, object("x"))).toThrow(StaleWrite);
    expect(bucket.get("x")).toBe(second);
  });

  it("lists the past until it is compacted", () => {
    const store = makeStore();
    const bucket = store.bucket("/a");
    const a = bucket.put("a", undefined, object("a"));
    const then = store.revision;
    const b = bucket.put("b", undefined, object("b"));
    bucket.remove("a", a, object("a"));
    expect(shown(bucket.listAt(then, ""))).toEqual([`a@${a.revision}`]);
    expect(shown(bucket.list(""))).toEqual([`b@${b.revision}`]);
    store.compact(store.revision);
    expect(() => bucket.listAt(then, "")).toThrow(Compacted);
    expect(() => bucket.subscribe(then, () => true)).toThrow(Compacted);
    expect(shown(bucket.listAt(store.revision, ""))).toEqual([`b@${b.revision}`]);
  });

  it("keeps as much history as its policy says", () => {
    let now = 0;
    const store = makeStore({ now: () => now, history: { eventsMax: 3, ageMaxMs: 1000 } });
    const bucket = store.bucket("/a");
    for (let i = 0; i < 5; i++) bucket.put(`k${i}`, undefined, object("k"));
    expect(store.revision - bucket.floor).toBe(3);
    now = 5000;
    bucket.put("late", undefined, object("k"));
    expect(store.revision - bucket.floor).toBe(1);
  });

  it("closes a watcher that leaves too much untaken, and keeps what it had", () => {
    const bucket = makeStore({ subscriptionPendingMax: 2 }).bucket("/a");
    const slow = bucket.subscribe(0, () => true);
    const quick = bucket.subscribe(0, () => true);
    for (let i = 0; i < 4; i++) {
      bucket.put(`k${i}`, undefined, object("k"));
      expect(quick.take().map((e) => e.key)).toEqual([`k${i}`]);
    }
    expect(slow.state).toBe("slow");
    expect(slow.take().map((e) => e.key)).toEqual(["k0", "k1"]);
    expect(quick.state).toBe("open");
    expect(bucket.subscriptionCount).toBe(1);
  });

  it("has a past that any watch leads to the present from", () => {
    const change = fc.record({ key: fc.constantFrom("a", "b", "c", "d"), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.nat(40), (changes, at) => {
        const store = makeStore();
        const bucket = store.bucket("/a");
        const states: { revision: number; list: string[] }[] = [{ revision: store.revision, list: [] }];
        for (const { key, remove } of changes) {
          const current = bucket.get(key);
          if (!remove) bucket.put(key, current, object(key));
          else if (current !== undefined) bucket.remove(key, current, object(key));
          states.push({ revision: store.revision, list: shown(bucket.list("")) });
        }
        const start = states[Math.min(at, states.length - 1)] as (typeof states)[number];
        const past = bucket.listAt(start.revision, "");
        expect(shown(past)).toEqual(start.list);
        const rebuilt = new Map(past.map((r) => [r.key, r]));
        for (const event of bucket.subscribe(start.revision, () => true).take()) {
          expect(event.previous).toBe(rebuilt.get(event.key));
          if (event.deleted) rebuilt.delete(event.key);
          else rebuilt.set(event.key, event.current);
        }
        expect(shown([...rebuilt.values()]).sort()).toEqual(shown(bucket.list("")).sort());
      }),
      { numRuns: 200 },
    );
  });
});

describe("SortedMap", () => {
  it("gives its values in key order from any key on, whatever was put in and taken out", () => {
    const key = fc.string({ maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.boolean()), { maxLength: 2000 }), key, (changes, from) => {
        const map = new SortedMap<string>();
        const model = new Map<string, string>();
        for (const [k, remove] of changes) {
          if (remove) expect(map.delete(k)).toBe(model.delete(k));
          else {
            map.set(k, k);
            model.set(k, k);
          }
        }
        expect(map.size).toBe(model.size);
        expect([...map.valuesFrom(from)]).toEqual([...model.keys()].filter((k) => k >= from).sort());
      }),
      { numRuns: 50 },
    );
  });

  it("splits its chunks when there are many keys", () => {
    const map = new SortedMap<number>();
    const count = 5000;
    for (let i = 0; i < count; i++) map.set(String((i * 7919) % count).padStart(5, "0"), i);
    const keys = [...map.valuesFrom("")].length;
    expect(keys).toBe(count);
    expect(map.get("04999")).toBeDefined();
  });
});
