import { type Clock, systemClock } from "@bowline/client";
import { InstrumentRegistry } from "../manager/instruments.ts";
import { type Logger, silentLogger } from "../manager/logger.ts";
import type { ConversionDefinition } from "./define-conversion.ts";
import type { WebhookDefinition } from "./define-webhook.ts";
import { type WebhookAnswer, type WebhookRequest, WebhookRouter } from "./webhook-router.ts";

/**
 * Answers reviews without any network: for an API server in the same process, and for tests of what webhooks say. Its requests
 * and answers are those of the webhook server.
 */
export function webhookHandler(
  definitions: readonly (WebhookDefinition | ConversionDefinition)[],
  options: { readonly clock?: Clock; readonly logger?: Logger } = {},
): (request: WebhookRequest) => Promise<WebhookAnswer> {
  const { clock = systemClock, logger = silentLogger } = options;
  const router = new WebhookRouter(definitions, {
    clock,
    log: logger,
    instruments: new InstrumentRegistry(),
  });
  return (request) => router.answer(request);
}
