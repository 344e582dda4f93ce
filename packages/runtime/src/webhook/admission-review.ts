import {
  type DeepReadonly,
  type KubeObject,
  type Status,
  type Value,
  createJsonPatch,
  deepFreeze,
  isStatusError,
} from "@bowline/api";
import type { AdmissionContext, WebhookDefinition } from "./define-webhook.ts";

type Frozen = DeepReadonly<KubeObject>;

/** Source: admission.k8s.io/v1 AdmissionRequest. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: AdmissionContext["operation"];
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly userInfo?: AdmissionContext["user"];
  readonly object?: Frozen | null;
  readonly oldObject?: Frozen | null;
  readonly dryRun?: boolean;
}

/** Source: admission.k8s.io/v1 AdmissionResponse. */
interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: Partial<Status>;
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly patchType?: "JSONPatch";
  readonly warnings?: readonly string[];
}

/** An answer, and whether the webhook's own code broke. */
export interface Admission {
  readonly response: AdmissionResponse;
  readonly panic: unknown;
}

/** Defaults an object: answers the patch from what was sent to what the function made of it. */
export async function admitMutating(
  webhook: WebhookDefinition,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<Admission> {
  // nothing can be defaulted on a delete: there is no object to store
  if (request.operation === "DELETE" || request.object === null || request.object === undefined) {
    return allowed(request, []);
  }
  const { object } = request;
  return guarded(request, signal, async (ctx) => {
    const answer = await webhook.options.default?.(deepFreeze(object), ctx);
    if (answer === undefined || answer === object) return undefined;
    const patch = createJsonPatch(object as unknown as Value, answer as unknown as Value);
    return patch.length === 0 ? undefined : JSON.stringify(patch);
  });
}

/** Validates a request. */
export function admitValidating(
  webhook: WebhookDefinition,
  request: AdmissionRequest,
  signal: AbortSignal,
): Promise<Admission> {
  return guarded(request, signal, async (ctx) => {
    const warnings = await validate(webhook, request, ctx);
    for (const text of warnings ?? []) ctx.warn(text);
    return undefined;
  });
}

async function validate(
  webhook: WebhookDefinition,
  request: AdmissionRequest,
  ctx: AdmissionContext,
): Promise<readonly string[] | undefined> {
  const { options } = webhook;
  const object = deepFreeze(request.object ?? undefined) as Frozen;
  const old = deepFreeze(request.oldObject ?? undefined) as Frozen;
  switch (request.operation) {
    case "CREATE":
      return (await options.validateCreate?.(object, ctx)) ?? undefined;
    case "UPDATE":
      return (await options.validateUpdate?.(object, old, ctx)) ?? undefined;
    case "DELETE":
      return (await options.validateDelete?.(old, ctx)) ?? undefined;
    default:
      return undefined;
  }
}

/** Runs a webhook function; whatever it throws becomes an answer. */
async function guarded(
  request: AdmissionRequest,
  signal: AbortSignal,
  run: (ctx: AdmissionContext) => Promise<string | undefined>,
): Promise<Admission> {
  const warnings: string[] = [];
  const ctx: AdmissionContext = {
    operation: request.operation,
    user: request.userInfo ?? {},
    dryRun: request.dryRun ?? false,
    subresource: request.subResource ?? "",
    namespace: request.namespace ?? "",
    name: request.name ?? "",
    old: request.oldObject ?? undefined,
    signal,
    warn: (text) => void warnings.push(text),
  };
  try {
    const patch = await run(ctx);
    if (patch === undefined) return allowed(request, warnings);
    const encoded = Buffer.from(patch).toString("base64");
    const { response } = allowed(request, warnings);
    return { response: { ...response, patch: encoded, patchType: "JSONPatch" }, panic: undefined };
  } catch (error) {
    return refused(request, warnings, error);
  }
}

function allowed(request: AdmissionRequest, warnings: readonly string[]): Admission {
  const response = { uid: request.uid, allowed: true, status: { code: 200 }, ...withWarnings(warnings) };
  return { response, panic: undefined };
}

function refused(request: AdmissionRequest, warnings: readonly string[], error: unknown): Admission {
  const isPanic =
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const status: Partial<Status> = isStatusError(error)
    ? error.status
    : isPanic
      ? { code: 500, reason: "InternalError", message: `the webhook failed: ${error.message}` }
      : { code: 403, reason: "Forbidden", message: error instanceof Error ? error.message : String(error) };
  const response = { uid: request.uid, allowed: false, status, ...withWarnings(warnings) };
  return { response, panic: isPanic ? error : undefined };
}

function withWarnings(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  return warnings.length === 0 ? {} : { warnings };
}
