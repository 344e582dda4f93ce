import { Job } from "@bowline/api/batch/v1";
import { Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import type { ImageBehaviors } from "../../src/nodes/image-behavior.ts";
import { type World, newWorld } from "./world.ts";

const key = { name: "work", namespace: "default" };

const images: ImageBehaviors = {
  good: { exitAfterMs: 1000 },
  bad: { exitAfterMs: 1000, exitCode: 1 },
  code42: { exitAfterMs: 1000, exitCode: 42 },
  endless: { exitAfterMs: 10_000_000 },
  flaky: { exitAfterMs: 1000, exitCode: [1, 0] },
  odd: { run: async (p) => (await p.sleep(1000), Number(p.env["JOB_COMPLETION_INDEX"]) % 2) },
};

const start = (options: object = {}) => newWorld({ images, ...options });

function jobOf(image: string, spec: object = {}, podSpec: object = {}): never {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }], ...podSpec } };
  return { metadata: key, spec: { template, ...spec } } as never;
}

const get = (world: World) => world.client.get(Job, key);
const has = async (world: World, type: string) =>
  (await world.client.find(Job, key))?.status?.conditions?.some(
    (c) => c.type === type && c.status === "True",
  ) ?? false;
const condition = async (world: World, type: string) => {
  const found = (await get(world)).status?.conditions?.find((c) => c.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
};
const ended = (world: World, type: string, limitMs?: number) =>
  world.wait(`the job is ${type}`, () => has(world, type), limitMs);

describe("Job controller", () => {
  it("runs pods to completion, first with SuccessCriteriaMet and then Complete", async () => {
    const world = await start();
    const job = await world.client.create(Job, jobOf("good", { completions: 3, parallelism: 2 }));
    await world.pass(500);
    expect((await get(world)).status).toMatchObject({
      active: 2,
      ready: 2,
      terminating: 0,
      startTime: job.metadata.creationTimestamp,
    });
    await ended(world, "Complete");
    const { status } = await get(world);
    expect(status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status?.active).toBeUndefined();
    expect(status?.completionTime).toBeDefined();
    expect(status?.conditions?.map((c) => c.type)).toEqual(["SuccessCriteriaMet", "Complete"]);
    expect(await condition(world, "Complete")).toBe(
      "True CompletionsReached: Reached expected number of succeeded pods",
    );
    expect(await world.events({ kind: "Job", name: "work" })).toContain("Completed: Job completed");
  });

  it("labels pods with name and uid of the job, and holds them with a finalizer until they are counted", async () => {
    const world = await start();
    const job = await world.client.create(Job, jobOf("endless"));
    const [pod] = await world.until("a pod", async () => {
      const pods = await world.list(Pod);
      return pods.length === 1 && pods;
    });
    expect(pod?.metadata.labels).toMatchObject({
      "batch.kubernetes.io/job-name": "work",
      "batch.kubernetes.io/controller-uid": job.metadata.uid,
    });
    expect(pod?.metadata.finalizers).toEqual(["batch.kubernetes.io/job-tracking"]);
    await world.client.delete(Pod, pod as never);
    await world.wait("the pod is replaced", async () => {
      const pods = await world.list(Pod);
      return pods.length === 1 && pods[0]?.metadata.uid !== pod?.metadata.uid;
    });
  });

  it("fails with BackoffLimitExceeded after backoffLimit failures, with waits of 10 s, 20 s, ... between them", async () => {
    const world = await start();
    const startedAt = world.clock.now();
    await world.client.create(Job, jobOf("bad", { backoffLimit: 2 }));
    await ended(world, "Failed");
    expect(await condition(world, "Failed")).toBe(
      "True BackoffLimitExceeded: Job has reached the specified backoff limit",
    );
    expect((await get(world)).status).toMatchObject({ failed: 3 });
    const times = (await world.list(Pod))
      .map((p) => (Date.parse(p.metadata.creationTimestamp ?? "") - startedAt) / 1000)
      .sort((a, b) => a - b);
    expect(times).toEqual([0, 11, 32]);
  });

  it("counts restarts against backoffLimit with the restart policy OnFailure", async () => {
    const world = await start();
    await world.client.create(Job, jobOf("bad", { backoffLimit: 2 }, { restartPolicy: "OnFailure" }));
    await ended(world, "Failed");
    expect(await condition(world, "Failed")).toBe(
      "True BackoffLimitExceeded: Job has reached the specified backoff limit",
    );
  });

  it("ends a job that runs longer than activeDeadlineSeconds", async () => {
    const world = await start();
    await world.client.create(Job, jobOf("endless", { activeDeadlineSeconds: 30 }));
    await world.pass(29_000);
    expect(await has(world, "Failed")).toBe(false);
    await ended(world, "Failed", 10_000);
    expect(await condition(world, "Failed")).toBe(
      "True DeadlineExceeded: Job was active longer than specified deadline",
    );
  });

  it("gives each pod of an indexed job its index, and lists the completed ones as ranges", async () => {
    const world = await start();
    await world.client.create(
      Job,
      jobOf("good", { completions: 5, parallelism: 5, completionMode: "Indexed" }),
    );
    await world.pass(500);
    const pods = await world.list(Pod);
    expect(
      pods.map((p) => p.metadata.annotations?.["batch.kubernetes.io/job-completion-index"]).sort(),
    ).toEqual(["0", "1", "2", "3", "4"]);
    expect(pods.map((p) => p.spec?.hostname).sort()).toEqual([0, 1, 2, 3, 4].map((i) => `work-${i}`));
    expect(pods.every((p) => /^work-\d-[a-z0-9]{5}$/.test(p.metadata.name ?? ""))).toBe(true);
    await ended(world, "Complete");
    expect((await get(world)).status?.completedIndexes).toBe("0-4");
  });

  it("fails single indexes with backoffLimitPerIndex", async () => {
    const world = await start();
    const spec = { completions: 4, parallelism: 4, completionMode: "Indexed", backoffLimitPerIndex: 0 };
    await world.client.create(Job, jobOf("odd", spec));
    await ended(world, "Failed");
    expect(await condition(world, "Failed")).toBe("True FailedIndexes: Job has failed indexes");
    expect((await get(world)).status).toMatchObject({ completedIndexes: "0,2", failedIndexes: "1,3" });
  });

  /** Annotations about failures, by the second in which the pod was made. */
  async function attempts(world: World): Promise<Record<string, string>> {
    const begin = Date.parse("2026-01-01T00:00:00Z");
    const prefix = "batch.kubernetes.io/job-index-";
    return Object.fromEntries(
      (await world.list(Pod)).map(({ metadata }) => [
        (Date.parse(metadata.creationTimestamp ?? "") - begin) / 1000,
        ["failure-count", "ignored-failure-count"]
          .map((name) => metadata.annotations?.[`${prefix}${name}`] ?? "-")
          .join(" "),
      ]),
    );
  }

  it("makes an index wait after each of its failures: 10 s, 20 s, ..., and the others not", async () => {
    const world = await start();
    const spec = { completions: 2, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 2 };
    await world.client.create(Job, jobOf("odd", spec));
    await ended(world, "Failed");
    expect((await get(world)).status).toMatchObject({ completedIndexes: "0", failedIndexes: "1", failed: 3 });
    const pods = (await world.list(Pod)).filter(
      ({ metadata }) => metadata.labels?.["batch.kubernetes.io/job-completion-index"] === "1",
    );
    const times = pods.map(({ metadata }) => metadata.creationTimestamp?.slice(14, 19)).sort();
    expect(times).toEqual(["00:00", "00:11", "00:32"]);
    expect(await attempts(world)).toMatchObject({ 11: "1 -", 32: "2 -" });
  });

  it("counts failures of an index that the failure policy ignores apart, for their waits alone", async () => {
    const world = await start();
    const spec = {
      completions: 1,
      completionMode: "Indexed",
      backoffLimitPerIndex: 1,
      podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes: { operator: "In", values: [42] } }] },
    };
    await world.client.create(Job, jobOf("code42", spec));
    await world.pass(40_000);
    expect(await attempts(world)).toEqual({ 0: "0 -", 11: "0 1", 32: "0 2" });
    expect(await has(world, "Failed")).toBe(false);
  });

  it("is complete as soon as a rule of the success policy is met", async () => {
    const world = await start();
    const spec = {
      completions: 4,
      parallelism: 4,
      completionMode: "Indexed",
      backoffLimit: 100,
      successPolicy: { rules: [{ succeededIndexes: "0,2" }] },
    };
    await world.client.create(Job, jobOf("odd", spec));
    await ended(world, "Complete");
    expect(await condition(world, "Complete")).toBe("True SuccessPolicy: Matched rules at index 0");
  });

  it.each([
    ["FailJob", "Failed", 1],
    ["Ignore", undefined, undefined],
    ["Count", undefined, 3],
  ])("carries out the action %s of the pod failure policy", async (action, end, failed) => {
    const world = await start();
    const podFailurePolicy = { rules: [{ action, onExitCodes: { operator: "In", values: [42] } }] };
    await world.client.create(Job, jobOf("code42", { podFailurePolicy, backoffLimit: 6 }));
    await world.pass(60_000);
    expect(await has(world, "Failed")).toBe(end === "Failed");
    expect((await get(world)).status?.failed).toBe(failed);
    if (end === undefined) return;
    const [pod] = await world.list(Pod);
    expect(await condition(world, "Failed")).toBe(
      `True PodFailurePolicy: Container main for pod default/${pod?.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
    );
  });

  it("has no pods while it is suspended, and starts its time anew when resumed", async () => {
    const world = await start();
    await world.client.create(Job, jobOf("endless", { suspend: true, activeDeadlineSeconds: 100 }));
    await world.pass(50_000);
    expect(await world.list(Pod)).toEqual([]);
    expect(await condition(world, "Suspended")).toBe("True JobSuspended: Job suspended");
    expect((await get(world)).status?.startTime).toBeUndefined();
    await world.client.patch(Job, key, { merge: { spec: { suspend: false } } });
    await world.wait("a pod runs", async () => (await world.list(Pod)).length === 1);
    expect(await condition(world, "Suspended")).toBe("False JobResumed: Job resumed");
    await world.client.patch(Job, key, { merge: { spec: { suspend: true } } });
    await world.wait("no pod runs", async () => (await world.list(Pod)).length === 0);
    expect(await has(world, "Suspended")).toBe(true);
  });

  it("is deleted ttlSecondsAfterFinished after its end, with its pods", async () => {
    const world = await start();
    await world.client.create(Job, jobOf("good", { ttlSecondsAfterFinished: 60 }));
    await ended(world, "Complete");
    await world.pass(55_000);
    expect(await world.names(Job)).toEqual(["work"]);
    await world.pass(10_000);
    expect(await world.names(Job)).toEqual([]);
    expect(await world.names(Pod)).toEqual([]);
  });

  it("leaves a job that names another controller alone", async () => {
    const world = await start();
    await world.client.create(Job, jobOf("good", { managedBy: "example.com/queue" }));
    await world.pass(10_000);
    expect(await world.list(Pod)).toEqual([]);
  });

  it("can be deleted in every way while it runs", async () => {
    for (const propagationPolicy of ["Background", "Foreground"] as const) {
      const world = await start();
      await world.client.create(Job, jobOf("endless", { parallelism: 2 }));
      await world.wait("pods run", async () => (await world.list(Pod)).length === 2);
      await world.client.delete(Job, key, { propagationPolicy });
      await world.wait(
        "all is gone",
        async () => (await world.list(Pod)).length + (await world.list(Job)).length === 0,
        60_000,
      );
    }
  });
});
