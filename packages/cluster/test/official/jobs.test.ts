/** Named after the official conformance tests that they re-express; what each does is ours. */
import { Job } from "@bowline/api/batch/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld } from "../controllers/world.ts";
import { supportsApiOperations, updateLatest } from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";
import { namespace, job } from "./workloads.ts";

describe("[sig-apps] Job", () => {
  const jobs = (world: World): Endpoint => new Endpoint(world, "batch/v1/jobs", namespace);
  const podsOfJob = async (world: World, name: string): Promise<Found[]> =>
    (await new Endpoint(world, "v1/pods", namespace).list({ labelSelector: `job-name=${name}` }))
      .items as Found[];
  const ended = (world: World, name: string, type: "Complete" | "Failed"): Promise<unknown> =>
    world.wait(`${name} is ${type}`, async () =>
      (await jobs(world).get(name)).status?.conditions?.some(
        (c: { type: string; status: string }) => c.type === type && c.status === "True",
      ),
    );
  const active = (world: World, name: string, count: number): Promise<unknown> =>
    world.wait(`${count} are active`, async () => (await jobs(world).get(name)).status?.active === count);

  it("should adopt matching orphans and release non-matching pods", async () => {
    const world = await newWorld();
    await jobs(world).create(job("work", { parallelism: 2, completions: 4 }));
    await active(world, "work", 2);
    const pods = new Endpoint(world, "v1/pods", namespace);
    const name = (await podsOfJob(world, "work"))[0]?.metadata.name ?? "";
    await pods.patch(name, { metadata: { ownerReferences: null } });
    await world.wait("it is adopted again", async () => {
      return (await pods.get(name)).metadata.ownerReferences?.[0]?.name === "work";
    });
    await pods.patch(name, {
      metadata: {
        labels: {
          "job-name": null,
          "batch.kubernetes.io/job-name": null,
          "controller-uid": null,
          "batch.kubernetes.io/controller-uid": null,
        },
      },
    });
    await world.wait(
      "it is released",
      async () => (await pods.get(name)).metadata.ownerReferences === undefined,
    );
  });

  it("should allow to use the pod failure policy on exit code to fail the job early", async () => {
    const world = await newWorld();
    const container = { name: "c", image: "busybox", command: ["sh", "-c", "exit 42"] };
    await jobs(world).create(
      job("early", {
        backoffLimit: 6,
        template: { spec: { restartPolicy: "Never", containers: [container] } },
        podFailurePolicy: {
          rules: [{ action: "FailJob", onExitCodes: { containerName: "c", operator: "In", values: [42] } }],
        },
      }),
    );
    await ended(world, "early", "Failed");
    const { conditions, failed } = (await jobs(world).get("early")).status;
    expect(conditions.at(-1)).toMatchObject({ type: "Failed", reason: "PodFailurePolicy" });
    expect(failed).toBe(1);
  });

  it("should allow to use a pod failure policy to ignore failure matching on DisruptionTarget condition", async () => {
    const world = await newWorld();
    await jobs(world).create(
      job("patient", {
        completionMode: "Indexed",
        completions: 2,
        parallelism: 2,
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
        },
      }),
    );
    await active(world, "patient", 2);
    await world.wait("both run", async () =>
      (await podsOfJob(world, "patient")).every((pod) => pod.status.phase === "Running"),
    );
    for (const pod of await podsOfJob(world, "patient")) {
      await world.cluster.transport().request({
        method: "POST",
        path: `/api/v1/namespaces/default/pods/${pod.metadata.name}/eviction`,
        body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod.metadata.name } },
      });
    }
    await ended(world, "patient", "Complete");
  });

  it("should apply changes to a job status", async () => {
    const world = await newWorld();
    await jobs(world).create(job("state", { parallelism: 2, completions: 4 }));
    await active(world, "state", 2);
    await jobs(world).patch("state", { metadata: { annotations: { "patched-status": "true" } } }, "status");
    expect((await jobs(world).get("state")).metadata.annotations).toMatchObject({ "patched-status": "true" });
    await updateLatest(
      jobs(world),
      "state",
      (found) => ({
        ...found,
        metadata: { ...found.metadata, annotations: { ...found.metadata.annotations, updated: "yes" } },
      }),
      "status",
    );
    expect((await jobs(world).get("state", "status")).metadata.annotations).toMatchObject({ updated: "yes" });
  });

  it("should create pods for an Indexed job with completion indexes and specified hostname", async () => {
    const world = await newWorld();
    await jobs(world).create(job("indexed", { completionMode: "Indexed", completions: 4, parallelism: 2 }));
    await ended(world, "indexed", "Complete");
    const pods = await podsOfJob(world, "indexed");
    const indexes = pods.map((pod) => pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"]);
    expect([...indexes].sort()).toEqual(["0", "1", "2", "3"]);
    expect(pods.map((pod) => pod.spec.hostname).sort()).toEqual([
      "indexed-0",
      "indexed-1",
      "indexed-2",
      "indexed-3",
    ]);
    expect((await jobs(world).get("indexed")).status).toMatchObject({
      completedIndexes: "0-3",
      succeeded: 4,
    });
  });

  it("should delete a job", async () => {
    const world = await newWorld();
    await jobs(world).create(job("short", { parallelism: 2, completions: 4 }));
    await active(world, "short", 2);
    await jobs(world).delete("short", { propagationPolicy: "Foreground" });
    await world.wait("it is gone", async () => (await jobs(world).find("short")) === undefined);
    expect(await podsOfJob(world, "short")).toEqual([]);
  });

  it("should manage the lifecycle of a job", async () => {
    const world = await newWorld();
    await jobs(world).create(job("life", { suspend: true, parallelism: 2, completions: 4 }));
    await jobs(world).patch("life", { metadata: { labels: { "e2e-life": "patched" } } });
    await updateLatest(jobs(world), "life", (found) => ({
      ...found,
      metadata: { ...found.metadata, annotations: { updated: "true" } },
      spec: { ...found.spec, suspend: false },
    }));
    await active(world, "life", 2);
    const all = new Endpoint(world, "batch/v1/jobs");
    expect((await all.list({ labelSelector: "e2e-life=patched" })).items).toHaveLength(1);
    await jobs(world).deleteCollection({ labelSelector: "e2e-life=patched" });
    await world.wait("it is gone", async () => (await jobs(world).find("life")) === undefined);
  });

  it("should run a job to completion when tasks sometimes fail and are locally restarted", async () => {
    const world = await newWorld({
      images: { flaky: { exitAfterMs: 1000, exitCode: [1, 0] } },
    });
    await jobs(world).create(
      job("flaky", {
        parallelism: 2,
        completions: 4,
        template: { spec: { restartPolicy: "OnFailure", containers: [{ name: "c", image: "flaky" }] } },
      }),
    );
    await ended(world, "flaky", "Complete");
    expect((await jobs(world).get("flaky")).status.succeeded).toBe(4);
  });
});

