import { isInvalid } from "@bowline/api";
import { type TestCluster, startCluster } from "@bowline/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CronJob } from "../api/v1/cronjob.ts";
import { CronJob as CronJobV2 } from "../api/v2/cronjob.ts";
import operator from "../operator.ts";
import { cronJobProblems, defaultCronJob } from "./cronjob.ts";

const jobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } },
};
const cronJob = (schedule: string, name = "a"): CronJob => ({
  apiVersion: "batch.tutorial.kubebuilder.io/v1",
  kind: "CronJob",
  metadata: { name },
  spec: { schedule, jobTemplate },
});

describe("the CronJob webhook", () => {
  it("fills in what was left out", () => {
    expect(defaultCronJob(cronJob("* * * * *")).spec).toMatchObject({
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    });
  });

  it("leaves alone what was said", () => {
    const said = { concurrencyPolicy: "Forbid", suspend: true, successfulJobsHistoryLimit: 0 } as const;
    const whole = { ...cronJob("* * * * *"), spec: { ...cronJob("* * * * *").spec, ...said } };
    expect(defaultCronJob(whole).spec).toEqual({ ...whole.spec, failedJobsHistoryLimit: 1 });
  });

  it.each([
    ["*/5 * * * *", "a", []],
    ["@daily", "a".repeat(52), []],
    ["* * * *", "a", ["spec.schedule"]],
    ["* * * * *", "a".repeat(53), ["metadata.name"]],
    ["never", "a".repeat(53), ["metadata.name", "spec.schedule"]],
  ])("finds in schedule %j with name %s the fields %j wrong", (schedule, name, fields) => {
    expect(cronJobProblems(cronJob(schedule, name)).map((problem) => problem.field)).toEqual(fields);
  });
});

describe("the API server with the CronJob webhooks", () => {
  let test: TestCluster;
  beforeAll(async () => {
    test = await startCluster();
    await test.run(operator, { webhooks: true });
  });
  afterAll(() => test.close());

  const key = (name: string) => ({ name, namespace: "default" });
  const create = (name: string, schedule: string) =>
    test.client.create(CronJob, { metadata: key(name), spec: { schedule, jobTemplate } });

  it("stores the defaults", async () => {
    expect((await create("defaulted", "0 4 * * *")).spec).toMatchObject({
      concurrencyPolicy: "Allow",
      failedJobsHistoryLimit: 1,
    });
  });

  it("refuses with everything that is wrong, as its own errors look", async () => {
    const refused = await create("b".repeat(53), "never").catch((error: unknown) => error);
    expect(isInvalid(refused)).toBe(true);
    expect(String(refused)).toMatch(
      /CronJob\.batch\.tutorial\.kubebuilder\.io "b+" is invalid: \[metadata\.name: .*, spec\.schedule: Invalid value: "never": /,
    );
  });

  it("refuses a change for the worse", async () => {
    await create("changed", "0 4 * * *");
    const change = test.client.patch(CronJob, key("changed"), {
      merge: { spec: { schedule: "0 25 * * *" } },
    });
    expect(String(await change.catch((error: unknown) => error))).toContain("Invalid value for hour: 25");
  });

  it("shows an object of v1 as v2 with its schedule in fields, and back", async () => {
    await create("both", "0 4 * * MON");
    const asV2 = await test.client.get(CronJobV2, key("both"));
    expect(asV2.spec.schedule).toEqual({ minute: "0", hour: "4", dayOfWeek: "MON" });
    await test.client.patch(CronJobV2, key("both"), { merge: { spec: { schedule: { hour: "5" } } } });
    expect((await test.client.get(CronJob, key("both"))).spec.schedule).toBe("0 5 * * MON");
  });

  it("keeps a nickname through v2, until somebody changes the fields", async () => {
    await create("nick", "@daily");
    await test.client.patch(CronJobV2, key("nick"), { merge: { spec: { suspend: true } } });
    expect((await test.client.get(CronJob, key("nick"))).spec).toMatchObject({
      schedule: "@daily",
      suspend: true,
    });
    await test.client.patch(CronJobV2, key("nick"), { merge: { spec: { schedule: { hour: "3" } } } });
    expect((await test.client.get(CronJob, key("nick"))).spec.schedule).toBe("0 3 * * *");
  });

  it("validates objects of v2 as what they are in v1", async () => {
    const created = test.client.create(CronJobV2, {
      metadata: key("wrong"),
      spec: { schedule: { minute: "61" }, jobTemplate },
    });
    expect(String(await created.catch((error: unknown) => error))).toContain('Invalid value: "61 * * * *"');
  });
});
