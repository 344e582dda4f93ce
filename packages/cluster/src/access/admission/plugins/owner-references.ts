/**
 * Owner references need permissions: to delete the object, and for blockOwnerDeletion to set finalizers of the owner.
 * Source: kubernetes plugin/pkg/admission/gc (gc_admission.go).
 */
import { type OwnerReference, jsonEqual, parseApiVersion } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import type { ResourceCatalog } from "../../../registry/resource-catalog.ts";
import type { Authorizer } from "../../authorization.ts";
import { refusal } from "./refusal.ts";

export function ownerReferencesPermission(authorizer: Authorizer, catalog: ResourceCatalog): AdmissionPlugin {
  const allowed = (
    request: AdmissionRequest,
    what: {
      verb: string;
      group: string;
      resource: string;
      subresource: string;
      namespace: string;
      name: string;
    },
  ): boolean =>
    authorizer.authorize({ user: request.user, info: { isResource: true, ...what }, path: "" }).allowed;

  const mayBlock = (request: AdmissionRequest, owner: OwnerReference): boolean => {
    const { group, version } = parseApiVersion(owner.apiVersion);
    const found = catalog.findKind(group, version, owner.kind);
    // an owner of a kind that is not served cannot be judged: as the real server, be strict
    const resource = found?.api.plural ?? "*";
    const namespace = found === undefined || found.api.namespaced ? request.namespace : "";
    const what = { verb: "update", group, resource, subresource: "finalizers", namespace, name: owner.name };
    return allowed(request, what);
  };

  return {
    name: "OwnerReferencesPermissionEnforcement",
    validate(request) {
      const { object, oldObject, operation, resource } = request;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
      const owners = (object.metadata.ownerReferences ?? []) as readonly OwnerReference[];
      const before = (oldObject?.metadata.ownerReferences ?? []) as readonly OwnerReference[];
      if (jsonEqual(owners as never, before as never)) return;
      const refuse = (why: string): never => {
        throw refusal(request, why);
      };
      if (operation === "UPDATE") {
        const { group, plural } = resource.api;
        const what = {
          verb: "delete",
          group,
          resource: plural,
          subresource: "",
          namespace: request.namespace,
        };
        if (!allowed(request, { ...what, name: request.name }))
          return refuse("cannot set an ownerRef on a resource you can't delete: , <nil>");
      }
      const blocking = owners.filter(
        (o) =>
          o.blockOwnerDeletion === true &&
          !before.some((b) => b.uid === o.uid && b.blockOwnerDeletion === true),
      );
      if (blocking.some((owner) => !mayBlock(request, owner))) {
        refuse(
          "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
        );
      }
    },
  };
}
