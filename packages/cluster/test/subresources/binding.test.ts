import { type Transport, VirtualClock } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import { refusal } from "../server/collection.ts";

const pods = "/api/v1/namespaces/default/pods";
const namespaces = "/api/v1/namespaces";

let cluster: Cluster;
let transport: Transport;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false, clock: new VirtualClock() });
  transport = cluster.transport();
});
afterEach(() => cluster.close());

interface Body {
  readonly kind: string;
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly annotations?: object;
    readonly labels?: object;
  };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: { readonly phase?: string; readonly conditions?: readonly object[] };
}

async function send(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: object,
  query: Record<string, string> = {},
): Promise<Body> {
  return (await transport.request<Body>({ method, path, body: body as never, query })).body;
}

function pod(spec: object = {}): Promise<Body> {
  return send("POST", pods, {
    metadata: { name: "web", labels: { app: "web" } },
    spec: { containers: [{ name: "main", image: "nginx" }], ...spec },
  });
}

function bind(metadata: object, target: object, query: Record<string, string> = {}): Promise<Body> {
  return send("POST", `${pods}/web/binding`, { metadata: { name: "web", ...metadata }, target }, query);
}

const node = { kind: "Node", name: "node-1" };

describe("Binding of a pod", () => {
  it("puts it on the node, notes that it is scheduled, and leaves its generation alone", async () => {
    await pod();
    const annotations = { "scheduler/why": "room" };
    const labels = { zone: "a", app: "other" };
    expect(await bind({ annotations, labels }, node)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      code: 201,
    });
    const { spec, status, metadata } = await send("GET", `${pods}/web`);
    expect(spec["nodeName"]).toBe("node-1");
    expect(status.conditions).toMatchObject([{ type: "PodScheduled", status: "True" }]);
    expect(metadata).toMatchObject({ annotations, labels: { zone: "a", app: "web" }, generation: 1 });
  });

  it("changes nothing in a dry run", async () => {
    await pod();
    await bind({}, node, { dryRun: "All" });
    expect((await send("GET", `${pods}/web`)).spec["nodeName"]).toBeUndefined();
  });

  it.each([
    ["another name", { name: "other" }, node, 400, "name in URL does not match name in Binding object"],
    ["no target", {}, {}, 500, "target.name: Required value"],
    [
      "a target that is no node",
      {},
      { kind: "Rack", name: "r" },
      500,
      'target.kind: Unsupported value: "Rack": supported values: "Node", "<empty>"',
    ],
    [
      "the resource version of another state",
      { resourceVersion: "1" },
      node,
      409,
      'Operation cannot be fulfilled on pods "web": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [
      "the uid of another pod",
      { uid: "x" },
      node,
      409,
      "Precondition failed: UID in precondition: x, UID in object meta: ",
    ],
  ])("with %s is refused", async (_what, metadata, target, code, message) => {
    await pod();
    const refused = await refusal(bind(metadata, target));
    expect(refused.code).toBe(code);
    expect(refused.message).toContain(message);
  });

  it.each([
    ["assigned", { nodeName: "node-2" }, 'pod web is already assigned to node "node-2"'],
    [
      "gated",
      { schedulingGates: [{ name: "example.com/wait" }] },
      "pod web has non-empty .spec.schedulingGates",
    ],
  ])("that is %s is refused with 409", async (_what, spec, why) => {
    await pod(spec);
    expect(await refusal(bind({}, node))).toMatchObject({
      code: 409,
      reason: "Conflict",
      message: `Operation cannot be fulfilled on pods/binding "web": ${why}`,
    });
  });

  it("has no other verb", async () => {
    await pod();
    for (const method of ["GET", "PUT", "DELETE"] as const)
      expect(await refusal(send(method, `${pods}/web/binding`, {}))).toMatchObject({
        code: 405,
        reason: "MethodNotAllowed",
      });
  });

  it("is a Binding for admission, which no plug-in takes for the pod", async () => {
    await send("POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", {
      metadata: { name: "no-node-9" },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/binding"] },
          ],
        },
        validations: [
          {
            expression: "object.kind == 'Binding' && object.target.name != 'node-9'",
            messageExpression: "request.kind.kind + ' of ' + request.name + ' by ' + request.operation",
          },
        ],
      },
    });
    await send("POST", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", {
      metadata: { name: "no-node-9" },
      spec: { policyName: "no-node-9", validationActions: ["Deny"] },
    });
    await pod();
    const refused = await refusal(bind({}, { kind: "Node", name: "node-9" }));
    expect(refused.code).toBe(422);
    expect(refused.message).toContain("Binding of web by CREATE");
    expect(await bind({}, node)).toMatchObject({ status: "Success" });
  });
});

describe("namespaces/finalize", () => {
  it("takes away the finalizers of a namespace, and the namespace with the last one once it is deleted", async () => {
    const created = await send("POST", namespaces, { metadata: { name: "team" } });
    expect(created.spec).toEqual({ finalizers: ["kubernetes"] });
    const more = await send("PUT", `${namespaces}/team/finalize`, {
      ...created,
      spec: { finalizers: ["kubernetes", "example.com/mine"] },
    });
    expect(more.spec).toEqual({ finalizers: ["kubernetes", "example.com/mine"] });
    const going = await send("DELETE", `${namespaces}/team`);
    expect(going.status.phase).toBe("Terminating");
    const { resourceVersion: _v, ...metadata } = going.metadata;
    await send("PUT", `${namespaces}/team/finalize`, {
      ...going,
      metadata,
      spec: { finalizers: ["example.com/mine"] },
      status: { phase: "Active" },
    });
    expect((await send("GET", `${namespaces}/team`)).status.phase).toBe("Terminating");
    await send("PUT", `${namespaces}/team/finalize`, { ...going, metadata, spec: { finalizers: [] } });
    expect(await refusal(send("GET", `${namespaces}/team`))).toMatchObject({ code: 404 });
  });

  it.each([
    [
      "a name without domain",
      ["mine"],
      "name is neither a standard finalizer name nor is it fully qualified",
    ],
    ["no name at all", ["a b"], "name part must consist of alphanumeric characters"],
  ])("refuses %s", async (_what, finalizers, message) => {
    const created = await send("POST", namespaces, { metadata: { name: "team" } });
    const refused = await refusal(
      send("PUT", `${namespaces}/team/finalize`, { ...created, spec: { finalizers } }),
    );
    expect(refused.code).toBe(422);
    expect(refused.message).toContain("spec.finalizers[0]");
    expect(refused.message).toContain(message);
  });

  it("is the only way: writes of the namespace leave its finalizers and its phase as they are", async () => {
    const created = await send("POST", namespaces, { metadata: { name: "team" } });
    const written = await send("PUT", `${namespaces}/team`, { ...created, spec: {}, status: {} });
    expect(written).toMatchObject({ spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } });
  });

  it("refuses a stale version and a name that is not the path's", async () => {
    const created = await send("POST", namespaces, { metadata: { name: "team" } });
    await send("PUT", `${namespaces}/team`, { ...created, metadata: { name: "team", labels: { a: "b" } } });
    expect(await refusal(send("PUT", `${namespaces}/team/finalize`, created))).toMatchObject({ code: 409 });
    expect(await refusal(send("PUT", `${namespaces}/default/finalize`, created))).toMatchObject({
      code: 400,
      message: "the name of the object (team) does not match the name on the URL (default)",
    });
  });
});
