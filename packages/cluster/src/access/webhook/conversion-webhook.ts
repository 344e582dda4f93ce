/**
 * Conversion of custom resources by their webhook.
 * Source: apiextensions-apiserver pkg/apiserver/conversion (webhook_converter.go).
 */
import { type CustomResourceDefinition, deepFreeze, failure } from "@bowline/api";
import type { Clock, Random } from "@bowline/client";
import type { Converter } from "../../registry/custom-resource.ts";
import type { StoredObject } from "../../store/revision.ts";
import { type ServiceResolver, WebhookClient, type WebhookClientConfig } from "./webhook-client.ts";

/** How long a conversion may take, seconds. Source: the same as for any request of the API server. */
const timeoutSeconds = 30;

export interface ConversionPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly resolveService: ServiceResolver;
}

/** Asks the webhook of a definition once for all objects that it is given. */
export function conversionWebhook(crd: CustomResourceDefinition, ports: ConversionPorts): Converter {
  const { clientConfig = {}, conversionReviewVersions = [] } = crd.spec.conversion?.webhook ?? {};
  const client = new WebhookClient(clientConfig as WebhookClientConfig, ports);
  const reviewVersion = conversionReviewVersions.find((v) => v === "v1" || v === "v1beta1");
  return async (objects, apiVersion) => {
    const sent = objects.filter((object) => object.apiVersion !== apiVersion);
    if (sent.length === 0) return objects;
    const call: ConversionCall = { apiVersion, sent, reviewVersion, uid: ports.random.uuid() };
    const answers = await ask(client, call);
    let next = 0;
    return objects.map((object) =>
      object.apiVersion === apiVersion
        ? object
        : checked(call, object, { converted: answers[next], index: next++ }),
    );
  };
}

interface ConversionCall {
  readonly apiVersion: string;
  readonly sent: readonly StoredObject[];
  readonly reviewVersion: string | undefined;
  readonly uid: string;
}

interface ConversionBody {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: {
    readonly uid?: string;
    readonly result?: { readonly status?: string; readonly message?: string };
    readonly convertedObjects?: readonly unknown[];
  };
}

async function ask(client: WebhookClient, call: ConversionCall): Promise<readonly unknown[]> {
  const { sent, apiVersion, reviewVersion, uid } = call;
  if (reviewVersion === undefined) throw conversionError("no supported conversion review versions");
  const review = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: sent },
  };
  const failed = (error: Error): never => {
    throw conversionError(`${webhookOf(call)} failed: ${error.message}`);
  };
  const body = (await client.post(review, timeoutSeconds).catch(failed)) as ConversionBody;
  const why = complaint(body, call);
  if (why !== undefined) return failed(new Error(why));
  const converted = body.response?.convertedObjects ?? [];
  if (converted.length !== sent.length) {
    throw conversionError(`${webhookOf(call)} returned ${converted.length} objects, expected ${sent.length}`);
  }
  return converted;
}

/** What is wrong with an answer as a whole. */
function complaint(body: ConversionBody, { reviewVersion, uid }: ConversionCall): string | undefined {
  const { response } = body;
  if (reviewVersion === "v1") {
    const { apiVersion = "", kind = "" } = body;
    if (apiVersion !== "apiextensions.k8s.io/v1" || kind !== "ConversionReview") {
      const got = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
      return `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${got}`;
    }
  }
  if (response === undefined || response === null) return "no response provided";
  if (reviewVersion === "v1" && response.uid !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`;
  const { status = "", message = "" } = response.result ?? {};
  if (status === "Success") return undefined;
  return message === "" ? `response.result.status was '${status}', not 'Success'` : message;
}

/** A converted object with the metadata of the original, apart from labels and annotations. */
function checked(
  call: ConversionCall,
  original: StoredObject,
  { converted, index }: { readonly converted: unknown; readonly index: number },
): StoredObject {
  const isList = call.sent.length > 1;
  const found = converted as Partial<StoredObject> | undefined | null;
  const refuse = (why: string): never => {
    const what = isList ? `converted object at index ${index}` : "object";
    throw conversionError(`${webhookOf(call)} returned invalid ${what}: ${why}`);
  };
  const { apiVersion = "", kind = "", metadata } = found ?? {};
  const place = isList ? "" : "at index 0: ";
  if (apiVersion !== call.apiVersion) {
    const why = `invalid groupVersion (expected ${call.apiVersion}, received ${apiVersion})`;
    return isList ? refuse(why) : refuseSingle(call, `${place}${why}`);
  }
  if (kind !== original.kind) {
    const why = `invalid kind (expected ${original.kind}, received ${kind})`;
    return isList ? refuse(why) : refuseSingle(call, `${place}${why}`);
  }
  if (metadata === undefined || metadata === null) return refuseMetadata(call, isList ? index : undefined);
  for (const [field, label] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const before = original.metadata[field] ?? "";
    const after = metadata[field] ?? "";
    if (before !== after) return refuse(`must have the same ${label}: ${before} != ${after}`);
  }
  const { labels: _l, annotations: _a, ...kept } = original.metadata;
  const { labels, annotations } = metadata;
  const restored = { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
  return deepFreeze({ ...found, metadata: restored }) as unknown as StoredObject;
}

function refuseSingle(call: ConversionCall, why: string): never {
  throw conversionError(`${webhookOf(call)} returned invalid object ${why}`);
}

function refuseMetadata(call: ConversionCall, index: number | undefined): never {
  const why = "missing metadata in converted object";
  const what = index === undefined ? "metadata" : `metadata in object at index ${index}`;
  throw conversionError(`${webhookOf(call)} returned invalid ${what}: ${why}`);
}

/** `conversion webhook for example.com/v1, Kind=Widget`; a list is named by its list kind. */
function webhookOf({ sent }: ConversionCall): string {
  const { apiVersion, kind } = sent[0] ?? { apiVersion: "", kind: "" };
  return `conversion webhook for ${apiVersion}, Kind=${sent.length > 1 ? `${kind}List` : kind}`;
}

function conversionError(text: string): Error {
  return failure(500, "", text);
}
