/** The CronJob controller. Source: kubernetes pkg/controller/cronjob (cronjob_controllerv2.go, utils.go). */
import { type DeepReadonly, isAlreadyExists, isNotFound } from "@bowline/api";
import { CronJob, Job } from "@bowline/api/batch/v1";
import { rfc3339 } from "@bowline/client";
import { type ControllerDefinition, type ReconcileContext, defineController } from "@bowline/runtime";
import { Cron } from "croner";
import { ComponentEvents } from "./component-events.ts";
import { defined, keyOf, managerName, replaceStatus } from "./control-plane.ts";
import { textOf } from "./pods/pod-control.ts";

type CronState = DeepReadonly<CronJob>;
type JobObject = DeepReadonly<Job>;
type Context = ReconcileContext<CronJob>;

const scheduledAnnotation = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/** Beyond so many missed times they are not started, but spoken of. */
const missedMax = 100;

export function cronJobController(): ControllerDefinition {
  const events = new ComponentEvents("cronjob-controller");
  return defineController(CronJob, {
    name: "cronjob-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [Job],
    reconcile: (cron, ctx) => new CronPass(cron, ctx, events).run(),
  });
}

class CronPass {
  readonly #cron: CronState;
  readonly #ctx: Context;
  readonly #events: ComponentEvents;
  readonly #now: number;
  #active: readonly NonNullable<NonNullable<CronState["status"]>["active"]>[number][];
  #lastScheduleTime: string | undefined;
  #lastSuccessfulTime: string | undefined;

  constructor(cron: CronState, ctx: Context, events: ComponentEvents) {
    this.#cron = cron;
    this.#ctx = ctx;
    this.#events = events;
    this.#now = ctx.clock.now();
    this.#active = cron.status?.active ?? [];
    this.#lastScheduleTime = cron.status?.lastScheduleTime;
    this.#lastSuccessfulTime = cron.status?.lastSuccessfulTime;
  }

  async run(): Promise<{ requeueAfterMs: number } | undefined> {
    const jobs = await this.#ctx.owned(Job);
    this.#noteJobs(jobs);
    await this.#cleanHistory(jobs);
    const schedule = this.#schedule();
    const nextAt =
      schedule === undefined || this.#cron.spec?.suspend === true
        ? undefined
        : await this.#startDue(schedule, jobs);
    await this.#writeStatus();
    return nextAt === undefined ? undefined : { requeueAfterMs: Math.max(1, nextAt - this.#ctx.clock.now()) };
  }

  /** The times of the schedule; undefined when it cannot be read. */
  #schedule(): Cron | undefined {
    const { schedule = "", timeZone = "UTC" } = this.#cron.spec ?? {};
    try {
      return new Cron(schedule, { timezone: timeZone, paused: true, legacyMode: true });
    } catch (error) {
      this.#say(
        "Warning",
        "UnparseableSchedule",
        `unparseable schedule: ${JSON.stringify(schedule)} : ${textOf(error)}`,
      );
      return undefined;
    }
  }

