/**
 * The values of what expressions of match conditions and policies can see.
 * Source: k8s.io/apiserver pkg/admission/plugin/cel (compile.go, activation.go).
 */
import type { Authorizer as CelAuthorizer } from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { Resource } from "../../registry/resource.ts";
import type { StoredObject } from "../../store/revision.ts";
import { userBody } from "../audit.ts";
import type { Authorizer } from "../authorization.ts";
import { serviceAccountUser } from "../service-account-tokens.ts";
import { requestNamespace } from "./request-match.ts";
import { type VersionedObjects, shownKind } from "./versioned-request.ts";

/** The request as expressions see it. */
function requestValue(request: AdmissionRequest, resource: Resource, objects: VersionedObjects): object {
  const { subresource, resource: own } = request;
  const resourceOf = ({ api }: Resource): object => ({
    group: api.group,
    version: api.version,
    resource: api.plural,
  });
  return {
    kind: shownKind(resource, objects),
    resource: resourceOf(resource),
    subResource: subresource,
    requestKind: shownKind(own, request),
    requestResource: resourceOf(own),
    requestSubResource: subresource,
    name: request.name,
    namespace: requestNamespace(request),
    operation: request.operation,
    userInfo: userBody(request.user),
    dryRun: request.dryRun,
  };
}

/** The namespace of a request as `namespaceObject`; null outside of namespaces. */
export function namespaceValue(namespace: StoredObject | undefined): object | null {
  if (namespace === undefined) return null;
  const { uid: UID, ownerReferences: _o, managedFields: _m, ...metadata } = namespace.metadata;
  return { metadata: { ...metadata, UID }, spec: namespace["spec"], status: namespace["status"] };
}

/** The cluster's authorizer, asked for the requesting user. */
export function celAuthorizer(authorizer: Authorizer, request: AdmissionRequest): CelAuthorizer {
  return (question) => {
    const { serviceAccount: account } = question;
    const { allowed, reason } = authorizer.authorize({
      user: account === undefined ? request.user : serviceAccountUser(account.namespace, account.name),
      path: question.path ?? "",
      info: {
        isResource: question.path === undefined,
        verb: question.verb,
        group: question.group ?? "",
        namespace: question.namespace ?? "",
        resource: question.resource ?? "",
        subresource: question.subresource ?? "",
        name: question.name ?? "",
      },
    });
    return { allowed, reason };
  };
}

/** Values of the variables of an admission expression. */
export function admissionValues(
  request: AdmissionRequest,
  about: {
    readonly resource: Resource;
    readonly objects: VersionedObjects;
    readonly namespace: StoredObject | undefined;
    readonly authorizer: Authorizer;
  },
): Record<string, unknown> {
  return {
    object: about.objects.object ?? null,
    oldObject: about.objects.oldObject ?? null,
    request: requestValue(request, about.resource, about.objects),
    namespaceObject: namespaceValue(about.namespace),
    authorizer: celAuthorizer(about.authorizer, request),
  };
}
