import {
  type ApiRequest,
  ConnectionError,
  type Clock,
  type Timer,
  type Transport,
  seededRandom,
} from "@bowline/client";
import { describe, expect, it } from "vitest";
import { type Manager, createManager, defineController, isTermOverError } from "../src/index.ts";
import { Widget, widget, widgets } from "./kinds.ts";
import type { ScriptedServer } from "./scripted-server.ts";
import { type World, newWorld, recordingLogger } from "./world.ts";

/** The clock of one process: while it is paused time goes on, but nothing of the process runs. */
class ProcessClock implements Clock {
  isPaused = false;
  readonly #clock: Clock;
  readonly #missed: (() => void)[] = [];
  constructor(clock: Clock) {
    this.#clock = clock;
  }
  now(): number {
    return this.#clock.now();
  }
  monotonic(): number {
    return this.#clock.monotonic();
  }
  setTimer(delayMs: number, callback: () => void): Timer {
    let isCancelled = false;
    const run = (): void => {
      if (isCancelled) return;
      if (this.isPaused) this.#missed.push(run);
      else callback();
    };
    const timer = this.#clock.setTimer(delayMs, run);
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }
  resume(): void {
    this.isPaused = false;
    for (const run of this.#missed.splice(0)) run();
  }
}

/** One process with a network that can be cut, whose reconciles write who did it. */
interface Process {
  readonly manager: Manager;
  readonly clock: ProcessClock;
  readonly network: { mode: "open" | "refused" | "hole" };
  /** Called in each reconcile, before its write. */
  midway: (() => Promise<void>) | undefined;
  readonly errors: unknown[];
}

interface Write {
  readonly by: string;
  readonly at: number;
}

function cutOff(server: ScriptedServer, network: Process["network"]): Transport {
  const gate = async (signal: AbortSignal | undefined): Promise<void> => {
    if (network.mode === "refused") throw new ConnectionError("no route to host");
    if (network.mode === "hole") {
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    }
  };
  return {
    request: async <T>(request: ApiRequest) => (await gate(request.signal), server.request<T>(request)),
    watch: async <T>(request: ApiRequest) => (await gate(request.signal), server.watch<T>(request)),
    stream: () => server.stream(),
    close: async () => {},
  };
}

function startProcess(world: World, id: string, writes: Write[], election: object = {}): Process {
  const clock = new ProcessClock(world.clock);
  const network: Process["network"] = { mode: "open" };
  const process: Omit<Process, "manager"> & { manager?: Manager } = {
    clock,
    network,
    midway: undefined,
    errors: [],
  };
  const controller = defineController(Widget, {
    everyMs: 500,
    async reconcile(_, ctx) {
      await process.midway?.();
      try {
        await ctx.client.patch(Widget, ctx.request, { merge: { metadata: { annotations: { by: id } } } });
        writes.push({ by: id, at: world.clock.now() });
      } catch (error) {
        process.errors.push(error);
        throw error;
      }
    },
  });
  process.manager = createManager({
    transport: cutOff(world.server, network),
    clock,
    random: seededRandom(id.charCodeAt(0)),
    logger: recordingLogger(world.lines, { process: id }),
    controllers: [controller],
    hostName: id,
    leaderElection: { id: "operator", namespace: "default", identity: id, ...election },
  });
  return process as Process;
}

async function twoProcesses() {
  const world = newWorld();
  world.server.put(widgets, widget("w"));
  const writes: Write[] = [];
  const a = startProcess(world, "a", writes);
  const b = startProcess(world, "b", writes);
  await a.manager.start();
  await world.clock.advance(1000);
  await b.manager.start();
  await world.clock.advance(10_000);
  expect([a.manager.isLeader, b.manager.isLeader]).toEqual([true, false]);
  expect(new Set(writes.map((w) => w.by))).toEqual(new Set(["a"]));
  const stop = async (): Promise<void> => {
    const stopped = Promise.all([a.manager.stop(), b.manager.stop()]);
    await world.clock.advance(60_000);
    await stopped;
  };
  return { ...world, writes, a, b, stop };
}

/** After the first write of `next` there is none of `before` any more. Answers the gap in milliseconds. */
function handover(writes: readonly Write[], before: string, next: string): number {
  const first = writes.findIndex((w) => w.by === next);
  expect(first).toBeGreaterThan(0);
  expect(writes.slice(first).filter((w) => w.by === before)).toEqual([]);
  return (writes[first] as Write).at - (writes[first - 1] as Write).at;
}

describe("Leader election", () => {
  it("lets one of two lead, and the other waits with warm caches", async () => {
    const { b, writes, stop } = await twoProcesses();
    expect(b.manager.report()).toMatchObject({ caches: { "": [{ objectCount: 1 }] } });
    expect(writes.length).toBeGreaterThan(10);
    await stop();
  });

  it("hands over within the lease duration when the leader is killed", async () => {
    const { clock, a, b, writes, stop } = await twoProcesses();
    a.clock.isPaused = true;
    a.network.mode = "hole";
    await clock.advance(20_000);
    expect(b.manager.isLeader).toBe(true);
    const gap = handover(writes, "a", "b");
    expect(gap).toBeGreaterThanOrEqual(13_000);
    expect(gap).toBeLessThanOrEqual(19_500);
    a.clock.resume();
    await stop();
  });

  it("stops working before another takes over when the leader is partitioned, and seeks the lease again afterwards", async () => {
    const { clock, a, b, writes, stop } = await twoProcesses();
    a.network.mode = "hole";
    for (let second = 0; second < 30; second++) {
      await clock.advance(1000);
      expect(a.manager.isLeader && b.manager.isLeader).toBe(false);
    }
    expect([a.manager.isLeader, b.manager.isLeader]).toEqual([false, true]);
    handover(writes, "a", "b");
    a.network.mode = "open";
    b.network.mode = "refused";
    const from = writes.length;
    await clock.advance(40_000);
    expect([a.manager.isLeader, b.manager.isLeader]).toEqual([true, false]);
    expect(writes.slice(from).some((w) => w.by === "a")).toBe(true);
    await stop();
  });

  it("writes nothing when it was paused past its lease in the middle of a reconcile", async () => {
    const { clock, a, b, writes, stop } = await twoProcesses();
    let go: () => void = () => {};
    a.midway = () => new Promise((resolve) => (go = resolve));
    await clock.advance(600);
    a.clock.isPaused = true;
    await clock.advance(30_000);
    expect(b.manager.isLeader).toBe(true);
    const from = writes.length;
    // the process wakes up: what it was about to do comes before any of its timers
    a.midway = undefined;
    go();
    await clock.advance(0);
    a.clock.resume();
    await clock.advance(20_000);
    expect(writes.slice(from).filter((w) => w.by === "a")).toEqual([]);
    expect(a.errors.some(isTermOverError)).toBe(true);
    expect([a.manager.isLeader, b.manager.isLeader]).toEqual([false, true]);
    await stop();
  });

  it("gives the lease back on a clean stop, after its work has ended", async () => {
    const { clock, server, a, b, writes, stop } = await twoProcesses();
    await a.manager.stop();
    const [lease] = server.all("leases");
    expect(lease).toMatchObject({ spec: { holderIdentity: "", leaseDurationSeconds: 1 } });
    await clock.advance(4000);
    expect(b.manager.isLeader).toBe(true);
    expect(handover(writes, "a", "b")).toBeLessThan(4000);
    expect(server.all("leases")[0]).toMatchObject({ spec: { holderIdentity: "b", leaseTransitions: 1 } });
    await stop();
  });

  it("case 14: writes times with six digits, and judges expiry by its own clock", async () => {
    const { server, stop } = await twoProcesses();
    const { spec } = server.all("leases")[0] as never as { spec: { renewTime: string; acquireTime: string } };
    expect(spec.renewTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(spec.acquireTime).toMatch(/\.\d{6}Z$/);
    await stop();
  });

  it("does not take a lease whose written time is long past but which is still renewed", async () => {
    const world = newWorld();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    const spec = (n: number) => ({
      holderIdentity: "x",
      leaseDurationSeconds: 15,
      renewTime: `2001-01-01T00:00:${String(n).padStart(2, "0")}.000000Z`,
    });
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "operator" } };
    world.server.put(leases, { ...lease, spec: spec(0) });
    const a = startProcess(world, "a", []);
    await a.manager.start();
    for (let n = 1; n < 30; n++) {
      world.server.put(leases, { ...lease, spec: spec(n) });
      await world.clock.advance(2000);
      expect(a.manager.isLeader).toBe(false);
    }
    await world.clock.advance(20_000);
    expect(a.manager.isLeader).toBe(true);
    await a.manager.stop();
  });

  it("renews without reading the lease first, and reads it again when that fails", async () => {
    const { clock, server, a, stop } = await twoProcesses();
    const requests = (verb: string) =>
      server.requests.filter((r) => r.verb === verb && r.target.resource === "leases").length;
    const [reads, writes] = [requests("get"), requests("update")];
    await clock.advance(20_000);
    // the other one asks on
    expect(requests("get") - reads).toBeLessThanOrEqual(11);
    expect(requests("update") - writes).toBeGreaterThanOrEqual(9);
    const [lease] = server.all("leases");
    server.put("/apis/coordination.k8s.io/v1/namespaces/default/leases", {
      ...lease,
      metadata: { name: "operator", labels: { touched: "by hand" } },
    } as never);
    await clock.advance(20_000);
    expect(a.manager.isLeader).toBe(true);
    expect(await a.manager.metrics.metrics()).toContain('leader_election_slowpath_total{name="operator"} 1');
    await stop();
  });

  describe("with takeover", () => {
    async function borrowed() {
      const two = await twoProcesses();
      const dev = startProcess(two, "dev", two.writes, { takeover: true });
      await dev.manager.start();
      const stop = async (): Promise<void> => void (await Promise.all([dev.manager.stop(), two.stop()]));
      return { ...two, dev, stop };
    }

    it("takes the lease from a holder that renews it, and leads when that one has stopped for certain", async () => {
      const { clock, server, a, b, dev, writes, stop } = await borrowed();
      await clock.advance(14_000);
      expect(server.all("leases")[0]).toMatchObject({ spec: { holderIdentity: "dev", leaseTransitions: 1 } });
      expect(writes.some((w) => w.by === "dev")).toBe(false);
      await clock.advance(60_000);
      expect([a, b, dev].map((process) => process.manager.isLeader)).toEqual([false, false, true]);
      handover(writes, "a", "dev");
      await stop();
    });

    it("waits also for a holder that does not hear of it", async () => {
      const { clock, a, dev, writes, stop } = await borrowed();
      a.network.mode = "hole";
      await clock.advance(14_000);
      expect(writes.some((w) => w.by === "dev")).toBe(false);
      await clock.advance(10_000);
      expect([a.manager.isLeader, dev.manager.isLeader]).toEqual([false, true]);
      handover(writes, "a", "dev");
      a.network.mode = "open";
      await stop();
    });

    it("gives the lease back when it stops, and one of the others leads again", async () => {
      const { clock, a, b, dev, writes, stop } = await borrowed();
      await clock.advance(20_000);
      await dev.manager.stop();
      const from = writes.length;
      await clock.advance(5000);
      expect(a.manager.isLeader !== b.manager.isLeader).toBe(true);
      expect(writes.slice(from).length).toBeGreaterThan(3);
      await stop();
    });

    it("leaves the lease to the others when it is killed, as soon as it has run out", async () => {
      const { clock, a, b, dev, stop } = await borrowed();
      await clock.advance(20_000);
      dev.clock.isPaused = true;
      dev.network.mode = "hole";
      await clock.advance(20_000);
      expect(a.manager.isLeader !== b.manager.isLeader).toBe(true);
      dev.clock.resume();
      await stop();
    });

    it("does not take it a second time from whoever has taken it back", async () => {
      const { clock, server, dev, stop } = await borrowed();
      await clock.advance(20_000);
      const [lease] = server.all("leases") as unknown as [{ spec: object }];
      const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
      for (let n = 10; n < 40; n++) {
        const spec = { ...lease.spec, holderIdentity: "x", renewTime: `2001-01-01T00:00:${n}.000000Z` };
        server.put(leases, { ...lease, metadata: { name: "operator" }, spec } as never);
        await clock.advance(2000);
        expect(dev.manager.isLeader).toBe(false);
      }
      expect(server.all("leases")[0]).toMatchObject({ spec: { holderIdentity: "x" } });
      await stop();
    });
  });

  it("refuses times that are not safe together", () => {
    const { server } = newWorld();
    const make = (times: object): Manager =>
      createManager({
        transport: server,
        logger: recordingLogger([]),
        leaderElection: { id: "x", namespace: "y", ...times },
      });
    expect(() => make({ leaseDurationMs: 10_000 })).toThrow("leaseDurationMs (10000");
    expect(() => make({ renewDeadlineMs: 2000 })).toThrow("renewDeadlineMs (2000");
  });

  it("runs what needs no leadership on every replica", async () => {
    const world = newWorld();
    world.server.put(widgets, widget("w"));
    const runs: string[] = [];
    const make = (id: string): Manager =>
      world.manager(
        [defineController(Widget, { needLeaderElection: false, reconcile: () => void runs.push(id) })],
        { leaderElection: { id: "operator", namespace: "default", identity: id } },
      );
    const [a, b] = [make("a"), make("b")];
    await a.start();
    await b.start();
    await world.clock.advance(1000);
    expect(runs.toSorted()).toEqual(["a", "b"]);
    await Promise.all([a.stop(), b.stop()]);
  });
});
