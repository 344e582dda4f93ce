import { badRequest, decodeJson } from "@bowline/api";

/** Where a paged list goes on: after `after`, in the state of `revision` (-1: in today's state, which is inconsistent). */
export interface ContinueToken {
  readonly revision: number;
  /** Store key of the last item of the page before, relative to the list's prefix. */
  readonly after: string;
}

/** An opaque token. Source: k8s.io/apiserver pkg/storage/continue.go, whose shape it has so that tools can read it. */
export function encodeContinueToken(token: ContinueToken): string {
  const json = JSON.stringify({ v: "meta.k8s.io/v1", rv: token.revision, start: `${token.after}\u0000` });
  return Buffer.from(json).toString("base64url");
}

/** @throws StatusError 400 */
export function decodeContinueToken(text: string): ContinueToken {
  const invalid = (why: string): Error =>
    badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const illegal = illegalByte(text);
  if (illegal >= 0) throw invalid(`illegal base64 data at input byte ${illegal}`);
  let parsed: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    parsed = (decodeJson(Buffer.from(text, "base64url").toString()).value ?? {}) as typeof parsed;
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error));
  }
  if (parsed.v !== "meta.k8s.io/v1")
    throw invalid(`server does not recognize this encoded version ${JSON.stringify(parsed.v ?? "")}`);
  if (typeof parsed.rv !== "number" || parsed.rv === 0)
    throw invalid("incorrect encoded start resourceVersion");
  if (typeof parsed.start !== "string" || parsed.start === "")
    throw invalid("encoded start key is not valid");
  return { revision: parsed.rv, after: parsed.start.replace(/\u0000$/, "") };
}

/** Where a text stops being unpadded base64url, as Go's decoder counts: a group of one character is wrong where it begins. */
function illegalByte(text: string): number {
  const at = text.search(/[^A-Za-z0-9_-]/);
  if (at >= 0) return at;
  return text.length % 4 === 1 ? text.length - 1 : -1;
}
