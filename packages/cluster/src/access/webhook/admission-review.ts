/** The questions that webhooks get and the answers that are taken. Source: k8s.io/apiserver pkg/admission/plugin/webhook/request. */
import { type Status, StatusError } from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import { requestNamespace } from "../admission/request-match.ts";
import { type VersionedObjects, shownKind } from "../admission/versioned-request.ts";
import { userBody } from "../audit.ts";

/** What a webhook answered, checked. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  readonly result: Status | undefined;
  /** JSON Patch as text; undefined for none. */
  readonly patch: string | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

/** An AdmissionReview with its request. */
export function admissionReview(
  request: AdmissionRequest,
  about: {
    readonly uid: string;
    readonly reviewVersion: string;
    readonly resource: Resource;
    readonly objects: VersionedObjects;
  },
): object {
  const { resource, objects, uid } = about;
  const resourceOf = ({ api }: Resource): object => ({
    group: api.group,
    version: api.version,
    resource: api.plural,
  });
  const subresource = request.subresource === "" ? {} : { subResource: request.subresource };
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${about.reviewVersion}`,
    request: {
      uid,
      kind: shownKind(resource, objects),
      resource: resourceOf(resource),
      ...subresource,
      requestKind: shownKind(request.resource, request),
      requestResource: resourceOf(request.resource),
      ...(request.subresource === "" ? {} : { requestSubResource: request.subresource }),
      ...(request.name === "" ? {} : { name: request.name }),
      ...(requestNamespace(request) === "" ? {} : { namespace: requestNamespace(request) }),
      operation: request.operation,
      userInfo: userBody(request.user),
      object: objects.object ?? null,
      oldObject: objects.oldObject ?? null,
      dryRun: request.dryRun,
      options: request.options ?? null,
    },
  };
}

interface ReviewBody {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly status?: Status;
    readonly patch?: string;
    readonly patchType?: string;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: Readonly<Record<string, string>>;
  };
}

/** Checks an answer. @throws Error saying what is wrong with it */
export function readAdmissionAnswer(
  body: unknown,
  about: { readonly uid: string; readonly reviewVersion: string; readonly mutating: boolean },
): AdmissionAnswer {
  const { kind = "", apiVersion = "", response } = (body ?? {}) as ReviewBody;
  if (response === undefined || response === null) throw new Error("webhook response was absent");
  if (about.reviewVersion === "v1") {
    if (response.uid !== about.uid) {
      throw new Error(
        `expected response.uid=${JSON.stringify(about.uid)}, got ${JSON.stringify(response.uid ?? "")}`,
      );
    }
    if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview") {
      throw new Error(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`,
      );
    }
    checkPatch(response, about.mutating);
  }
  const { patch = "" } = response;
  return {
    allowed: response.allowed === true,
    result: response.status,
    patch: about.mutating && patch !== "" ? Buffer.from(patch, "base64").toString() : undefined,
    warnings: response.warnings ?? [],
    auditAnnotations: response.auditAnnotations ?? {},
  };
}

function checkPatch({ patch = "", patchType }: NonNullable<ReviewBody["response"]>, mutating: boolean): void {
  if (!mutating) {
    if (patch !== "") throw new Error("validating webhook may not return response.patch");
    if (patchType !== undefined) throw new Error("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && patchType === undefined)
    throw new Error("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined)
    throw new Error("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw new Error('webhook returned invalid response.patchType of ""');
  if (patchType !== undefined && patchType !== "JSONPatch")
    throw new Error(`unsupported patch type ${JSON.stringify(patchType)}`);
}

/** The error of a request that a webhook does not allow. Source: webhook/errors (statuserror.go). */
export function denial(webhook: string, result: Status | undefined): StatusError {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message = "", reason = "", code = 0, status = "Failure" } = result ?? {};
  const why =
    message !== "" ? `${by}: ${message}` : reason !== "" ? `${by}: ${reason}` : `${by} without explanation`;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    ...result,
    status: status === "Success" ? "Failure" : status,
    message: why,
    code: code < 400 ? 400 : code,
  });
}
