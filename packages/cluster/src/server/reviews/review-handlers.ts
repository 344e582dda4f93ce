import type { Resource } from "../../registry/resource.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from "./access-review.ts";
import { selfSubjectReview, tokenReview } from "./identity-review.ts";
import { selfSubjectRulesReview } from "./rules-review.ts";

/** Answers a question that is posted like an object but never stored. */
export type ReviewHandler = (context: VerbContext) => Promise<ServerResponse>;

/** Resources that are questions, by `group/plural`. */
const handlers: Readonly<Record<string, ReviewHandler>> = {
  "authentication.k8s.io/selfsubjectreviews": selfSubjectReview,
  "authentication.k8s.io/tokenreviews": tokenReview,
  "authorization.k8s.io/localsubjectaccessreviews": localSubjectAccessReview,
  "authorization.k8s.io/selfsubjectaccessreviews": selfSubjectAccessReview,
  "authorization.k8s.io/selfsubjectrulesreviews": selfSubjectRulesReview,
  "authorization.k8s.io/subjectaccessreviews": subjectAccessReview,
};

export function reviewHandler({ api, typedItems }: Resource): ReviewHandler | undefined {
  return typedItems ? undefined : handlers[`${api.group}/${api.plural}`];
}
