/** One call of one webhook: whether it is for the request, the question, the answer, and what a failure means. */
import { type StatusError, badRequest, forbidden, internalError } from "@bowline/api";
import type { Clock, Random } from "@bowline/client";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import { resourceName } from "../../registry/generic-registry.ts";
import { admissionValues } from "../admission/cel-variables.ts";
import {
  type MatchPorts,
  matchedResource,
  namespaceSelected,
  objectSelected,
  requestNamespace,
} from "../admission/request-match.ts";
import { type VersionedObjects, versionedObjects } from "../admission/versioned-request.ts";
import type { Authorizer } from "../authorization.ts";
import { type AdmissionAnswer, admissionReview, denial, readAdmissionAnswer } from "./admission-review.ts";
import type { Webhook } from "./webhook-configuration.ts";

export interface WebhookPorts extends MatchPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: Authorizer;
}

/** A webhook that is to be called, with the objects in its version. */
export interface Invocation {
  readonly webhook: Webhook;
  readonly resource: Resource;
  readonly objects: VersionedObjects;
}

/** Undefined for a webhook that is not for this request. @throws StatusError when that cannot be told */
export async function invocationOf(
  webhook: Webhook,
  request: AdmissionRequest,
  ports: WebhookPorts,
): Promise<Invocation | undefined> {
  if (!objectSelected(webhook.objectSelector, request)) return undefined;
  const equivalent = webhook.matchPolicy === "Equivalent";
  const resource = matchedResource(request, webhook.rules, { equivalent, catalog: ports.catalog });
  if (resource === undefined || !namespaceSelected(webhook.namespaceSelector, request, ports.namespaces))
    return undefined;
  const objects = await versionedObjects(request, resource);
  if (!webhook.conditions.isEmpty) {
    const namespace = ports.namespaces.get(requestNamespace(request))?.object;
    const values = admissionValues(request, { resource, objects, namespace, authorizer: ports.authorizer });
    const verdict = webhook.conditions.judge(values);
    if ("error" in verdict) throw forbidden(resourceName(request.resource), request.name, verdict.error);
    if (!verdict.matches) return undefined;
  }
  return { webhook, resource, objects };
}

/** The webhook could not be asked, or answered badly: its failure policy decides. */
export class WebhookFailure extends Error {
  override readonly name: string = "WebhookFailure";
  readonly status: StatusError;
  constructor(webhook: string, why: string, options?: ErrorOptions) {
    const text = `failed calling webhook ${JSON.stringify(webhook)}: ${why}`;
    super(text, options);
    this.status = internalError(text);
  }
}

/**
 * Asks a webhook. Warnings and audit annotations of its answer are passed on.
 * @throws WebhookFailure; StatusError when it does not allow the request
 */
export async function callWebhook(
  { webhook, resource, objects }: Invocation,
  request: AdmissionRequest,
  given: { readonly mutating: boolean; readonly random: Random },
): Promise<AdmissionAnswer> {
  const { name, reviewVersion } = webhook;
  if (request.dryRun && webhook.sideEffects !== "None" && webhook.sideEffects !== "NoneOnDryRun") {
    if (webhook.sideEffects === undefined) throw new WebhookFailure(name, "Webhook SideEffects is nil");
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  if (reviewVersion === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
    throw new WebhookFailure(name, `could not create admission objects: ${why}`);
  }
  const uid = given.random.uuid();
  const review = admissionReview(request, { uid, reviewVersion, resource, objects });
  const body = await webhook.client
    .post(review, webhook.timeoutSeconds)
    .catch((error: Error) => fail(name, "failed to call webhook", error));
  const answer = read(name, body, { uid, reviewVersion, mutating: given.mutating });
  for (const [key, value] of Object.entries(answer.auditAnnotations))
    request.annotate(`${name}/${key}`, value);
  for (const text of answer.warnings) request.warn(text);
  if (!answer.allowed) throw denial(name, answer.result);
  return answer;
}

function read(
  name: string,
  body: unknown,
  about: Parameters<typeof readAdmissionAnswer>[1],
): AdmissionAnswer {
  try {
    return readAdmissionAnswer(body, about);
  } catch (error) {
    return fail(name, "received invalid webhook response", error as Error);
  }
}

function fail(webhook: string, what: string, error: Error): never {
  throw new WebhookFailure(webhook, `${what}: ${error.message}`, { cause: error });
}
