import { CronJob, Job } from "@bowline/api/batch/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld } from "./world.ts";

const key = { name: "tick", namespace: "default" };
const images = {
  quick: { exitAfterMs: 1000 },
  bad: { exitAfterMs: 1000, exitCode: 1 },
  slow: { exitAfterMs: 150_000 },
};
const minute = 60_000;

function cronOf(spec: object, image = "quick"): never {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image }] } };
  return {
    metadata: key,
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template, backoffLimit: 0 } }, ...spec },
  } as never;
}

async function start(spec: object = {}, image = "quick"): Promise<World> {
  const world = await newWorld({ images });
  await world.client.create(CronJob, cronOf(spec, image));
  return world;
}

/** 2026-01-01T00:00:00Z in minutes. */
const begin = Date.UTC(2026, 0, 1) / minute;
const jobs = (world: World) => world.names(Job);
const get = (world: World) => world.client.get(CronJob, key);

describe("CronJob controller", () => {
  it("starts a job <name>-<minutes since 1970> at every time of the schedule, with the time in an annotation", async () => {
    const world = await start();
    await world.pass(2 * minute + 5000);
    expect(await jobs(world)).toEqual([`tick-${begin + 1}`, `tick-${begin + 2}`]);
    const job = await world.client.get(Job, { ...key, name: `tick-${begin + 1}` });
    expect(job.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toBe(
      "2026-01-01T00:01:00Z",
    );
    const { status } = await get(world);
    expect(status?.lastScheduleTime).toBe("2026-01-01T00:02:00Z");
    expect(status?.lastSuccessfulTime).toBe("2026-01-01T00:02:01Z");
    expect(await world.events({ kind: "CronJob", name: "tick" })).toEqual(
      expect.arrayContaining([
        `SuccessfulCreate: Created job tick-${begin + 1}`,
        `SawCompletedJob: Saw completed job: tick-${begin + 1}, condition: Complete`,
      ]),
    );
  });

  it("keeps the times of its time zone", async () => {
    const world = await start({ schedule: "30 1 * * *", timeZone: "Europe/Berlin" });
    await world.pass(31 * minute);
    const [name] = await jobs(world);
    expect(name).toBe(`tick-${begin + 30}`);
    const job = await world.client.get(Job, { ...key, name: name ?? "" });
    expect(job.metadata.annotations?.["batch.kubernetes.io/cronjob-scheduled-timestamp"]).toBe(
      "2026-01-01T01:30:00+01:00",
    );
  });

  it.each([
    ["Allow", 3, 3],
    ["Forbid", 1, 1],
    ["Replace", 1, 1],
  ])(
    "starts with the concurrency policy %s while earlier jobs run",
    async (concurrencyPolicy, count, active) => {
      const world = await start({ concurrencyPolicy }, "slow");
      await world.pass(3 * minute + 10_000);
      expect((await jobs(world)).length).toBe(concurrencyPolicy === "Forbid" ? 1 : count);
      expect((await get(world)).status?.active).toHaveLength(active);
      if (concurrencyPolicy === "Replace") expect(await jobs(world)).toEqual([`tick-${begin + 3}`]);
      if (concurrencyPolicy === "Forbid") expect(await jobs(world)).toEqual([`tick-${begin + 1}`]);
    },
  );

  it("starts nothing while suspended, and not what was due longer ago than the deadline", async () => {
    const world = await start({ suspend: true, startingDeadlineSeconds: 20 });
    await world.pass(5 * minute + 30_000);
    expect(await jobs(world)).toEqual([]);
    await world.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await world.pass(1000);
    expect(await jobs(world)).toEqual([]);
    await world.pass(minute);
    expect(await jobs(world)).toEqual([`tick-${begin + 6}`]);
  });

  it("starts the latest of missed times without a deadline, and warns when there were more than 100", async () => {
    const world = await start({ suspend: true });
    await world.pass(150 * minute + 10_000);
    await world.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await world.pass(1000);
    expect(await jobs(world)).toEqual([`tick-${begin + 150}`]);
    expect((await world.events({ kind: "CronJob", name: "tick" }))[0]).toBe(
      "TooManyMissedTimes: too many missed start times: 150. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
    );
  });

  it("keeps three successful and one failed job by default", async () => {
    for (const [image, kept] of [
      ["quick", 3],
      ["bad", 1],
    ] as const) {
      const world = await start({}, image);
      await world.pass(6 * minute + 30_000);
      expect(await jobs(world)).toHaveLength(kept);
    }
  });

  it("tells of jobs that are not of its making, and does not count them as running", async () => {
    const world = await start({ concurrencyPolicy: "Forbid" });
    const { metadata } = await get(world);
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "slow" }] } };
    const owner = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "tick",
      uid: metadata.uid,
      controller: true,
    };
    await world.client.create(Job, {
      metadata: { ...key, name: "by-hand", ownerReferences: [owner] },
      spec: { template },
    } as never);
    await world.pass(minute + 5000);
    expect(await jobs(world)).toEqual(["by-hand", `tick-${begin + 1}`]);
    expect((await get(world)).status?.active).toBeUndefined();
    expect(await world.events({ kind: "CronJob", name: "tick" })).toContain(
      "UnexpectedJob: Saw a job that the controller did not create or forgot: by-hand",
    );
    // its success counts
    await world.pass(40_000);
    await world.client.patch(CronJob, key, { merge: { spec: { suspend: true } } });
    await world.pass(3 * minute);
    expect((await get(world)).status?.lastSuccessfulTime).toBe("2026-01-01T00:02:30Z");
  });

  it("says that a running job went missing, and goes on", async () => {
    const world = await start({}, "slow");
    await world.pass(minute + 5000);
    await world.client.delete(Job, { ...key, name: `tick-${begin + 1}` });
    await world.pass(1000);
    expect((await get(world)).status?.active).toBeUndefined();
    expect(await world.events({ kind: "CronJob", name: "tick" })).toContain(
      `MissingJob: Active job went missing: tick-${begin + 1}`,
    );
    expect(await jobs(world)).toEqual([]);
  });

  it("takes up a job that it made but had no time to write down, and leaves one of another name alone", async () => {
    const world = await start({ suspend: true });
    const { metadata } = await get(world);
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "slow" }] } };
    const owner = {
      apiVersion: "batch/v1",
      kind: "CronJob",
      name: "tick",
      uid: metadata.uid,
      controller: true,
    };
    const make = (minutes: number, ownerReferences: object[]): Promise<unknown> =>
      world.client.create(Job, {
        metadata: { ...key, name: `tick-${begin + minutes}`, ownerReferences },
        spec: { template },
      } as never);
    await make(1, [owner]);
    await make(2, []);
    await world.client.patch(CronJob, key, { merge: { spec: { suspend: false } } });
    await world.pass(minute + 1000);
    expect((await get(world)).status).toMatchObject({
      active: [{ name: `tick-${begin + 1}` }],
      lastScheduleTime: "2026-01-01T00:01:00Z",
    });
    await world.pass(minute);
    expect((await get(world)).status?.lastScheduleTime).toBe("2026-01-01T00:01:00Z");
  });
});
