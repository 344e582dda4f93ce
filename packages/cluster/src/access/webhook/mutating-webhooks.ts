/** Mutating webhooks: one after the other, with a second round for those that want to see what others changed. */
import { applyJsonPatch, decodeJsonPatch, internalError, jsonEqual } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../registry/admission.ts";
import type { StoredObject } from "../../store/revision.ts";
import { ReinvocationMemory } from "../admission/reinvocation-memory.ts";
import { isExempt } from "../admission/request-match.ts";
import { converted, decodedObject } from "../admission/versioned-request.ts";
import {
  type Invocation,
  WebhookFailure,
  type WebhookPorts,
  callWebhook,
  invocationOf,
} from "./webhook-call.ts";
import type { WebhookConfigurations } from "./webhook-configuration.ts";

const pluginName = "MutatingAdmissionWebhook";
const annotationPrefix = "mutation.webhook.admission.k8s.io/";

export function mutatingWebhooks(
  configurations: WebhookConfigurations,
  ports: WebhookPorts,
): AdmissionPlugin {
  const dispatch = async (request: AdmissionRequest): Promise<AdmissionRequest> => {
    const memory = ReinvocationMemory.of(request, pluginName);
    let current = request;
    for (const [index, webhook] of configurations.webhooks.entries()) {
      const invocation = await invocationOf(webhook, current, ports);
      if (invocation === undefined || memory.skips(webhook.id)) continue;
      const object = await run(invocation, current, { ports, index });
      if (object !== undefined) {
        current = { ...current, object };
        memory.changed();
      }
      if (webhook.reinvokes) memory.ran(webhook.id);
    }
    memory.end(current.object);
    return current;
  };
  const applies = (request: AdmissionRequest): boolean =>
    configurations.webhooks.length > 0 && !isExempt(request.resource);
  return {
    name: pluginName,
    async mutate(request) {
      const object = applies(request) ? (await dispatch(request)).object : request.object;
      if (object === undefined) throw new Error(`admission of ${request.name} without an object`);
      return object;
    },
    // deletes have no mutating phase here: what may only refuse, may refuse now
    async validate(request) {
      if (request.operation === "DELETE" && applies(request)) await dispatch(request);
    },
  };
}

/** The changed object, undefined when nothing is changed. @throws StatusError */
async function run(
  invocation: Invocation,
  request: AdmissionRequest,
  { ports, index }: { readonly ports: WebhookPorts; readonly index: number },
): Promise<StoredObject | undefined> {
  const { webhook } = invocation;
  const key = `${annotationPrefix}round_${request.pass?.isSecond ? 1 : 0}_index_${index}`;
  let changed: StoredObject | undefined;
  try {
    const { patch } = await callWebhook(invocation, request, { mutating: true, random: ports.random });
    changed = patch === undefined ? undefined : await patched(invocation, request, patch);
  } catch (error) {
    if (!(error instanceof WebhookFailure)) throw error;
    if (!webhook.ignoresFailures) throw error.status;
    request.annotate(`failed-open.${key}`, webhook.name);
  }
  const { configuration, name } = webhook;
  request.annotate(key, JSON.stringify({ configuration, webhook: name, mutated: changed !== undefined }));
  return changed;
}

async function patched(
  { webhook, resource, objects }: Invocation,
  request: AdmissionRequest,
  patch: string,
): Promise<StoredObject | undefined> {
  const operations = decodePatch(webhook.name, patch);
  if (operations.length === 0) return undefined;
  if (objects.object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  let object: StoredObject;
  try {
    object = decodedObject(resource, applyJsonPatch(objects.object as never, operations));
  } catch (error) {
    throw internalError((error as Error).message);
  }
  if (jsonEqual(object as never, objects.object as never)) return undefined;
  return converted(object, resource, request.resource);
}

function decodePatch(webhook: string, patch: string): ReturnType<typeof decodeJsonPatch>["operations"] {
  try {
    return decodeJsonPatch(patch).operations;
  } catch (error) {
    const why = `received undecodable patch in webhook response: ${(error as Error).message}`;
    throw new WebhookFailure(webhook, why);
  }
}
