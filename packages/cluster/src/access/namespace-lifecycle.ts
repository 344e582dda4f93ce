import { failure, forbidden, notFound } from "@bowline/api";
import type { Bucket } from "../store/bucket.ts";
import type { AdmissionPlugin, AdmissionRequest } from "../registry/admission.ts";

/** Namespaces that cannot be deleted. */
const immortal = new Set(["default", "kube-system", "kube-public"]);

/**
 * Refuses objects in namespaces that do not exist or are going, and the deletion of the built-in namespaces.
 * Source: k8s.io/apiserver pkg/admission/plugin/namespace/lifecycle.
 */
export function namespaceLifecycle(namespaces: Bucket): AdmissionPlugin {
  return {
    name: "NamespaceLifecycle",
    mutate(request) {
      checkCreate(namespaces, request);
      return request.object ?? fail(request);
    },
    validate(request) {
      const { operation, resource, name } = request;
      if (operation !== "DELETE" || resource.bucket !== namespaces || !immortal.has(name)) return;
      throw forbidden({ group: "", resource: "namespaces" }, name, "this namespace may not be deleted");
    },
  };
}

function fail(request: AdmissionRequest): never {
  throw new Error(`admission of ${request.resource.api.plural} ${request.name} without an object`);
}

function checkCreate(namespaces: Bucket, request: AdmissionRequest): void {
  const { operation, resource, namespace, name } = request;
  if (operation !== "CREATE" || !resource.api.namespaced) return;
  const found = namespaces.get(namespace);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if ((found.object["status"] as { phase?: string } | undefined)?.phase !== "Terminating") return;
  const error = forbidden(
    { group: resource.api.group, resource: resource.api.plural },
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  throw failure(403, "Forbidden", error.message, {
    ...error.status.details,
    causes: [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  });
}
