/** Objects that are posted to a subresource and never stored. Source: k8s.io/apiserver pkg/endpoints/handlers (create.go). */
import { AdmissionChain, type AdmissionRequest } from "../../registry/admission.ts";
import { type WriteContext, admissionRequest } from "../../registry/generic-registry.ts";
import type { StoredObject } from "../../store/revision.ts";
import { negotiatedUnprinted } from "../answer.ts";
import { type BodyKind, decodeObject } from "../decode-object.ts";
import { type Negotiated, contentType } from "../negotiation.ts";
import { type WriteOptions, parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import { type VerbContext, writeContext } from "../verb-context.ts";
import { inNamespace, optionsObject } from "../verbs/create.ts";

/** What was posted, as mutating admission leaves it. */
export interface Posted {
  readonly object: StoredObject;
  readonly options: WriteOptions;
  /** For what the request makes the server write. */
  readonly write: WriteContext;
  readonly form: Negotiated;
  /** Asks validating admission. @throws StatusError */
  validate(object: StoredObject): Promise<void>;
}

/** Reads the body of a POST and lets mutating admission change it. @throws StatusError 400, 415, 422 and what admission says */
export async function postedObject(context: VerbContext, kind: BodyKind): Promise<Posted> {
  const { info, resource, request, warnings } = context;
  const form = negotiatedUnprinted(context);
  const options = parseWriteOptions(request.query, "CreateOptions");
  const decoded = decodeObject(request, kind, {
    fieldValidation: options.fieldValidation,
    warn: (text) => void warnings.add(text),
  });
  const sent = inNamespace(context, decoded, info.namespace);
  const write = writeContext(context, {
    dryRun: options.dryRun,
    fieldManager: options.fieldManager,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...optionsObject(options) },
  });
  const { namespace, name, subresource } = info;
  const admission = (object: StoredObject): AdmissionRequest =>
    admissionRequest(resource, write, { operation: "CREATE", namespace, name, object, subresource });
  const object = (await write.admission.mutate(admission(sent))) ?? sent;
  return { object, options, write, form, validate: (judged) => write.admission.validate(admission(judged)) };
}

/** What the server writes because of a request: admission has judged the request. */
export function withoutAdmission(write: WriteContext): WriteContext {
  return { ...write, admission: noAdmission };
}

const noAdmission = new AdmissionChain([]);

/** The answer of a POST that leaves nothing to show. */
export function successAnswer(form: Negotiated): ServerResponse {
  return {
    kind: "object",
    status: 201,
    headers: { "content-type": contentType(form.encoding) },
    object: success,
  };
}

const success = Object.freeze({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
});