  /** Takes Jobs that have ended, or are gone, out of the active ones, and tells of those that nobody knows. */
  #noteJobs(jobs: readonly JobObject[]): void {
    for (const job of jobs) {
      const end = finishedAs(job);
      const { name, uid } = job.metadata;
      const isActive = this.#active.some((ref) => ref.uid === uid);
      if (end === undefined && !isActive) {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        this.#say("Warning", "UnexpectedJob", message);
      }
      if (end === undefined) continue;
      if (isActive) {
        this.#active = this.#active.filter((ref) => ref.uid !== uid);
        this.#say("Normal", "SawCompletedJob", `Saw completed job: ${name}, condition: ${end}`);
      }
      const time = job.status?.completionTime;
      if (end === "Complete" && time !== undefined && (this.#lastSuccessfulTime ?? "") < time)
        this.#lastSuccessfulTime = time;
    }
    const there = new Set(jobs.map((job) => job.metadata.uid));
    for (const { name } of this.#active.filter(({ uid }) => !there.has(uid)))
      this.#say("Normal", "MissingJob", `Active job went missing: ${name}`);
    this.#active = this.#active.filter(({ uid }) => there.has(uid));
  }

  async #cleanHistory(jobs: readonly JobObject[]): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.#cron.spec ?? {};
    await this.#keepNewest(
      jobs.filter((job) => finishedAs(job) === "Complete"),
      successfulJobsHistoryLimit ?? 3,
    );
    await this.#keepNewest(
      jobs.filter((job) => finishedAs(job) === "Failed"),
      failedJobsHistoryLimit ?? 1,
    );
  }

  async #keepNewest(jobs: readonly JobObject[], limit: number): Promise<void> {
    const oldestFirst = [...jobs].sort((a, b) =>
      (a.status?.startTime ?? "") < (b.status?.startTime ?? "") ? -1 : 1,
    );
    for (const job of oldestFirst.slice(0, Math.max(0, oldestFirst.length - limit))) await this.#delete(job);
  }

  /** Starts the Job of the latest time that is due. Answers the next time. */
  async #startDue(schedule: Cron, jobs: readonly JobObject[]): Promise<number | undefined> {
    const nextAt = schedule.nextRun(new Date(this.#now))?.getTime();
    const dueAt = this.#dueTime(schedule);
    if (dueAt === undefined) return nextAt;
    const { startingDeadlineSeconds, concurrencyPolicy = "Allow" } = this.#cron.spec ?? {};
    if (startingDeadlineSeconds !== undefined && dueAt + startingDeadlineSeconds * 1000 < this.#now) {
      this.#say("Warning", "MissSchedule", `Missed scheduled time to start a job: ${goTime(dueAt)}`);
      return nextAt;
    }
    const isStarted = this.#active.some(({ name }) => name === this.#jobName(dueAt));
    if (isStarted || this.#lastScheduleTime === rfc3339(dueAt)) return nextAt;
    if (concurrencyPolicy === "Forbid" && this.#active.length > 0) {
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      this.#say("Normal", "JobAlreadyActive", message);
      return nextAt;
    }
    if (concurrencyPolicy === "Replace") {
      for (const job of jobs.filter((one) => this.#active.some(({ uid }) => uid === one.metadata.uid)))
        await this.#delete(job);
      this.#active = [];
    }
    await this.#start(dueAt);
    return nextAt;
  }

  /** The latest time of the schedule that has not been started. */
  #dueTime(schedule: Cron): number | undefined {
    const { startingDeadlineSeconds } = this.#cron.spec ?? {};
    const since = Date.parse(this.#lastScheduleTime ?? this.#cron.metadata.creationTimestamp ?? "");
    const deadline = startingDeadlineSeconds === undefined ? 0 : this.#now - startingDeadlineSeconds * 1000;
    let latest: number | undefined;
    let missed = 0;
    let at = schedule.nextRun(new Date(Math.max(since, deadline)))?.getTime();
    while (at !== undefined && at <= this.#now) {
      latest = at;
      missed++;
      at = schedule.nextRun(new Date(at))?.getTime();
    }
    if (missed > missedMax) {
      const message = `too many missed start times: ${missed}. Set or decrease .spec.startingDeadlineSeconds or check clock skew`;
      this.#say("Warning", "TooManyMissedTimes", message);
    }
    // with a deadline the latest time may lie before the window that was looked through
    return latest;
  }

  async #start(dueAt: number): Promise<void> {
    const template = this.#cron.spec?.jobTemplate;
    const name = this.#jobName(dueAt);
    const metadata = defined({
      name,
      namespace: this.#cron.metadata.namespace,
      labels: template?.metadata?.labels,
      annotations: { ...template?.metadata?.annotations, [scheduledAnnotation]: this.#zonedTime(dueAt) },
    });
    try {
      const job = await this.#ctx.create(Job, { metadata, spec: template?.spec } as never);
      this.#say("Normal", "SuccessfulCreate", `Created job ${name}`);
      this.#noteStarted(job, dueAt);
    } catch (error) {
      if (isAlreadyExists(error)) return this.#noteForgotten(name, dueAt);
      this.#say("Warning", "FailedCreate", `Error creating job: ${textOf(error)}`);
      throw error;
    }
  }

  #noteStarted(job: JobObject, dueAt: number): void {
    this.#active = [...this.#active, refTo(job)];
    this.#lastScheduleTime = rfc3339(dueAt);
  }

  /** A Job of ours that was made before its status could be written; one of somebody else is theirs. */
  async #noteForgotten(name: string, dueAt: number): Promise<void> {
    const key = { name, namespace: this.#cron.metadata.namespace ?? "" };
    const job = await this.#ctx.client.get(Job, key, { signal: this.#ctx.signal });
    const { uid } = this.#cron.metadata;
    const isOurs = job.metadata.ownerReferences?.some((ref) => ref.controller === true && ref.uid === uid);
    if (isOurs === true) this.#noteStarted(job, dueAt);
  }

  #jobName(at: number): string {
    return `${this.#cron.metadata.name}-${Math.floor(at / 60_000)}`;
  }

  /** RFC 3339 in the schedule's time zone. */
  #zonedTime(at: number): string {
    const timeZone = this.#cron.spec?.timeZone;
    if (timeZone === undefined) return rfc3339(at);
    const offset = zoneOffsetMs(at, timeZone);
    if (offset === 0) return rfc3339(at);
    const minutes = Math.abs(offset) / 60_000;
    const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
    const sign = offset < 0 ? "-" : "+";
    return `${rfc3339(at + offset).slice(0, -1)}${sign}${two(minutes / 60)}:${two(minutes % 60)}`;
  }

  async #delete(job: JobObject): Promise<void> {
    try {
      const options = { propagationPolicy: "Background", signal: this.#ctx.signal } as const;
      await this.#ctx.client.delete(Job, keyOf(job), options);
      this.#say("Normal", "SuccessfulDelete", `Deleted job ${job.metadata.name}`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #writeStatus(): Promise<void> {
    await replaceStatus(this.#cron as never, this.#ctx as never, {
      active: this.#active.length > 0 ? this.#active : undefined,
      lastScheduleTime: this.#lastScheduleTime,
      lastSuccessfulTime: this.#lastSuccessfulTime,
    });
  }

  #say(type: "Normal" | "Warning", reason: string, message: string): void {
    this.#events.record(this.#ctx, this.#cron, { type, reason, message });
  }
}

function finishedAs(job: JobObject): string | undefined {
  return job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  )?.type;
}

function refTo(job: JobObject): NonNullable<NonNullable<CronState["status"]>["active"]>[number] {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = job.metadata;
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}

/** How far a zone's clocks are ahead of UTC at a time. */
function zoneOffsetMs(at: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
  const text = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
  const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d+):?(\d*)/.exec(text) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes || 0)) * 60_000;
}

/** `Thu, 01 Jan 2026 00:01:00 UTC`: RFC 1123 as the real controller writes it. */
function goTime(at: number): string {
  return new Date(at).toUTCString().replace("GMT", "+0000");
}
