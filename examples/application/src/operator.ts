import { defineOperator } from "@bowline/runtime";
import { Application } from "./api/v1/application.ts";
import { applicationController } from "./controllers/application.ts";
import { applicationWebhook } from "./webhooks/application.ts";

/** What this operator is made of: the one value from which it is run, tested and deployed. */
export default defineOperator({
  name: "application-operator",
  kinds: [Application],
  controllers: [applicationController],
  webhooks: [applicationWebhook],
});
