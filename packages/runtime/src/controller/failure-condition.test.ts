import { type DeepReadonly, type KubeObject, conflict, forbidden } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { reportingFailure } from "./failure-condition.ts";
import type { ReconcileContext } from "./reconcile-context.ts";
import { TerminalError } from "./result.ts";

const object: DeepReadonly<KubeObject> = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" } };

/** What a failing reconcile wrote into the conditions, and what it threw. */
async function outcomeOf(failure: unknown, aborted = false) {
  const written: unknown[] = [];
  const ctx = {
    signal: aborted ? AbortSignal.abort() : new AbortController().signal,
    condition: (condition: unknown) => [condition],
    patchStatus: ({ conditions }: { conditions: unknown[] }) => {
      written.push(...conditions);
      return Promise.reject(new Error("the status cannot be written either"));
    },
  } as unknown as ReconcileContext;
  const reconcile = reportingFailure(() => Promise.reject(failure as Error), "Ready");
  const thrown = await Promise.resolve(reconcile(object, ctx)).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { written, thrown };
}

describe("failureCondition", () => {
  const refused = forbidden({ group: "apps", resource: "deployments" }, "web", "no");
  it.each([
    ["an answer of the API server", refused, "Forbidden", refused.message],
    ["one that is not tried again", new TerminalError("never", { cause: refused }), "Forbidden", "never"],
    ["any other error", new Error("the sky fell"), "ReconcileFailed", "the sky fell"],
    ["what is no error at all", "a text", "ReconcileFailed", "a text"],
  ])("tells %s, and lets it go on", async (_what, failure, reason, message) => {
    const { written, thrown } = await outcomeOf(failure);
    expect(written).toEqual([{ type: "Ready", status: false, reason, message }]);
    expect(thrown).toBe(failure);
  });

  it("says nothing of conflicts, and nothing when the term is over", async () => {
    const stale = conflict({ group: "", resource: "things" }, "a", "stale");
    expect((await outcomeOf(stale)).written).toEqual([]);
    expect((await outcomeOf(new Error("stopped"), true)).written).toEqual([]);
  });
});
