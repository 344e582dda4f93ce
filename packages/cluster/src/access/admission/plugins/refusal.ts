import { type StatusError, forbidden } from "@bowline/api";
import type { AdmissionRequest } from "../../../registry/admission.ts";
import { resourceName } from "../../../registry/generic-registry.ts";

/**
 * What a plugin answers to what it does not let through. While a request is mutated, a name that is to be generated is not
 * there yet: the beginning of it is named. Source: kubernetes apiserver/pkg/admission/errors.go.
 */
export function refusal(request: AdmissionRequest, why: string): StatusError {
  const { name, generateName } = request.object?.metadata ?? {};
  return forbidden(resourceName(request.resource), request.name || name || generateName || "Unknown", why);
}
