import { badRequest } from "@bowline/api";

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
  const invalid = (why: string): Error => badRequest(`continue key is not valid: ${why}`);
  let parsed: { v?: unknown; rv?: unknown; start?: unknown };
  try {
    if (!/^[A-Za-z0-9_-]+={0,2}$/.test(text)) throw new Error("illegal base64 data");
    parsed = JSON.parse(Buffer.from(text, "base64url").toString()) as typeof parsed;
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
