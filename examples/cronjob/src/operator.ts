import { defineOperator } from "@bowline/runtime";
import { cronJobController } from "./controllers/cronjob.ts";
import { cronJobWebhook } from "./webhooks/cronjob.ts";
import { cronJobCrd } from "./api/cronjob-crd.ts";
import { cronJobConversion } from "./api/cronjob-conversion.ts";

/** What this operator is made of: the one value from which it is run, tested and deployed. */
export default defineOperator({
  name: "cronjob-operator",
  kinds: [cronJobCrd],
  controllers: [cronJobController],
  webhooks: [cronJobWebhook, cronJobConversion],
});
