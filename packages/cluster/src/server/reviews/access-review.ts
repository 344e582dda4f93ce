/** May they? Source: kubernetes pkg/registry/authorization, pkg/apis/authorization/validation. */
import { type FieldError, badRequest, invalid } from "@bowline/api";
import type { AuthorizationRequest } from "../../access/authorization.ts";
import type { UserInfo } from "../../registry/user.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { answerReview } from "./review.ts";

interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
}

interface AccessSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export function subjectAccessReview(context: VerbContext): Promise<ServerResponse> {
  return answerReview(context, (question) => {
    const spec = specOf(question);
    check(question.kind, [...subjectErrors(spec), ...attributeErrors(spec)]);
    return decide(context, subjectOf(spec), spec);
  });
}

export function selfSubjectAccessReview(context: VerbContext): Promise<ServerResponse> {
  return answerReview(context, (question) => {
    const spec = specOf(question);
    check(question.kind, attributeErrors(spec));
    return decide(context, context.request.user, spec);
  });
}

export function localSubjectAccessReview(context: VerbContext): Promise<ServerResponse> {
  return answerReview(context, (question) => {
    const spec = specOf(question);
    const { namespace } = context.info;
    check(question.kind, [...subjectErrors(spec), ...attributeErrors(spec)]);
    if (spec.resourceAttributes?.namespace !== namespace)
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${namespace}`);
    return decide(context, subjectOf(spec), spec);
  });
}

function specOf(question: object): AccessSpec {
  return (question as { spec?: AccessSpec }).spec ?? {};
}

function subjectOf({ user = "", groups = [], uid, extra }: AccessSpec): UserInfo {
  return {
    name: user,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
}

function subjectErrors({ user = "", groups = [] }: AccessSpec): FieldError[] {
  if (user !== "" || groups.length > 0) return [];
  const detail = "at least one of user or group must be specified";
  return [{ type: "Invalid", field: "spec.user", badValue: user, detail }];
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: AccessSpec): FieldError[] {
  const both = resourceAttributes !== undefined && nonResourceAttributes !== undefined;
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  if (both) {
    const field = "spec.nonResourceAttributes";
    return [
      {
        type: "Invalid",
        field,
        badValue: nonResourceAttributes,
        detail: `cannot be specified in combination with resourceAttributes`,
      },
    ];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  return [{ type: "Invalid", field: "spec.resourceAttributes", badValue: null, detail }];
}

function check(kind: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "authorization.k8s.io", kind }, "", errors);
}

function decide({ ports }: VerbContext, user: UserInfo, spec: AccessSpec): object {
  const { allowed, reason } = ports.access.authorizer.authorize(questionOf(user, spec));
  return { allowed, ...(reason === "" ? {} : { reason }) };
}

function questionOf(
  user: UserInfo,
  { resourceAttributes, nonResourceAttributes }: AccessSpec,
): AuthorizationRequest {
  const attributes = resourceAttributes ?? {};
  return {
    user,
    path: nonResourceAttributes?.path ?? "",
    info: {
      isResource: resourceAttributes !== undefined,
      verb: attributes.verb ?? nonResourceAttributes?.verb ?? "",
      group: attributes.group ?? "",
      namespace: attributes.namespace ?? "",
      resource: attributes.resource ?? "",
      subresource: attributes.subresource ?? "",
      name: attributes.name ?? "",
    },
  };
}
