/** Who is it? Source: kubernetes pkg/registry/authentication (tokenreview, selfsubjectreview). */
import { badRequest } from "@bowline/api";
import { userBody } from "../../access/audit.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";
import { answerReview } from "./review.ts";

export function selfSubjectReview(context: VerbContext): Promise<ServerResponse> {
  return answerReview(context, () => ({ userInfo: userBody(context.request.user) }));
}

export function tokenReview(context: VerbContext): Promise<ServerResponse> {
  const { authenticator, serviceAccounts } = context.ports.access;
  return answerReview(context, (question) => {
    const { token = "", audiences = [] } =
      (question as { spec?: { token?: string; audiences?: readonly string[] } }).spec ?? {};
    if (token === "") throw badRequest("token is required for TokenReview in authentication");
    const verdict = authenticator.authenticateToken(token, audiences);
    if ("error" in verdict) return { user: {}, error: `[invalid bearer token, ${verdict.error}]` };
    // a token that names no audiences is good for the server's own
    const own = [serviceAccounts.issuer];
    const shared =
      verdict.audiences ?? (audiences.length === 0 ? own : audiences.filter((a) => own.includes(a)));
    if (shared.length === 0) return { user: {} };
    return { authenticated: true, user: userBody(verdict.user), audiences: shared };
  });
}
