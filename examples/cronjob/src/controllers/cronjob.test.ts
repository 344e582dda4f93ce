import { type CreateOf, findCondition } from "@bowline/api";
import { Job } from "@bowline/api/batch/v1";
import { VirtualClock } from "@bowline/client";
import { type RunOptions, type TestCluster, startCluster } from "@bowline/testing";
import { afterEach, describe, expect, it } from "vitest";
import { CronJob } from "../api/v1/cronjob.ts";
import operator from "../operator.ts";
import { scheduledAtAnnotation } from "./child-jobs.ts";

const key = { name: "tick", namespace: "default" };
const minuteMs = 60_000;
/** What containers of these images do. */
const images = {
  quick: { exitAfterMs: 1000 },
  broken: { exitAfterMs: 1000, exitCode: 1 },
  slow: { exitAfterMs: 150_000 },
};

type Spec = CreateOf<typeof CronJob>["spec"];

function specOf(image: keyof typeof images, spec: Partial<Spec> = {}): Spec {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
  return { schedule: "* * * * *", jobTemplate: { spec: { template, backoffLimit: 0 } }, ...spec };
}

/** Each test begins at 2026-01-01T00:00:00Z, and time passes only when the test says so. */
describe("the CronJob controller", () => {
  let test: TestCluster;
  afterEach(() => test.close());

  async function start(spec: Spec, options: RunOptions = {}): Promise<void> {
    test = await startCluster({ clock: new VirtualClock(), images });
    await test.run(operator, options);
    await test.client.create(CronJob, { metadata: key, spec });
  }
  /** The minutes of the hour for which there are Jobs now. */
  async function minutes(): Promise<number[]> {
    const { items } = await test.client.list(Job, { namespace: "default" });
    return items
      .map((job) => new Date(Number(job.metadata.name?.split("-").at(-1)) * 1000).getUTCMinutes())
      .sort((a, b) => a - b);
  }
  const get = () => test.client.get(CronJob, key);
  const reasonOf = async (type: string): Promise<string> => {
    const condition = findCondition((await get()).status?.conditions, type);
    return `${condition?.status} ${condition?.reason}`;
  };

  it("starts a Job at every time of the schedule, with its time in name and annotation", async () => {
    await start(specOf("quick"));
    await test.advance(2 * minuteMs + 30_000);
    expect(await minutes()).toEqual([1, 2]);
    const time = Date.parse("2026-01-01T00:02:00Z") / 1000;
    const job = await test.client.get(Job, { ...key, name: `tick-${time}` });
    expect(job.metadata).toMatchObject({
      annotations: { [scheduledAtAnnotation]: "2026-01-01T00:02:00Z" },
      ownerReferences: [{ kind: "CronJob", name: "tick", controller: true }],
    });
    expect((await get()).status?.lastScheduleTime).toBe("2026-01-01T00:02:00Z");
  });

  it("gives Jobs the labels and annotations of the template", async () => {
    const metadata = { labels: { team: "a" }, annotations: { note: "b" } };
    const spec = specOf("quick");
    await start({ ...spec, jobTemplate: { ...spec.jobTemplate, metadata } });
    await test.advance(minuteMs + 5000);
    const [job] = (await test.client.list(Job, { namespace: "default" })).items;
    expect(job?.metadata.labels).toMatchObject({ team: "a" });
    expect(job?.metadata.annotations).toMatchObject({ note: "b" });
  });

  it("lists the Jobs that run, and says so in conditions", async () => {
    await start(specOf("slow"));
    await test.advance(1000);
    expect([await reasonOf("Available"), await reasonOf("Progressing")]).toEqual([
      "True AllJobsCompleted",
      "False NoJobsActive",
    ]);
    await test.advance(minuteMs);
    expect((await get()).status?.active).toMatchObject([{ apiVersion: "batch/v1", kind: "Job" }]);
    expect([await reasonOf("Available"), await reasonOf("Progressing"), await reasonOf("Degraded")]).toEqual([
      "True JobsActive",
      "True JobsActive",
      "False AsExpected",
    ]);
  });

  it.each([
    ["Allow", [1, 2, 3], 3],
    ["Forbid", [1], 1],
    ["Replace", [3], 1],
  ] as const)(
    "with the concurrency policy %s has the runs of minutes %j after three",
    async (policy, runs, active) => {
      await start(specOf("slow", { concurrencyPolicy: policy }));
      await test.advance(3 * minuteMs + 10_000);
      expect(await minutes()).toEqual(runs);
      expect((await get()).status?.active).toHaveLength(active);
    },
  );

  it("starts the run that Forbid held up as soon as the earlier one has ended", async () => {
    await start(specOf("slow", { concurrencyPolicy: "Forbid" }));
    await test.advance(3 * minuteMs + 45_000);
    expect(await minutes()).toEqual([1, 3]);
  });

  it("keeps three successful Jobs and one failed Job unless it is told otherwise", async () => {
    await start(specOf("quick"));
    await test.advance(5 * minuteMs + 30_000);
    expect(await minutes()).toEqual([3, 4, 5]);
    const { jobTemplate } = specOf("broken");
    await test.client.patch(CronJob, key, { merge: { spec: { jobTemplate } } } as never);
    await test.advance(3 * minuteMs);
    expect(await minutes()).toEqual([3, 4, 5, 8]);
    expect(await reasonOf("Degraded")).toBe("True JobsFailed");
  });

  it("does not start a run again whose Job is gone by a history limit of 0", async () => {
    await start(specOf("quick", { successfulJobsHistoryLimit: 0 }));
    await test.advance(minuteMs + 30_000);
    expect(await minutes()).toEqual([]);
    expect((await get()).status?.lastScheduleTime).toBe("2026-01-01T00:01:00Z");
    const { items } = await test.client.list({ apiVersion: "v1", kind: "Event" }, { namespace: "default" });
    const created = items.filter((event) => (event as { reason?: string }).reason === "SuccessfulCreate");
    expect(created.filter((event) => String(event["message"]).startsWith("Created job tick"))).toHaveLength(
      1,
    );
  });

  it("starts nothing while it is suspended, and only the latest run afterwards", async () => {
    await start(specOf("quick", { suspend: true }));
    await test.advance(5 * minuteMs + 10_000);
    expect(await minutes()).toEqual([]);
    expect(await reasonOf("Available")).toBe("False Suspended");
    await test.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await test.advance(5000);
    expect(await minutes()).toEqual([5]);
  });

  it("starts no run later than its deadline, and says that it was missed until another one starts", async () => {
    await start(specOf("quick", { suspend: true, startingDeadlineSeconds: 20 }));
    await test.advance(5 * minuteMs + 30_000);
    await test.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await test.advance(1000);
    expect(await minutes()).toEqual([]);
    expect([await reasonOf("Degraded"), await reasonOf("Available")]).toEqual([
      "True MissedSchedule",
      "True AllJobsCompleted",
    ]);
    await test.advance(minuteMs);
    expect(await minutes()).toEqual([6]);
    expect(await reasonOf("Degraded")).toBe("False AsExpected");
  });

  it("starts nothing after more than 100 missed times without a deadline, and goes on when it gets one", async () => {
    await start(specOf("quick", { suspend: true }));
    await test.advance(150 * minuteMs + 10_000);
    await test.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await test.advance(2 * minuteMs);
    expect(await minutes()).toEqual([]);
    expect([await reasonOf("Degraded"), await reasonOf("Available")]).toEqual([
      "True TooManyMissedStarts",
      "False TooManyMissedStarts",
    ]);
    await test.client.patch(CronJob, key, { merge: { spec: { startingDeadlineSeconds: 60 } } });
    await test.advance(1000);
    expect(await minutes()).toEqual([152 % 60]);
    // two and a half hours take a while on a busy machine
  }, 20_000);

  it("says what is wrong with a schedule that no webhook has refused", async () => {
    await start(specOf("quick", { schedule: "61 * * * *" }), { webhooks: false });
    await test.advance(1000);
    expect(await reasonOf("Degraded")).toBe("True InvalidSchedule");
    await test.client.patch(CronJob, key, { merge: { spec: { schedule: "* * * * *" } } });
    await test.advance(minuteMs);
    expect(await minutes()).toEqual([1]);
    expect(await reasonOf("Degraded")).toBe("False AsExpected");
  });

  it("says why a Job could not be created, and tries again", async () => {
    const spec = specOf("quick");
    const template = { spec: { restartPolicy: "Always", containers: [{ name: "main", image: "quick" }] } };
    await start({ ...spec, jobTemplate: { spec: { template } } });
    await test.advance(minuteMs + 1000);
    expect(await reasonOf("Degraded")).toBe("True JobCreationFailed");
    await test.client.patch(CronJob, key, { merge: { spec: { jobTemplate: spec.jobTemplate } } } as never);
    await test.advance(1000);
    expect(await minutes()).toEqual([1]);
  });

  it("writes nothing between two runs", async () => {
    await start(specOf("quick"));
    await test.advance(minuteMs + 10_000);
    const before = (await get()).metadata.resourceVersion;
    await test.advance(45_000);
    expect((await get()).metadata.resourceVersion).toBe(before);
  });

  it("goes on where it was when it is stopped and started again", async () => {
    test = await startCluster({ clock: new VirtualClock(), images });
    const first = await test.run(operator);
    await test.client.create(CronJob, { metadata: key, spec: specOf("quick") });
    await test.advance(minuteMs + 10_000);
    await first.stop();
    await test.advance(3 * minuteMs);
    await test.run(operator);
    await test.advance(1000);
    expect(await minutes()).toEqual([1, 4]);
  });

  it("takes its Jobs with it when it is deleted", async () => {
    await start(specOf("slow"));
    await test.advance(2 * minuteMs + 10_000);
    await test.client.delete(CronJob, key);
    await test.advance(5000);
    expect(await minutes()).toEqual([]);
  });
});
