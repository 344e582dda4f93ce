/** What may I do in a namespace? Source: kubernetes pkg/registry/authorization/selfsubjectrulesreview. */
import { badRequest } from "@bowline/api";
import { isNode } from "../../access/node/node-authorizer.ts";
import type { PolicyRule } from "../../access/rbac/policy-rule.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { answerReview } from "./review.ts";

export function selfSubjectRulesReview(context: VerbContext): Promise<ServerResponse> {
  const { ports, request } = context;
  return answerReview(context, (question) => {
    const { namespace = "" } = (question as { spec?: { namespace?: string } }).spec ?? {};
    if (namespace === "") throw badRequest("no namespace on request");
    const { rules, missing } = ports.access.rbac.rulesFor(request.user, namespace);
    const unknown = isNode(request.user)
      ? ["node authorizer does not support user rule resolution", ...missing]
      : missing;
    return {
      resourceRules: rules.filter((r) => (r.resources?.length ?? 0) > 0).map(resourceRule),
      nonResourceRules: rules
        .filter((r) => (r.nonResourceURLs?.length ?? 0) > 0)
        .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: unknown.length > 0,
      ...(unknown.length === 0 ? {} : { evaluationError: unknown.join(", ") }),
    };
  });
}

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): object {
  return { verbs, apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}
