import { type Transport, VirtualClock } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import { type ReviewServer, jsonPatch, startReviewServer } from "../review-server.ts";
import { refusal } from "../server/collection.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const apps = "/apis/apps/v1/namespaces/default";
const core = "/api/v1/namespaces/default";

let cluster: Cluster;
let transport: Transport;
let hook: ReviewServer;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false, clock: new VirtualClock() });
  transport = cluster.transport();
  hook = await startReviewServer();
});
afterEach(async () => {
  await cluster.close();
  await hook.close();
});

async function send<T>(
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  return (await transport.request<T>({ method, path, headers, body: body as never })).body;
}

const mergePatch = { "content-type": "application/merge-patch+json" };

const template = {
  metadata: { labels: { app: "web" } },
  spec: { containers: [{ name: "main", image: "nginx" }] },
};

function deployment(): Promise<unknown> {
  const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
  return send("POST", `${apps}/deployments`, { metadata: { name: "web" }, spec });
}

async function replicas(): Promise<number | undefined> {
  const { spec } = await send<{ spec: { replicas?: number } }>("GET", `${apps}/deployments/web`);
  return spec.replicas;
}

async function webhook(kind: "Validating" | "Mutating", resources: readonly string[]): Promise<void> {
  await send("POST", `${registration}/${kind.toLowerCase()}webhookconfigurations`, {
    metadata: { name: "hook" },
    webhooks: [
      {
        name: "hook.example.com",
        clientConfig: { url: `${hook.url}/hook`, caBundle: hook.caBundle },
        rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
}

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

describe("Admission webhooks on subresources", () => {
  it("see a Scale, now and before, when something is scaled", async () => {
    hook.on("/hook", () => ({ allowed: true }));
    await deployment();
    await webhook("Validating", ["*/scale"]);
    await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 5 } }, mergePatch);
    expect(hook.calls).toHaveLength(1);
    expect(hook.calls[0]?.request).toMatchObject({
      kind: scaleKind,
      requestKind: scaleKind,
      resource: { group: "apps", version: "v1", resource: "deployments" },
      subResource: "scale",
      requestSubResource: "scale",
      name: "web",
      namespace: "default",
      operation: "UPDATE",
      object: {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "web", namespace: "default" },
        spec: { replicas: 5 },
        status: { replicas: 0, selector: "app=web" },
      },
      oldObject: { kind: "Scale", spec: { replicas: 2 } },
      options: { kind: "PatchOptions" },
    });
  });

  it("change the Scale, and with it what is scaled", async () => {
    hook.on("/hook", () => jsonPatch({ op: "replace", path: "/spec/replicas", value: 3 }));
    await deployment();
    await webhook("Mutating", ["deployments/scale"]);
    const scale = await send<{ spec: object }>(
      "PATCH",
      `${apps}/deployments/web/scale`,
      { spec: { replicas: 50 } },
      mergePatch,
    );
    expect(scale.spec).toEqual({ replicas: 3 });
    expect(await replicas()).toBe(3);
  });

  it.each([
    [
      "status",
      (): Promise<unknown> =>
        send("PATCH", `${apps}/deployments/web/status`, { status: { replicas: 1 } }, mergePatch),
      {
        kind: { group: "apps", version: "v1", kind: "Deployment" },
        operation: "UPDATE",
        subResource: "status",
      },
    ],
    [
      "eviction",
      (): Promise<unknown> =>
        send("POST", `${core}/pods/web/eviction`, {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: "web" },
        }),
      {
        kind: { group: "policy", version: "v1", kind: "Eviction" },
        resource: { group: "", version: "v1", resource: "pods" },
        operation: "CREATE",
        subResource: "eviction",
        object: { kind: "Eviction", metadata: { name: "web", namespace: "default" } },
        oldObject: null,
      },
    ],
    [
      "binding",
      (): Promise<unknown> =>
        send("POST", `${core}/pods/web/binding`, { metadata: { name: "web" }, target: { name: "n" } }),
      {
        kind: { group: "", version: "v1", kind: "Binding" },
        operation: "CREATE",
        subResource: "binding",
        object: { kind: "Binding", target: { name: "n" } },
      },
    ],
    [
      "token",
      (): Promise<unknown> => send("POST", `${core}/serviceaccounts/web/token`, { spec: {} }),
      {
        kind: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest" },
        operation: "CREATE",
        subResource: "token",
        object: { kind: "TokenRequest" },
      },
    ],
  ])("see the object of %s and can refuse it", async (_name, act, expected) => {
    await deployment();
    await send("POST", `${core}/pods`, { metadata: { name: "web" }, spec: template.spec });
    await send("POST", `${core}/serviceaccounts`, { metadata: { name: "web" } });
    await webhook("Validating", ["*/status", "pods/*", "serviceaccounts/token"]);
    hook.on("/hook", () => ({ allowed: false, status: { message: "not today" } }));
    expect((await refusal(act())).message).toBe(
      'admission webhook "hook.example.com" denied the request: not today',
    );
    expect(hook.calls.at(-1)?.request).toMatchObject(expected);
    hook.on("/hook", () => ({ allowed: true }));
    await act();
  });

  it.each(["Validating", "Mutating"] as const)("see who connects to a pod, once: %s", async (kind) => {
    await send("POST", `${core}/pods`, {
      metadata: { name: "web" },
      spec: { nodeName: "n", ...template.spec },
    });
    await webhook(kind, ["pods/exec"]);
    hook.on("/hook", () => ({ allowed: false, status: { message: "no shells" } }));
    const path = `${core}/pods/web/exec`;
    const query = { command: "sh", container: "main", stdout: "true" };
    const refused = await refusal(transport.request({ method: "POST", path, query }));
    expect(refused.message).toBe('admission webhook "hook.example.com" denied the request: no shells');
    expect(hook.calls).toHaveLength(1);
    expect(hook.calls[0]?.request).toMatchObject({
      kind: { group: "", version: "v1", kind: "PodExecOptions" },
      resource: { group: "", version: "v1", resource: "pods" },
      subResource: "exec",
      operation: "CONNECT",
      name: "web",
      object: { kind: "PodExecOptions", command: ["sh"], container: "main", stdout: true },
      oldObject: null,
    });
    hook.on("/hook", () => ({ allowed: true }));
    // there is no kubelet to go on to
    await refusal(transport.request({ method: "POST", path, query }));
    expect(hook.calls).toHaveLength(2);
  });

  it("of the resource alone are not asked about its subresources", async () => {
    hook.on("/hook", () => ({ allowed: false }));
    await deployment();
    await webhook("Validating", ["deployments"]);
    await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 5 } }, mergePatch);
    expect(hook.calls).toEqual([]);
  });
});

