/** Validating webhooks: all at once, on the object as it will be stored. */
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import { isExempt } from "../admission/request-match.ts";
import {
  type Invocation,
  WebhookFailure,
  type WebhookPorts,
  callWebhook,
  invocationOf,
} from "./webhook-call.ts";
import type { WebhookConfigurations } from "./webhook-configuration.ts";

const failedOpenPrefix = "failed-open.validating.webhook.admission.k8s.io/";

export function validatingWebhooks(
  configurations: WebhookConfigurations,
  ports: WebhookPorts,
): AdmissionPlugin {
  return {
    name: "ValidatingAdmissionWebhook",
    async validate(request) {
      const { webhooks } = configurations;
      if (webhooks.length === 0 || isExempt(request.resource)) return;
      const invocations: Invocation[] = [];
      for (const webhook of webhooks) {
        const invocation = await invocationOf(webhook, request, ports);
        if (invocation !== undefined) invocations.push(invocation);
      }
      const errors = await Promise.all(
        invocations.map((invocation, index) => judge(invocation, request, { ports, index })),
      );
      const refusal = errors.find((error) => error !== undefined);
      if (refusal !== undefined) throw refusal;
    },
  };
}

/** Why the request is refused, if it is. */
async function judge(
  invocation: Invocation,
  request: AdmissionRequest,
  { ports, index }: { readonly ports: WebhookPorts; readonly index: number },
): Promise<unknown> {
  const { webhook } = invocation;
  try {
    await callWebhook(invocation, request, { mutating: false, random: ports.random });
    return undefined;
  } catch (error) {
    if (!(error instanceof WebhookFailure)) return error;
    if (!webhook.ignoresFailures) return error.status;
    request.annotate(`${failedOpenPrefix}round_0_index_${index}`, webhook.name);
    return undefined;
  }
}
