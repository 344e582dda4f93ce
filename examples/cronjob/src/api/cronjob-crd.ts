import { defineCrd } from "@bowline/api";
import { CronJob as CronJobV1 } from "./v1/cronjob.ts";
import { CronJob as CronJobV2 } from "./v2/cronjob.ts";

/** All versions of the kind; objects are stored in v1. */
export const cronJobCrd = defineCrd([CronJobV1, CronJobV2], { storage: "v1" });
