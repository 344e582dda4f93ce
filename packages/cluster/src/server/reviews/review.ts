import { deepFreeze, failure } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import { Revision, type StoredObject } from "../../store/revision.ts";
import { negotiatedUnprinted, objectAnswer } from "../answer.ts";
import { decodeObject } from "../decode-object.ts";
import { parseWriteOptions } from "../options.ts";
import type { ServerResponse } from "../request.ts";
import type { VerbContext } from "../verb-context.ts";

/** A posted question, and how it is answered: `status` is what the answer adds. @throws StatusError */
export async function answerReview(
  context: VerbContext,
  answer: (question: StoredObject) => Promise<object> | object,
): Promise<ServerResponse> {
  const { request, resource, warnings, info } = context;
  if (info.verb !== "create" || info.name !== "" || info.subresource !== "") {
    throw failure(
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    );
  }
  const form = negotiatedUnprinted(context);
  const options = parseWriteOptions(request.query, "CreateOptions");
  const question = decodeObject(request, resource, {
    fieldValidation: options.fieldValidation,
    warn: (text) => void warnings.add(text),
  });
  const status = await answer(question);
  const metadata = { ...question.metadata, creationTimestamp: question.metadata.creationTimestamp ?? null };
  const { apiVersion, kind, ...rest } = question;
  const object = deepFreeze({ apiVersion, kind, ...rest, metadata, status }) as unknown as StoredObject;
  return objectAnswer(context, form, { status: 201, revision: new Revision("", 0, object) });
}

/** RFC 3339 of now, for answers that carry a time. */
export function nowText(context: VerbContext): string {
  return rfc3339(context.ports.clock.now());
}
