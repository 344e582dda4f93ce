import { VirtualClock, settle } from "@bowline/client";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { exponentialBackOff } from "./back-off.ts";
import { type QueueItem, WorkQueue } from "./work-queue.ts";

function take(queue: WorkQueue): QueueItem {
  const item = queue.tryGet();
  if (item === undefined) throw new Error("the queue has no ready key");
  return item;
}

function drain(queue: WorkQueue): string[] {
  const keys: string[] = [];
  for (let item = queue.tryGet(); item !== undefined; item = queue.tryGet()) {
    keys.push(item.key);
    queue.done(item);
  }
  return keys;
}

describe("WorkQueue", () => {
  it("hands keys out first in, first out", () => {
    const queue = new WorkQueue();
    for (const key of ["a", "b", "c"]) queue.add(key);
    expect(drain(queue)).toEqual(["a", "b", "c"]);
  });

  it("makes one run of any number of adds", () => {
    const queue = new WorkQueue();
    for (let i = 0; i < 100; i++) queue.add("a");
    expect(drain(queue)).toEqual(["a"]);
  });

  it("gives a key to one worker at a time, even when re-added, and runs it again afterwards", () => {
    const queue = new WorkQueue();
    queue.add("a");
    const first = take(queue);
    queue.add("a");
    queue.add("a");
    expect(queue.tryGet()).toBeUndefined();
    queue.done(first);
    expect(drain(queue)).toEqual(["a"]);
  });

  it("hands out higher priorities first, and a re-add keeps the higher of both", () => {
    const queue = new WorkQueue();
    queue.add("old", { priority: -100 });
    queue.add("raised", { priority: -100 });
    queue.add("fresh");
    queue.add("raised", { priority: 5 });
    queue.add("fresh", { priority: -100 });
    expect(drain(queue)).toEqual(["raised", "fresh", "old"]);
  });

  it("keeps causes and counts of a key whose priority is raised", () => {
    const queue = new WorkQueue();
    queue.add("a", { priority: -100, cause: { event: "added" } });
    queue.add("a", { cause: { event: "updated" } });
    const item = take(queue);
    expect(item.causes.map((c) => c.event)).toEqual(["added", "updated"]);
    expect(item.addCount).toBe(2);
  });

  it("does not let a stream of fresh keys starve keys of the initial list", () => {
    const queue = new WorkQueue({ agingInterval: 4 });
    queue.add("initial", { priority: -100 });
    const order: string[] = [];
    for (let i = 0; order.at(-1) !== "initial" && i < 100; i++) {
      queue.add(`fresh-${i}`);
      queue.add(`fresh-${i}-b`);
      const item = take(queue);
      order.push(item.key);
      queue.done(item);
    }
    expect(order).toHaveLength(5);
  });

  it("delays fresh keys by at most one key in agingInterval for those of the initial list", () => {
    const queue = new WorkQueue({ agingInterval: 16 });
    for (let i = 0; i < 1000; i++) queue.add(`initial-${i}`, { priority: -100 });
    for (let i = 0; i < 160; i++) queue.add(`fresh-${i}`);
    const order = drain(queue);
    const last = order.findLastIndex((key) => key.startsWith("fresh"));
    expect(last).toBeLessThan(160 + 10);
  });

  it("adds a delayed key when its time comes and not before", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 1000);
    await clock.advance(990);
    expect(queue.depth).toBe(0);
    await clock.advance(10);
    expect(drain(queue)).toEqual(["a"]);
  });

  it("keeps the earlier of two delays of a key", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 5000);
    queue.addAfter("a", 1000);
    queue.addAfter("a", 9000);
    await clock.advance(1000);
    expect(drain(queue)).toEqual(["a"]);
    await clock.advance(20_000);
    expect(queue.depth).toBe(0);
    expect(clock.pendingCount).toBe(0);
  });

  it("keeps a promise of `at the latest` when the key runs for another reason first", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 900_000);
    queue.add("a");
    expect(drain(queue)).toEqual(["a"]);
    await clock.advance(900_000);
    expect(drain(queue)).toEqual(["a"]);
  });

  it("forgets the delay of a key on demand", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 1000);
    queue.addAfter("b", 2000);
    queue.cancelDelay("a");
    await clock.advance(5000);
    expect(drain(queue)).toEqual(["b"]);
  });

  it("waits longer for a key with every failure, until it is forgotten", () => {
    const queue = new WorkQueue({
      backOff: exponentialBackOff({ baseMs: 5, maxMs: 50 }),
      clock: new VirtualClock(),
    });
    const waits = [1, 2, 3, 4, 5].map(() => queue.addRateLimited("a"));
    expect(waits).toEqual([5, 10, 20, 40, 50]);
    expect(queue.failures("a")).toBe(5);
    queue.forget("a");
    expect(queue.addRateLimited("a")).toBe(5);
  });

  it("remembers why a key waits", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter("a", 1000, { cause: { event: "requeue" } });
    queue.addAfter("b", 1000);
    await clock.advance(1000);
    expect([take(queue).causes, take(queue).causes]).toEqual([[{ event: "requeue" }], [{ event: "timer" }]]);
  });

  it("wakes one waiting worker per key", async () => {
    const queue = new WorkQueue();
    const got: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) void queue.get().then((item) => got.push(item?.key));
    queue.add("a");
    queue.add("b");
    await settle();
    expect(got).toEqual(["a", "b"]);
    await Promise.all([queue.shutDown()].slice(1));
    await settle();
    expect(got).toEqual(["a", "b", undefined]);
  });

  it("drops what is queued on shutdown and waits for what is being worked on", async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    for (const key of ["a", "b"]) queue.add(key);
    queue.addAfter("c", 10);
    const held = take(queue);
    queue.add("a");
    let isOver = false;
    void queue.shutDown().then(() => (isOver = true));
    await clock.advance(100);
    expect(isOver).toBe(false);
    expect(await queue.get()).toBeUndefined();
    queue.done(held);
    await settle();
    expect(isOver).toBe(true);
    queue.add("d");
    expect(queue.depth).toBe(0);
  });

  it("works off what is queued when asked to drain", async () => {
    const queue = new WorkQueue({ clock: new VirtualClock() });
    for (const key of ["a", "b"]) queue.add(key);
    const over = queue.shutDown({ drain: true });
    expect(drain(queue)).toEqual(["a", "b"]);
    await over;
    expect(await queue.get()).toBeUndefined();
  });

  it("behaves as its model in any interleaving of adds, delays, gets and dones", () => {
    const keys = ["a", "b", "c", "d"];
    const step = fc.oneof(
      fc.record({
        op: fc.constant("add" as const),
        key: fc.constantFrom(...keys),
        priority: fc.constantFrom(-100, 0, 7),
      }),
      fc.record({ op: fc.constant("get" as const) }),
      fc.record({ op: fc.constant("done" as const), which: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = new WorkQueue({ agingInterval: 3, clock: new VirtualClock() });
        const model = new Model(3);
        const held: QueueItem[] = [];
        for (const s of steps) {
          if (s.op === "add") {
            queue.add(s.key, { priority: s.priority });
            model.add(s.key, s.priority);
          } else if (s.op === "get") {
            const item = queue.tryGet();
            expect(item?.key).toBe(model.get());
            if (item !== undefined) held.push(item);
          } else {
            const item = held.splice(s.which % Math.max(1, held.length), 1)[0];
            if (item !== undefined) {
              queue.done(item);
              model.done(item.key);
            }
          }
          expect(queue.depth).toBe(model.queued.length);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

/** What a work queue is, in as few words as possible. */
class Model {
  queued: { key: string; priority: number }[] = [];
  readonly processing = new Set<string>();
  readonly again = new Map<string, number>();
  readonly #interval: number;
  #passedOver = 0;

  constructor(interval: number) {
    this.#interval = interval;
  }

  add(key: string, priority: number): void {
    if (this.processing.has(key)) {
      this.again.set(key, Math.max(priority, this.again.get(key) ?? Number.NEGATIVE_INFINITY));
      return;
    }
    const at = this.queued.findIndex((q) => q.key === key);
    if (at >= 0 && (this.queued[at]?.priority ?? 0) >= priority) return;
    if (at >= 0) this.queued.splice(at, 1);
    this.queued.push({ key, priority });
  }

  get(): string | undefined {
    const top = Math.max(...this.queued.map((q) => q.priority));
    const lower = this.queued.findIndex((q) => q.priority < top);
    let at = this.queued.findIndex((q) => q.priority === top);
    if (lower < 0) this.#passedOver = 0;
    else if (this.#passedOver++ === this.#interval) [at, this.#passedOver] = [lower, 0];
    const [item] = at < 0 ? [] : this.queued.splice(at, 1);
    if (item !== undefined) this.processing.add(item.key);
    return item?.key;
  }

  done(key: string): void {
    this.processing.delete(key);
    const priority = this.again.get(key);
    this.again.delete(key);
    if (priority !== undefined) this.queued.push({ key, priority });
  }
}
