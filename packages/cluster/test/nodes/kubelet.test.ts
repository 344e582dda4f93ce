import { ConfigMap, Pod, Secret } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import type { ClusterOptions } from "../../src/cluster.ts";
import { type World, newWorld } from "../controllers/world.ts";

const key = { name: "p", namespace: "default" };

async function run(spec: object, options: ClusterOptions = {}, container: object = {}): Promise<World> {
  const world = await newWorld(options);
  const containers = [{ name: "main", image: "app", ...container }];
  await world.client.create(Pod, { metadata: key, spec: { containers, ...spec } } as never);
  return world;
}

const get = (world: World) => world.client.get(Pod, key);
const status = async (world: World) => (await get(world)).status;
const main = async (world: World) => (await status(world))?.containerStatuses?.[0];
const conditions = async (world: World) =>
  Object.fromEntries(
    (await status(world))?.conditions?.map((c) => [
      c.type,
      c.reason === undefined ? c.status : `${c.status} ${c.reason}`,
    ]) ?? [],
  );

describe("Simulated kubelet", () => {
  it("brings a pod up with addresses, times and all conditions", async () => {
    const world = await run({});
    await world.wait("it runs", async () => (await status(world))?.phase === "Running");
    expect(await status(world)).toMatchObject({
      phase: "Running",
      hostIP: "192.168.0.2",
      podIP: "10.244.0.2",
      podIPs: [{ ip: "10.244.0.2" }],
      startTime: "2026-01-01T00:00:00Z",
    });
    expect(await conditions(world)).toEqual({
      PodReadyToStartContainers: "True",
      Initialized: "True",
      Ready: "True",
      ContainersReady: "True",
      PodScheduled: "True",
    });
    // the node may be quicker than the scheduler's word
    expect((await world.events({ kind: "Pod", name: "p" })).sort()).toEqual([
      "Created: Container created",
      'Pulled: Container image "app" already present on machine and can be accessed by the pod',
      "Scheduled: Successfully assigned default/p to node-1",
      "Started: Container started",
    ]);
  });

  it("takes as long to start and to be ready as the image says", async () => {
    const world = await run({}, { images: { app: { startDelayMs: 5000, readyAfterMs: 3000 } } });
    await world.pass(4000);
    expect((await main(world))?.state).toEqual({ waiting: { reason: "ContainerCreating" } });
    expect(await conditions(world)).toMatchObject({ Ready: "False ContainersNotReady", Initialized: "True" });
    await world.pass(1500);
    expect(await main(world)).toMatchObject({ ready: false, started: true, state: { running: {} } });
    await world.pass(3000);
    expect(await main(world)).toMatchObject({ ready: true });
  });

  it("restarts a container that crashes: at once, then after 10 s, 20 s, ... up to five minutes", async () => {
    const world = await run({}, { images: { app: { exitAfterMs: 1000, exitCode: 3 } } });
    const starts: number[] = [];
    let count = -1;
    await world.quiet();
    for (let second = 0; second < 1000; second++) {
      const state = await main(world);
      if (state?.state?.running !== undefined && state.restartCount !== count) {
        count = state.restartCount;
        starts.push(Date.parse(state.state.running.startedAt ?? "") / 1000 - Date.UTC(2026, 0, 1) / 1000);
      }
      await world.clock.advance(1000);
    }
    const gaps = starts.slice(1).map((at, i) => at - (starts[i] as number) - 1);
    expect(gaps).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect(await main(world)).toMatchObject({
      state: {
        waiting: {
          reason: "CrashLoopBackOff",
          message: expect.stringContaining("back-off 5m0s restarting failed container=main pod=p_default("),
        },
      },
      lastState: { terminated: { exitCode: 3, reason: "Error" } },
    });
  });

  it.each([
    ["Never", 0, "Succeeded", 0],
    ["Never", 1, "Failed", 0],
    ["OnFailure", 0, "Succeeded", 0],
    ["OnFailure", [1, 1, 0], "Succeeded", 2],
  ])(
    "ends a pod with the restart policy %s and exit codes %j as %s",
    async (restartPolicy, exitCode, phase, restarts) => {
      const world = await run({ restartPolicy }, { images: { app: { exitAfterMs: 1000, exitCode } } });
      await world.wait("it has ended", async () => (await status(world))?.phase === phase);
      expect((await main(world))?.restartCount).toBe(restarts);
      expect(await conditions(world)).toMatchObject({
        Ready: phase === "Succeeded" ? "False PodCompleted" : "False PodFailed",
      });
    },
  );

  it("runs shell commands of everyday manifests, with their output in the log", async () => {
    const command = ["sh", "-c", 'echo "hello $NAME" && sleep 5; echo done; exit 4'];
    const world = await run(
      { restartPolicy: "Never" },
      {},
      { command, env: [{ name: "NAME", value: "world" }] },
    );
    await world.pass(4000);
    expect((await status(world))?.phase).toBe("Running");
    await world.wait("it has ended", async () => (await status(world))?.phase === "Failed");
    expect((await main(world))?.state?.terminated).toMatchObject({ exitCode: 4, reason: "Error" });
  });

  it("runs programs written in TypeScript, which sleep on the cluster's clock", async () => {
    const seen: string[] = [];
    const world = await run(
      { restartPolicy: "Never" },
      {
        images: {
          app: {
            run: async (p) => {
              seen.push(p.command.join(" "));
              await p.sleep(60_000);
              return p.restartCount + 7;
            },
          },
        },
      },
      { args: ["--once"] },
    );
    await world.pass(59_000);
    expect((await status(world))?.phase).toBe("Running");
    await world.pass(2000);
    expect((await main(world))?.state?.terminated?.exitCode).toBe(7);
    expect(seen).toEqual(["--once"]);
  });

  it("runs init containers in order, then starts sidecars before containers, and ends sidecars after them", async () => {
    const initContainers = [
      { name: "first", image: "quick" },
      { name: "sidecar", image: "side", restartPolicy: "Always" },
      { name: "second", image: "quick" },
    ];
    const images = { quick: { exitAfterMs: 2000 }, app: { exitAfterMs: 5000 }, side: {} };
    const world = await run({ initContainers, restartPolicy: "Never" }, { images });
    await world.pass(1000);
    expect((await status(world))?.phase).toBe("Pending");
    expect((await conditions(world))["Initialized"]).toBe("False ContainersNotInitialized");
    expect((await main(world))?.state?.waiting?.reason).toBe("PodInitializing");
    await world.pass(2000);
    const inits = (await status(world))?.initContainerStatuses?.map((c) => Object.keys(c.state ?? {})[0]);
    expect(inits).toEqual(["terminated", "running", "running"]);
    await world.pass(2000);
    expect((await status(world))?.phase).toBe("Running");
    await world.wait("it has ended", async () => (await status(world))?.phase === "Succeeded");
    expect((await status(world))?.initContainerStatuses?.[1]?.state?.terminated?.exitCode).toBe(0);
  });

  it("asks readiness probes at their times, and restarts what fails its liveness probe", async () => {
    const probes = {
      readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 4, periodSeconds: 5 },
      livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 },
    };
    const world = await run(
      {},
      { images: { app: { readyAfterMs: 6000, unhealthyAfterMs: 60_000 } } },
      probes,
    );
    await world.pass(8500);
    expect((await main(world))?.ready).toBe(false);
    await world.pass(1000);
    expect((await main(world))?.ready).toBe(true);
    await world.pass(69_000);
    expect((await main(world))?.restartCount).toBe(0);
    await world.pass(3000);
    expect((await main(world))?.restartCount).toBe(1);
    expect(await world.events({ kind: "Pod", name: "p" })).toEqual(
      expect.arrayContaining(["Killing: Container main failed liveness probe, will be restarted"]),
    );
  });

  it("lets an image answer probes itself", async () => {
    let isWell = false;
    const probe = { readinessProbe: { httpGet: { port: 80 }, periodSeconds: 5 } };
    const world = await run({}, { images: { app: { probe: () => isWell } } }, probe);
    await world.pass(20_000);
    expect((await main(world))?.ready).toBe(false);
    isWell = true;
    await world.pass(5000);
    expect((await main(world))?.ready).toBe(true);
    isWell = false;
    await world.pass(10_000);
    expect((await main(world))?.ready).toBe(true);
    await world.pass(6000);
    expect((await main(world))?.ready).toBe(false);
  });

  it("gives containers their grace period to end, and kills them after it", async () => {
    const world = await run(
      { terminationGracePeriodSeconds: 20 },
      { images: { app: { stopAfterMs: Number.POSITIVE_INFINITY } } },
    );
    await world.wait("it runs", async () => (await status(world))?.phase === "Running");
    await world.client.delete(Pod, key);
    await world.pass(19_000);
    expect((await get(world)).metadata.deletionTimestamp).toBe("2026-01-01T00:00:20Z");
    await world.pass(2000);
    expect(await world.client.find(Pod, key)).toBeUndefined();
  });

  it("ends pods at their activeDeadlineSeconds", async () => {
    const world = await run({ activeDeadlineSeconds: 30 });
    await world.pass(31_000);
    expect(await status(world)).toMatchObject({ phase: "Failed", reason: "DeadlineExceeded" });
  });

  it("waits for readiness gates", async () => {
    const world = await run({ readinessGates: [{ conditionType: "example.com/ready" }] });
    await world.pass(1000);
    expect(await conditions(world)).toMatchObject({
      Ready: "False ReadinessGatesNotReady",
      ContainersReady: "True",
    });
    const before = (await status(world))?.conditions ?? [];
    const merge = {
      status: { conditions: [...before, { type: "example.com/ready", status: "True" }] },
    } as never;
    await world.client.patch(Pod, key, { merge }, { subresource: "status" });
    await world.until("it is ready", async () => (await conditions(world))["Ready"] === "True");
  });

  it("cannot pull an image that is missing", async () => {
    const world = await run({}, {}, { image: "bowline.dev/missing:1" });
    await world.pass(1000);
    expect((await main(world))?.state?.waiting?.reason).toBe("ImagePullBackOff");
    expect((await status(world))?.phase).toBe("Pending");
  });

  it("waits for ConfigMaps and Secrets that a pod names", async () => {
    const env = [{ name: "MODE", valueFrom: { configMapKeyRef: { name: "settings", key: "mode" } } }];
    const volumes = [{ name: "creds", secret: { secretName: "creds" } }];
    const world = await run(
      { volumes, restartPolicy: "Never" },
      {},
      { env, command: ["sh", "-c", "echo mode $MODE; sleep infinity"] },
    );
    await world.pass(1000);
    expect((await main(world))?.state?.waiting?.reason).toBe("ContainerCreating");
    expect(await world.events({ kind: "Pod", name: "p" })).toContain(
      'FailedMount: MountVolume.SetUp failed for volume "creds" : secret "creds" not found',
    );
    await world.client.create(Secret, { metadata: { ...key, name: "creds" } });
    await world.pass(10_000);
    expect((await main(world))?.state?.waiting).toMatchObject({
      reason: "CreateContainerConfigError",
      message: 'configmap "settings" not found',
    });
    await world.client.create(ConfigMap, { metadata: { ...key, name: "settings" }, data: { mode: "fast" } });
    await world.wait("it runs", async () => (await status(world))?.phase === "Running", 60_000);
  });

  it("does the same again with the same seed", async () => {
    const images = {
      app: { startDelayMs: { minMs: 0, maxMs: 10_000 }, exitAfterMs: { minMs: 1000, maxMs: 60_000 } },
    };
    const histories: string[] = [];
    for (let round = 0; round < 2; round++) {
      const world = await run({ restartPolicy: "Never" }, { images });
      await world.wait("it has ended", async () => (await status(world))?.phase === "Succeeded");
      histories.push(JSON.stringify((await main(world))?.state));
    }
    expect(histories[0]).toBe(histories[1]);
  });

  it("writes a status once, and nothing when it has nothing to say", async () => {
    const writes: string[] = [];
    const audit = (line: string): void => {
      const { verb, userAgent, objectRef } = JSON.parse(line) as {
        verb: string;
        userAgent: string;
        objectRef?: { resource?: string; subresource?: string };
      };
      if (verb === "patch" && objectRef?.resource === "pods" && userAgent === "kubelet")
        writes.push(objectRef.subresource ?? "");
    };
    const world = await run({}, { audit });
    await world.pass(1000);
    expect((await status(world))?.phase).toBe("Running");
    expect(writes).toEqual(["status"]);
    await world.client.patch(Pod, key, { merge: { metadata: { labels: { a: "b" } } } });
    await world.pass(1000);
    expect(writes).toEqual(["status"]);
  });
});