describe("Admission policies on subresources", () => {
  async function policy(kind: "Validating" | "Mutating", spec: object): Promise<void> {
    const plural = `${kind.toLowerCase()}admissionpolicies`;
    const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["UPDATE"] };
    const matchConstraints = { resourceRules: [{ ...rule, resources: ["deployments/scale"] }] };
    await send("POST", `${registration}/${plural}`, {
      metadata: { name: "p" },
      spec: { matchConstraints, ...spec },
    });
    const actions = kind === "Validating" ? { validationActions: ["Deny"] } : {};
    await send("POST", `${registration}/${plural.replace("policies", "policybindings")}`, {
      metadata: { name: "p" },
      spec: { policyName: "p", ...actions },
    });
  }

  it("judge the Scale with what it was before", async () => {
    await policy("Validating", {
      validations: [
        {
          expression: "object.spec.replicas <= oldObject.spec.replicas + 1",
          messageExpression: "request.kind.kind + ' grows too fast'",
        },
      ],
    });
    await deployment();
    const patch = (count: number): Promise<unknown> =>
      send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: count } }, mergePatch);
    expect((await refusal(patch(4))).message).toBe(
      "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: Scale grows too fast",
    );
    await patch(3);
    expect(await replicas()).toBe(3);
  });

  it.each([
    ["ApplyConfiguration", { applyConfiguration: { expression: "Object{spec: Object.spec{replicas: 7}}" } }],
    [
      "JSONPatch",
      { jsonPatch: { expression: "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 7}]" } },
    ],
  ])("change the Scale by %s", async (patchType, mutation) => {
    await policy("Mutating", {
      mutations: [{ patchType, ...mutation }],
      reinvocationPolicy: "Never",
      failurePolicy: "Fail",
    });
    await deployment();
    await send("PATCH", `${apps}/deployments/web/scale`, { spec: { replicas: 3 } }, mergePatch);
    expect(await replicas()).toBe(7);
  });
});