describe("[sig-apps] CronJob", () => {
  const cronJobs = (world: World): Endpoint => new Endpoint(world, "batch/v1/cronjobs", namespace);
  const cronJob = (name: string, spec: object = {}): Sent => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name },
    spec: {
      schedule: "*/1 * * * *",
      jobTemplate: {
        spec: {
          template: {
            spec: {
              restartPolicy: "OnFailure",
              containers: [{ name: "c", image: "busybox", command: ["sleep", "300"] }],
            },
          },
        },
      },
      ...spec,
    },
  });
  const activeJobs = async (world: World, name: string): Promise<{ name: string }[]> =>
    (await cronJobs(world).get(name)).status?.active ?? [];

  it("should not schedule jobs when suspended", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("paused", { suspend: true }));
    await world.pass(6 * 60_000);
    expect(await world.list(Job)).toEqual([]);
  });

  it("should not schedule new jobs when ForbidConcurrent", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("alone", { concurrencyPolicy: "Forbid" }));
    await world.wait("one is active", async () => (await activeJobs(world, "alone")).length === 1);
    const first = await activeJobs(world, "alone");
    await world.pass(3 * 60_000);
    expect((await activeJobs(world, "alone")).map(({ name }) => name)).toEqual(first.map(({ name }) => name));
    expect(await world.list(Job)).toHaveLength(1);
  });

  it("should replace jobs when ReplaceConcurrent", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("newest", { concurrencyPolicy: "Replace" }));
    await world.wait("one is active", async () => (await activeJobs(world, "newest")).length === 1);
    const [first] = await activeJobs(world, "newest");
    await world.wait("another took its place", async () => {
      const now = await activeJobs(world, "newest");
      return now.length === 1 && now[0]?.name !== first?.name;
    });
    await world.wait("it is deleted", async () => (await world.list(Job)).length === 1);
  });

  it("should schedule multiple jobs concurrently", async () => {
    const world = await newWorld();
    await cronJobs(world).create(cronJob("many", { concurrencyPolicy: "Allow" }));
    await world.wait("two are active", async () => (await activeJobs(world, "many")).length >= 2);
    expect((await world.list(Job)).length).toBeGreaterThanOrEqual(2);
  });

  it("should support CronJob API operations", async () => {
    const world = await newWorld({ controllers: false });
    await supportsApiOperations(world, {
      gvr: "batch/v1/cronjobs",
      namespace,
      make: (name) => cronJob(name),
      status: { lastScheduleTime: "2026-01-01T00:00:00Z" },
    });
  });
});
