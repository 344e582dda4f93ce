import { type DeepReadonly, jsonEqual } from "@bowline/api";
import { defineConversion } from "@bowline/runtime";
import { type ScheduleFields, joinSchedule, splitSchedule } from "./schedule.ts";
import { CronJob } from "./v1/cronjob.ts";
import type { CronJob as CronJobV2 } from "./v2/cronjob.ts";

/** Keeps a text that its fields do not give back: `@daily`, two spaces. */
const textAnnotation = "batch.tutorial.kubebuilder.io/v1-schedule";
/** Keeps fields that their text does not give back: a `*` that was written out. */
const fieldsAnnotation = "batch.tutorial.kubebuilder.io/v2-schedule";

type Metadata = CronJob["metadata"];

/** Every version is converted to v1 and back. */
export const cronJobConversion = defineConversion(CronJob, {
  hub: "v1",
  spokes: [
    {
      version: "v2",
      toHub(object) {
        const { metadata, spec, status } = object as DeepReadonly<CronJobV2>;
        const kept = metadata.annotations?.[textAnnotation];
        // somebody may have changed the fields since: then the text is no longer theirs
        const isCurrent = kept !== undefined && jsonEqual(splitSchedule(kept), spec.schedule);
        const schedule = isCurrent ? kept : joinSchedule(spec.schedule);
        const isLost = !jsonEqual(splitSchedule(schedule), spec.schedule);
        return {
          metadata: annotated(metadata, {
            [textAnnotation]: undefined,
            [fieldsAnnotation]: isLost ? JSON.stringify(spec.schedule) : undefined,
          }),
          spec: { ...spec, schedule },
          ...(status === undefined ? {} : { status }),
        };
      },
      fromHub(object) {
        const { metadata, spec, status } = object as DeepReadonly<CronJob>;
        const kept = fieldsOf(metadata.annotations?.[fieldsAnnotation]);
        const isCurrent = kept !== undefined && joinSchedule(kept) === spec.schedule;
        const schedule = isCurrent ? kept : splitSchedule(spec.schedule);
        const isLost = joinSchedule(schedule) !== spec.schedule;
        return {
          metadata: annotated(metadata, {
            [textAnnotation]: isLost ? spec.schedule : undefined,
            [fieldsAnnotation]: undefined,
          }),
          spec: { ...spec, schedule },
          ...(status === undefined ? {} : { status }),
        };
      },
    },
  ],
});

/** The metadata with annotations set, or taken away where undefined. */
function annotated(
  metadata: DeepReadonly<Metadata>,
  changes: Readonly<Record<string, string | undefined>>,
): DeepReadonly<Metadata> {
  const all = Object.entries({ ...metadata.annotations, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...metadata, annotations: Object.fromEntries(all) as Record<string, string> };
}

/** An annotation is anybody's to edit: one that cannot be read counts as absent. */
function fieldsOf(text: string | undefined): ScheduleFields | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as ScheduleFields);
  } catch {
    return undefined;
  }
}
