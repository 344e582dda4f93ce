import type { Transport } from "@bowline/client";
import { VirtualClock } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import { refusal } from "../server/collection.ts";

const core = "/api/v1/namespaces/default";
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

let cluster: Cluster;
let transport: Transport;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false, clock: new VirtualClock() });
  transport = cluster.transport();
});
afterEach(() => cluster.close());

interface Stored {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

async function send(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Stored> {
  return (await transport.request<Stored>({ method, path, body: body as never })).body;
}

async function setStatus(path: string, status: object): Promise<void> {
  await transport.request({
    method: "PATCH",
    path: `${path}/status`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { status },
  });
}

async function pod(name: string, status: { phase: string; ready?: boolean }): Promise<void> {
  await send("POST", `${core}/pods`, {
    metadata: { name, labels: { app: "web" } },
    spec: { nodeName: "node-1", containers: [{ name: "main", image: "nginx" }] },
  });
  const ready = { type: "Ready", status: status.ready === true ? "True" : "False" };
  await setStatus(`${core}/pods/${name}`, { phase: status.phase, conditions: [ready] });
}

async function budget(name: string, given: { spec?: object; status?: object } = {}): Promise<void> {
  const selector = { matchLabels: { app: "web" } };
  await send("POST", budgets, { metadata: { name }, spec: { selector, minAvailable: 1, ...given.spec } });
  const counts = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
  await setStatus(`${budgets}/${name}`, { ...counts, observedGeneration: 1, ...given.status });
}

function evict(name: string, deleteOptions?: object, query: Record<string, string> = {}): Promise<unknown> {
  const body = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name },
    ...(deleteOptions && { deleteOptions }),
  };
  const path = `${core}/pods/${name}/eviction`;
  return transport.request({ method: "POST", path, query, body }).then((answer) => answer.body);
}

const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
const running = { phase: "Running", ready: true };

