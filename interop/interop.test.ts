import { describe, expect, it } from "vitest";
import { clients } from "./clients.ts";
import { hasFailed, runClient } from "./run-client.ts";

/** Above what they take together on a busy machine with two cores. */
const limitMs = 900_000;

/**
 * The clients that npm brings; Go and Python run with `npm run interop` only. At the same time, since each waits for its
 * server half of the time, and the cores should not.
 */
describe.concurrent("a real client gets the answers of a real cluster", () => {
  it.each([
    { name: "kubectl-1.35", stepsMin: 525 },
    { name: "kubectl-1.28", stepsMin: 521 },
    { name: "helm-4", stepsMin: 58 },
    { name: "helm-3", stepsMin: 57 },
    { name: "client-node", stepsMin: 18 },
  ])("$name", { timeout: limitMs }, async ({ name, stepsMin }) => {
    const client = clients.find((known) => known.name === name);
    if (client === undefined) throw new Error(`no client is called ${name}`);
    const { missing, verdicts } = await runClient(client);
    expect(verdicts.filter(hasFailed)).toEqual([]);
    expect({ missing, enough: verdicts.length >= stepsMin }).toEqual({ missing: undefined, enough: true });
  });
});