describe("Eviction", () => {
  it("deletes a pod that no budget speaks of, gracefully", async () => {
    await pod("web", running);
    expect(await evict("web")).toEqual(success);
    const { metadata } = await send("GET", `${core}/pods/web`);
    expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
  });

  it("passes delete options on", async () => {
    await pod("web", running);
    expect(await evict("web", { gracePeriodSeconds: 0 })).toEqual(success);
    expect(await refusal(send("GET", `${core}/pods/web`))).toMatchObject({ code: 404 });
  });

  it.each([
    ["in the query", undefined, { dryRun: "All" }],
    ["in the delete options", { dryRun: ["All"] }, {}],
  ])("changes nothing in a dry run asked for %s", async (_where, options, query) => {
    await pod("web", running);
    await budget("guard", { status: { disruptionsAllowed: 1 } });
    expect(await evict("web", options, query)).toEqual(success);
    expect((await send("GET", `${core}/pods/web`)).metadata["deletionTimestamp"]).toBeUndefined();
    expect((await send("GET", `${budgets}/guard`)).status).toMatchObject({ disruptionsAllowed: 1 });
    expect((await send("GET", `${budgets}/guard`)).status["disruptedPods"]).toBeUndefined();
  });

  it("takes one disruption from the budget and notes the pod there", async () => {
    await pod("web", running);
    await budget("guard", {
      status: {
        disruptionsAllowed: 1,
        conditions: [
          {
            type: "DisruptionAllowed",
            status: "True",
            reason: "SufficientPods",
            message: "",
            lastTransitionTime: "2020-01-01T00:00:00Z",
          },
        ],
      },
    });
    await evict("web");
    const { status } = await send("GET", `${budgets}/guard`);
    expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { web: expect.any(String) } });
    expect(status["conditions"]).toMatchObject([
      { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods" },
    ]);
  });

  const violation = "Cannot evict pod as it would violate the pod's disruption budget.";
  const needs = "The disruption budget guard needs 1 healthy pods and has 1 currently";

  it.each([
    ["has no disruption left", {}, { causes: [{ reason: "DisruptionBudget", message: needs }] }],
    [
      "was not seen by its controller",
      { observedGeneration: 0, disruptionsAllowed: 1 },
      {
        causes: [
          {
            reason: "DisruptionBudget",
            message: "The disruption budget guard is still being processed by the server.",
          },
        ],
        retryAfterSeconds: 10,
      },
    ],
    [
      "failed to sync",
      {
        conditions: [
          {
            type: "DisruptionAllowed",
            status: "False",
            reason: "SyncFailed",
            message: "no scale",
            lastTransitionTime: "2020-01-01T00:00:00Z",
          },
        ],
      },
      {
        causes: [
          {
            reason: "DisruptionBudget",
            message:
              "The disruption budget guard does not allow evicting pods currently because it failed sync: no scale",
          },
        ],
      },
    ],
  ])("is refused with 429 while the budget %s", async (_what, status, details) => {
    await pod("web", running);
    await budget("guard", { status });
    const { status: refused } = await refusal(evict("web"));
    expect(refused).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: violation,
      reason: "TooManyRequests",
      details,
      code: 429,
    });
    expect((await send("GET", `${core}/pods/web`)).metadata["deletionTimestamp"]).toBeUndefined();
  });

  it("is refused with 500 when two budgets are for the pod", async () => {
    await pod("web", running);
    await budget("one");
    await budget("two");
    expect(await refusal(evict("web"))).toMatchObject({
      code: 500,
      message:
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
  });

  it.each(["Pending", "Succeeded", "Failed"])("asks no budget about a pod that is %s", async (phase) => {
    await pod("web", { phase });
    await budget("guard");
    expect(await evict("web")).toEqual(success);
  });

  it("asks no budget about a pod that is being deleted", async () => {
    await pod("web", running);
    await send("DELETE", `${core}/pods/web`);
    await budget("guard");
    expect(await evict("web")).toEqual(success);
  });

  it.each([
    ["IfHealthyBudget", { currentHealthy: 1, desiredHealthy: 1 }, "allowed"],
    ["IfHealthyBudget", { currentHealthy: 0, desiredHealthy: 1 }, "refused"],
    ["IfHealthyBudget", { currentHealthy: 0, desiredHealthy: 0 }, "refused"],
    ["AlwaysAllow", { currentHealthy: 0, desiredHealthy: 1 }, "allowed"],
  ])("of a pod that is not ready is, with %s and %j, %s", async (policy, counts, outcome) => {
    await pod("web", { phase: "Running", ready: false });
    await budget("guard", { spec: { unhealthyPodEvictionPolicy: policy }, status: counts });
    if (outcome === "allowed") expect(await evict("web")).toEqual(success);
    else expect(await refusal(evict("web"))).toMatchObject({ code: 429, message: violation });
  });

  it("of all pods of a namespace is guarded by a budget with an empty selector, of none by one without", async () => {
    await pod("web", running);
    await budget("guard", { spec: { selector: {} } });
    expect(await refusal(evict("web"))).toMatchObject({ code: 429 });
    await send("DELETE", `${budgets}/guard`);
    await budget("guard", { spec: { selector: null } });
    expect(await evict("web")).toEqual(success);
  });

  it.each([
    [{ preconditions: { uid: "other" } }, 409],
    [{ preconditions: { resourceVersion: "1" } }, 409],
    [{ propagationPolicy: "Sideways" }, 422],
  ])("with delete options %j is refused with %d", async (options, code) => {
    await pod("web", running);
    expect(await refusal(evict("web", options))).toMatchObject({ code });
  });

  it("names the pod of its path", async () => {
    await pod("web", running);
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "other" } };
    expect(await refusal(send("POST", `${core}/pods/web/eviction`, body))).toMatchObject({
      code: 400,
      message: "name in URL does not match name in Eviction object",
    });
    expect(await refusal(evict("missing"))).toMatchObject({ code: 404, message: 'pods "missing" not found' });
  });

  it("of many pods at once never takes more than the budget has", async () => {
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await pod(name, running);
    await budget("guard", { status: { disruptionsAllowed: 2, currentHealthy: 5, desiredHealthy: 3 } });
    const results = await Promise.allSettled(names.map((name) => evict(name)));
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(2);
    const { status } = await send("GET", `${budgets}/guard`);
    expect(status["disruptionsAllowed"]).toBe(0);
    expect(Object.keys(status["disruptedPods"] as object)).toHaveLength(2);
  });
});
