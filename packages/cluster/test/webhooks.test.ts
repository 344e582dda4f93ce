import type { Status, StatusError } from "@bowline/api";
import { type Transport, VirtualClock, settle } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";
import { type ReviewAnswer, type ReviewServer, jsonPatch, startReviewServer } from "./review-server.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";

interface ConfigMap {
  readonly metadata: { readonly labels?: Record<string, string> };
  readonly data?: Record<string, string>;
}

describe("Admission webhooks", () => {
  const clock = new VirtualClock();
  const audit: string[] = [];
  let cluster: Cluster;
  let admin: Transport;
  let hook: ReviewServer;

  beforeEach(async () => {
    audit.length = 0;
    cluster = await createCluster({
      controllers: false,
      clock,
      audit: (line) => audit.push(line),
      resolveService: ({ namespace, name, port }) => {
        if (name !== "hooks") throw new Error(`service "${name}" not found`);
        expect({ namespace, port }).toEqual({ namespace: "system", port: 443 });
        return { url: hook.url };
      },
    });
    admin = cluster.transport();
    hook = await startReviewServer(["127.0.0.1", "hooks.system.svc"]);
  });
  afterEach(async () => {
    await cluster.close();
    await hook.close();
  });

  const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

  function webhook(name: string, path: string, more: object = {}): object {
    return {
      name,
      clientConfig: { url: `${hook.url}${path}`, caBundle: hook.caBundle },
      rules,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      ...more,
    };
  }
  async function configure(
    kind: "Validating" | "Mutating",
    name: string,
    ...webhooks: object[]
  ): Promise<void> {
    const path = `${registration}/${kind.toLowerCase()}webhookconfigurations`;
    const body = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: `${kind}WebhookConfiguration`,
      metadata: { name },
      webhooks,
    };
    await admin.request({ method: "POST", path, body });
  }
  async function create(
    name: string,
    more: object = {},
    query: Record<string, string> = {},
  ): Promise<ConfigMap> {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, ...more };
    return (await admin.request<ConfigMap>({ method: "POST", path: configMaps, body, query })).body;
  }
  const errorOf = (promise: Promise<unknown>): Promise<Status> =>
    promise.then(
      () => expect.fail("the request was allowed"),
      (error: StatusError) => error.status,
    );

  it("asks a validating webhook about every operation, with all that it has to know", async () => {
    hook.on("/v", () => ({ allowed: true }));
    await configure("Validating", "c", webhook("v.example.com", "/v"));
    await create("a", { data: { k: "1" } });
    await admin.request({
      method: "PATCH",
      path: `${configMaps}/a`,
      headers: { "content-type": "application/merge-patch+json" },
      body: { data: { k: "2" } },
    });
    await admin.request({ method: "DELETE", path: `${configMaps}/a` });
    const requests = hook.calls.map((call) => call.request);
    expect(requests.map((r) => r["operation"])).toEqual(["CREATE", "UPDATE", "DELETE"]);
    const [created, updated, deleted] = requests;
    expect(created).toEqual({
      uid: expect.stringMatching(/^[-0-9a-f]{36}$/),
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      requestKind: { group: "", version: "v1", kind: "ConfigMap" },
      requestResource: { group: "", version: "v1", resource: "configmaps" },
      name: "a",
      namespace: "default",
      operation: "CREATE",
      userInfo: { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] },
      object: expect.objectContaining({ data: { k: "1" } }),
      oldObject: null,
      dryRun: false,
      options: expect.objectContaining({ kind: "CreateOptions", apiVersion: "meta.k8s.io/v1" }),
    });
    expect(updated).toMatchObject({ object: { data: { k: "2" } }, oldObject: { data: { k: "1" } } });
    expect(deleted).toMatchObject({ object: null, oldObject: { data: { k: "2" } } });
    expect(hook.calls[0]?.body).toMatchObject({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" });
  });

  it.each<[string, ReviewAnswer, object]>([
    [
      "a message and a code",
      { allowed: false, status: { message: "no", code: 403, reason: "Forbidden" } },
      { code: 403, reason: "Forbidden", message: 'admission webhook "v.example.com" denied the request: no' },
    ],
    [
      "only a reason",
      { allowed: false, status: { reason: "Busy" } },
      { code: 400, message: 'admission webhook "v.example.com" denied the request: Busy' },
    ],
    [
      "nothing",
      { allowed: false },
      {
        code: 400,
        status: "Failure",
        message: 'admission webhook "v.example.com" denied the request without explanation',
      },
    ],
    [
      "a code of success",
      { allowed: false, status: { code: 200, status: "Success", message: "m" } },
      { code: 400, status: "Failure", message: 'admission webhook "v.example.com" denied the request: m' },
    ],
  ])("refuses with what the webhook says: %s", async (_name, answer, expected) => {
    hook.on("/v", () => answer);
    await configure("Validating", "c", webhook("v.example.com", "/v"));
    expect(await errorOf(create("a"))).toMatchObject(expected);
    await expect(admin.request({ method: "GET", path: `${configMaps}/a` })).rejects.toThrow("not found");
  });

  const failures: [string, (request: { uid: string }) => ReviewAnswer, string | RegExp][] = [
    ["no such path", () => ({ status: 404, raw: "" }), "the server could not find the requested resource"],
    [
      "an error",
      () => ({ status: 500, raw: "boom" }),
      'an error on the server ("boom") has prevented the request from succeeding',
    ],
    [
      "a redirect",
      () => ({ status: 301, raw: "" }),
      "the server responded with the status code 301 but did not return further information",
    ],
    [
      "no JSON",
      () => ({ raw: "hello" }),
      "couldn't get version/kind; json parse error: invalid character 'h' looking for beginning of value",
    ],
  ];
  it.each(failures)("fails the request when the webhook answers %s", async (_name, answer, why) => {
    hook.on("/v", answer);
    await configure("Validating", "c", webhook("v.example.com", "/v"));
    const message = `Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: ${why}`;
    expect(await errorOf(create("a"))).toMatchObject({ code: 500, reason: "InternalError", message });
  });

  const invalidAnswers: [string, (request: { uid: string }) => ReviewAnswer, string | RegExp][] = [
    [
      "without response",
      () => ({ raw: { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" } }),
      "webhook response was absent",
    ],
    [
      "of another kind",
      ({ uid }) => ({ raw: { apiVersion: "v1", kind: "Pod", response: { uid, allowed: true } } }),
      "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got v1, Kind=Pod",
    ],
    [
      "with a patch",
      () => ({ allowed: true, patch: "W10=" }),
      "validating webhook may not return response.patch",
    ],
    [
      "with another uid",
      () => ({ uid: "x", allowed: true }),
      /^expected response\.uid="[-0-9a-f]{36}", got "x"$/,
    ],
  ];
  it.each(invalidAnswers)("fails the request for an answer %s", async (_name, answer, why) => {
    hook.on("/v", answer);
    await configure("Validating", "c", webhook("v.example.com", "/v"));
    const { message = "" } = await errorOf(create("a"));
    const prefix =
      'Internal error occurred: failed calling webhook "v.example.com": received invalid webhook response: ';
    expect(message.slice(0, prefix.length)).toBe(prefix);
    expect(message.slice(prefix.length)).toMatch(why);
  });

  it("says why it cannot be reached, and goes on when failures are to be ignored", async () => {
    const closed = await startReviewServer();
    await closed.close();
    const gone = { clientConfig: { url: `${closed.url}/v`, caBundle: closed.caBundle } };
    await configure(
      "Validating",
      "a",
      webhook("ignored.example.com", "/v", { ...gone, failurePolicy: "Ignore" }),
    );
    await create("a");
    expect(JSON.parse(audit.at(-1) ?? "{}")).toMatchObject({
      annotations: {
        "failed-open.validating.webhook.admission.k8s.io/round_0_index_0": "ignored.example.com",
      },
    });
    await configure("Validating", "b", webhook("v.example.com", "/v", gone));
    const address = closed.url.slice("https://".length);
    expect((await errorOf(create("b"))).message).toBe(
      `Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: Post "https://${address}/v?timeout=10s": dial tcp ${address}: connect: connection refused`,
    );
  });

  it("trusts only the authority of the configuration, for the name that it calls", async () => {
    hook.on("/v", () => ({ allowed: true }));
    const other = await startReviewServer(["localhost"]);
    other.on("/v", () => ({ allowed: true }));
    const config = (url: string, caBundle: string): object => ({ clientConfig: { url, caBundle } });
    await configure("Validating", "c", webhook("v.example.com", "", config(`${hook.url}/v`, other.caBundle)));
    expect((await errorOf(create("a"))).message).toMatch(
      /: tls: failed to verify certificate: x509: certificate signed by unknown authority$/,
    );
    await admin.request({ method: "DELETE", path: `${registration}/validatingwebhookconfigurations/c` });
    await configure(
      "Validating",
      "c",
      webhook("v.example.com", "", config(`${other.url}/v`, other.caBundle)),
    );
    expect((await errorOf(create("a"))).message).toMatch(
      /: tls: failed to verify certificate: x509: cannot validate certificate for 127\.0\.0\.1 because it doesn't contain any IP SANs$/,
    );
    await other.close();
  });

  it("gives up after the timeout", async () => {
    hook.on("/v", () => "never");
    await configure("Validating", "c", webhook("slow.example.com", "/v", { timeoutSeconds: 3 }));
    const waiting = errorOf(create("a"));
    await expect.poll(() => hook.calls.length).toBe(1);
    await clock.advance(3000);
    expect((await waiting).message).toBe(
      `Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "${hook.url}/v?timeout=3s": context deadline exceeded`,
    );
    await settle();
  });

  it("finds the server of a service, and says which service is nowhere", async () => {
    hook.on("/v", () => ({ allowed: true }));
    const service = (name: string): object => ({
      clientConfig: { service: { namespace: "system", name, path: "/v" }, caBundle: hook.caBundle },
    });
    await configure("Validating", "c", webhook("v.example.com", "", service("hooks")));
    await create("a");
    expect(hook.calls).toHaveLength(1);
    await configure("Validating", "d", webhook("w.example.com", "", service("missing")));
    expect((await errorOf(create("b"))).message).toBe(
      'Internal error occurred: failed calling webhook "w.example.com": failed to call webhook: Post "https://missing.system.svc:443/v?timeout=10s": service "missing" not found',
    );
  });

  describe("matching", () => {
    const labelled = { metadata: { name: "l", labels: { on: "yes" } } };
    const cases: [string, object, object, boolean][] = [
      ["another operation", { rules: [{ ...rules[0], operations: ["DELETE"] }] }, {}, false],
      ["another resource", { rules: [{ ...rules[0], resources: ["secrets"] }] }, {}, false],
      ["all resources", { rules: [{ ...rules[0], resources: ["*"] }] }, {}, true],
      ["all and subresources", { rules: [{ ...rules[0], resources: ["*/*"] }] }, {}, true],
      ["only a subresource", { rules: [{ ...rules[0], resources: ["configmaps/status"] }] }, {}, false],
      ["the wrong scope", { rules: [{ ...rules[0], scope: "Cluster" }] }, {}, false],
      ["the right scope", { rules: [{ ...rules[0], scope: "Namespaced" }] }, {}, true],
      ["another version that is not served", { rules: [{ ...rules[0], apiVersions: ["v2"] }] }, {}, false],
      ["labels that the object has not", { objectSelector: { matchLabels: { on: "yes" } } }, {}, false],
      ["labels that the object has", { objectSelector: { matchLabels: { on: "yes" } } }, labelled, true],
      [
        "the namespace's labels",
        { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } },
        {},
        true,
      ],
      [
        "another namespace's labels",
        { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "x" } } },
        {},
        false,
      ],
      [
        "a condition that holds",
        { matchConditions: [{ name: "c", expression: "object.metadata.name == 'a'" }] },
        {},
        true,
      ],
      [
        "a condition that does not",
        { matchConditions: [{ name: "c", expression: "request.userInfo.username.startsWith('system:')" }] },
        {},
        false,
      ],
      [
        "one false condition beside one that fails",
        {
          matchConditions: [
            { name: "bad", expression: "object.nothing.here == 1" },
            { name: "no", expression: "false" },
          ],
        },
        {},
        false,
      ],
      [
        "a condition that asks the authorizer",
        {
          matchConditions: [
            { name: "c", expression: "authorizer.group('').resource('pods').check('list').allowed()" },
          ],
        },
        {},
        true,
      ],
    ];
    it.each(cases)("%s", async (_name, more, object, called) => {
      hook.on("/v", () => ({ allowed: true }));
      await configure("Validating", "c", webhook("v.example.com", "/v", more));
      await create("a", object);
      expect(hook.calls).toHaveLength(called ? 1 : 0);
    });

    it("refuses when a condition fails, unless failures are to be ignored", async () => {
      hook.on("/v", () => ({ allowed: true }));
      const matchConditions = [{ name: "bad", expression: "object.nothing.here == 1" }];
      await configure(
        "Validating",
        "c",
        webhook("v.example.com", "/v", { matchConditions, failurePolicy: "Ignore" }),
      );
      await create("a");
      await configure("Validating", "d", webhook("w.example.com", "/v", { matchConditions }));
      expect(await errorOf(create("b"))).toMatchObject({
        code: 403,
        message:
          "configmaps \"b\" is forbidden: expression 'object.nothing.here == 1' resulted in error: no such key: nothing",
      });
      expect(hook.calls).toHaveLength(0);
    });

    it("takes the labels of a namespace itself from the request", async () => {
      hook.on("/v", () => ({ allowed: true }));
      const namespaceSelector = { matchLabels: { team: "a" } };
      const ofNamespaces = [{ ...rules[0], resources: ["namespaces"] }];
      await configure(
        "Validating",
        "c",
        webhook("v.example.com", "/v", { namespaceSelector, rules: ofNamespaces }),
      );
      const post = (name: string, labels: object): Promise<unknown> =>
        admin.request({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name, labels } } });
      await post("one", { team: "a" });
      await post("two", { team: "b" });
      expect(hook.calls.map((c) => c.request["name"])).toEqual(["one"]);
      expect(hook.calls[0]?.request["namespace"]).toBe("one");
    });

    it("never asks about webhook configurations", async () => {
      hook.on("/v", () => ({ allowed: false }));
      const everything = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
      await configure("Validating", "c", webhook("v.example.com", "/v", { rules: everything }));
      await configure("Mutating", "d", webhook("m.example.com", "/v", { rules: everything }));
      expect(hook.calls).toHaveLength(0);
      expect((await errorOf(create("a"))).message).toContain('"m.example.com" denied');
      await admin.request({ method: "DELETE", path: `${registration}/mutatingwebhookconfigurations/d` });
      await admin.request({ method: "DELETE", path: `${registration}/validatingwebhookconfigurations/c` });
      await create("a");
    });
  });

  it("tells webhooks of dry runs, and refuses webhooks whose side effects a dry run could not keep back", async () => {
    hook.on("/v", () => ({ allowed: true }));
    await configure("Validating", "a", webhook("fine.example.com", "/v", { sideEffects: "NoneOnDryRun" }));
    await create("a", {}, { dryRun: "All" });
    expect(hook.calls[0]?.request).toMatchObject({ dryRun: true, options: { dryRun: ["All"] } });
    const some = configure("Validating", "b", webhook("some.example.com", "/v", { sideEffects: "Some" }));
    expect(await errorOf(some)).toMatchObject({
      code: 422,
      message:
        'ValidatingWebhookConfiguration.admissionregistration.k8s.io "b" is invalid: webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    });
    await create("a");
  });

  it("passes warnings and audit annotations on", async () => {
    hook.on("/v", () => ({ allowed: true, warnings: ["careful"], auditAnnotations: { seen: "yes" } }));
    await configure("Validating", "c", webhook("v.example.com", "/v"));
    const body = { metadata: { name: "a" } };
    const { warnings } = await admin.request({ method: "POST", path: configMaps, body });
    expect(warnings).toEqual(["careful"]);
    expect(JSON.parse(audit.at(-1) ?? "{}")).toMatchObject({ annotations: { "v.example.com/seen": "yes" } });
  });

  describe("that mutate", () => {
    it("are asked one after the other, by the name of the configuration, each seeing what came before", async () => {
      const seen: unknown[] = [];
      for (const name of ["z", "a", "b"]) {
        hook.on(`/${name}`, (request) => {
          seen.push([name, Object.keys((request["object"] as ConfigMap).data ?? {})]);
          return jsonPatch({ op: "add", path: `/data/${name}`, value: "1" });
        });
      }
      await configure("Mutating", "second", webhook("z.example.com", "/z"));
      await configure("Mutating", "first", webhook("b.example.com", "/b"), webhook("a.example.com", "/a"));
      const { data } = await create("x", { data: { own: "1" } });
      expect(seen).toEqual([
        ["b", ["own"]],
        ["a", ["own", "b"]],
        ["z", ["own", "b", "a"]],
      ]);
      expect(data).toEqual({ own: "1", a: "1", b: "1", z: "1" });
      expect(JSON.parse(audit.at(-1) ?? "{}")).toMatchObject({
        annotations: {
          "mutation.webhook.admission.k8s.io/round_0_index_0":
            '{"configuration":"first","webhook":"b.example.com","mutated":true}',
        },
      });
    });

    it("run once more when they want to see what others changed, and only then", async () => {
      const rounds: string[] = [];
      hook.on("/watching", () => {
        rounds.push("watching");
        return { allowed: true };
      });
      hook.on("/changing", (request) => {
        rounds.push("changing");
        const done = (request["object"] as ConfigMap).data?.["changed"] !== undefined;
        return done ? { allowed: true } : jsonPatch({ op: "add", path: "/data/changed", value: "1" });
      });
      await configure(
        "Mutating",
        "a",
        webhook("watching.example.com", "/watching", { reinvocationPolicy: "IfNeeded" }),
      );
      await configure(
        "Mutating",
        "b",
        webhook("changing.example.com", "/changing", { reinvocationPolicy: "IfNeeded" }),
      );
      await create("x", { data: { a: "1" } });
      expect(rounds).toEqual(["watching", "changing", "watching"]);
      rounds.length = 0;
      await create("y", { data: { changed: "1" } });
      expect(rounds).toEqual(["watching", "changing"]);
    });

    it("have their patches pruned and defaulted, and judged before validation", async () => {
      hook.on("/m", () =>
        jsonPatch({ op: "add", path: "/unknown", value: 1 }, { op: "add", path: "/data", value: { a: "1" } }),
      );
      hook.on("/v", () => ({ allowed: true }));
      await configure("Mutating", "m", webhook("m.example.com", "/m"));
      await configure("Validating", "v", webhook("v.example.com", "/v"));
      const object = await create("x");
      expect(object).not.toHaveProperty("unknown");
      expect(hook.calls.find((c) => c.path === "/v")?.request["object"]).toMatchObject({ data: { a: "1" } });
    });

    it.each<[string, ReviewAnswer, string]>([
      [
        "a patch without its type",
        { allowed: true, patch: "W10=" },
        'failed calling webhook "m.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
      ],
      [
        "a patch of another type",
        { allowed: true, patch: "W10=", patchType: "Merge" },
        'failed calling webhook "m.example.com": received invalid webhook response: unsupported patch type "Merge"',
      ],
    ])("fail the request with %s", async (_name, answer, why) => {
      hook.on("/m", () => answer);
      await configure("Mutating", "m", webhook("m.example.com", "/m"));
      expect((await errorOf(create("x"))).message).toBe(`Internal error occurred: ${why}`);
    });

    it("may refuse a delete, but not change what is deleted", async () => {
      hook.on("/m", (request) =>
        request["operation"] === "DELETE"
          ? jsonPatch({ op: "add", path: "/data", value: {} })
          : { allowed: true },
      );
      await configure("Mutating", "m", webhook("m.example.com", "/m"));
      await create("x");
      expect((await errorOf(admin.request({ method: "DELETE", path: `${configMaps}/x` }))).message).toBe(
        'Internal error occurred: admission webhook "m.example.com" attempted to modify the object, which is not supported for this operation',
      );
    });
  });

  describe("of custom resources", () => {
    const group = "example.com";
    const version = (name: string, storage: boolean): object => ({
      name,
      served: true,
      storage,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: { type: "object", properties: { old: { type: "string" }, new: { type: "string" } } },
          },
        },
      },
    });
    async function define(conversion: object = { strategy: "None" }): Promise<void> {
      const names = { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" };
      const body = {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `things.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names,
          versions: [version("v1", true), version("v2", false)],
          conversion,
        },
      };
      await admin.request({
        method: "POST",
        path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        body,
      });
      await clock.advance(1);
    }
    const path = (v: string): string => `/apis/${group}/${v}/namespaces/default/things`;
    const thing = (v: string, name: string, spec: object = {}): object => ({
      apiVersion: `${group}/${v}`,
      kind: "Thing",
      metadata: { name },
      spec,
    });
    const post = (v: string, name: string, spec: object = {}): Promise<unknown> =>
      admin.request({ method: "POST", path: path(v), body: thing(v, name, spec) });

    it("see requests in other versions as the version of their rule, unless they want exact matches", async () => {
      await define();
      hook.on("/m", () => jsonPatch({ op: "add", path: "/spec/old", value: "set" }));
      hook.on("/exact", () => ({ allowed: true }));
      const ofV1 = [
        { operations: ["CREATE"], apiGroups: [group], apiVersions: ["v1"], resources: ["things"] },
      ];
      await configure("Mutating", "m", webhook("m.example.com", "/m", { rules: ofV1 }));
      await configure(
        "Validating",
        "v",
        webhook("v.example.com", "/exact", { rules: ofV1, matchPolicy: "Exact" }),
      );
      await post("v2", "a");
      expect(hook.calls).toHaveLength(1);
      expect(hook.calls[0]?.request).toMatchObject({
        kind: { version: "v1" },
        resource: { version: "v1" },
        requestKind: { version: "v2" },
        requestResource: { version: "v2" },
        object: { apiVersion: "example.com/v1" },
      });
      const { body } = await admin.request({ method: "GET", path: `${path("v2")}/a` });
      expect(body).toMatchObject({ apiVersion: "example.com/v2", spec: { old: "set" } });
    });

    describe("converting", () => {
      interface Thing {
        readonly apiVersion: string;
        readonly kind: string;
        readonly metadata: Record<string, unknown>;
        readonly spec: Record<string, string>;
      }
      /** Renames spec.old of v1 to spec.new of v2 and back. */
      const convert = (request: Record<string, unknown>): Thing[] =>
        (request["objects"] as Thing[]).map((object) => {
          const apiVersion = request["desiredAPIVersion"] as string;
          const value = object.spec["old"] ?? object.spec["new"] ?? "";
          return { ...object, apiVersion, spec: apiVersion.endsWith("v2") ? { new: value } : { old: value } };
        });
      const conversion = (): object => ({
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: ["v1"],
          clientConfig: { url: `${hook.url}/convert`, caBundle: hook.caBundle },
        },
      });

      it("happens in one call for all objects of a list", async () => {
        hook.on("/convert", (request) => ({
          result: { status: "Success" },
          convertedObjects: convert(request),
        }));
        await define(conversion());
        await post("v1", "a", { old: "1" });
        await post("v1", "b", { old: "2" });
        await post("v2", "c", { new: "3" });
        hook.calls.length = 0;
        const { body } = await admin.request<{ items: Thing[] }>({ method: "GET", path: path("v2") });
        expect(body.items.map((i) => [i.apiVersion, i.spec])).toEqual([
          ["example.com/v2", { new: "1" }],
          ["example.com/v2", { new: "2" }],
          ["example.com/v2", { new: "3" }],
        ]);
        const converted = hook.calls.filter((c) => c.request["desiredAPIVersion"] === "example.com/v2");
        expect(converted).toHaveLength(1);
        expect(hook.calls[0]?.body).toMatchObject({
          kind: "ConversionReview",
          apiVersion: "apiextensions.k8s.io/v1",
        });
        const stored = await admin.request<Thing>({ method: "GET", path: `${path("v1")}/c` });
        expect(stored.body.spec).toEqual({ old: "3" });
      });

      const kind = "conversion webhook for example.com/v1, Kind=Thing";
      it.each<[string, (request: Record<string, unknown>) => ReviewAnswer, string]>([
        ["refuses", () => ({ result: { status: "Failure", message: "cannot" } }), `${kind} failed: cannot`],
        [
          "gives no reason",
          () => ({ result: { status: "Failure" } }),
          `${kind} failed: response.result.status was 'Failure', not 'Success'`,
        ],
        [
          "loses objects",
          () => ({ result: { status: "Success" }, convertedObjects: [] }),
          `${kind} returned 0 objects, expected 1`,
        ],
        [
          "gives another version",
          (r) => ({ result: { status: "Success" }, convertedObjects: r["objects"] }),
          `${kind} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
        ],
        [
          "changes the name",
          (r) => ({
            result: { status: "Success" },
            convertedObjects: convert(r).map((o) => ({ ...o, metadata: { ...o.metadata, name: "x" } })),
          }),
          `${kind} returned invalid object: must have the same name: a != x`,
        ],
        [
          "is another program",
          () => ({ status: 404, raw: "" }),
          `${kind} failed: the server could not find the requested resource`,
        ],
      ])("says what is wrong when the webhook %s", async (_name, answer, message) => {
        hook.on("/convert", answer);
        await define(conversion());
        await post("v1", "a", { old: "1" });
        const error = await errorOf(admin.request({ method: "GET", path: `${path("v2")}/a` }));
        expect(error).toMatchObject({ code: 500, message: expect.stringContaining(message) });
      });

      it("cannot change metadata but labels and annotations", async () => {
        hook.on("/convert", (request) => ({
          result: { status: "Success" },
          convertedObjects: convert(request).map((o) => ({
            ...o,
            metadata: { ...o.metadata, labels: { a: "b" }, generation: 7, finalizers: ["x/y"] },
          })),
        }));
        await define(conversion());
        await post("v1", "a", { old: "1" });
        const { body } = await admin.request<Thing>({ method: "GET", path: `${path("v2")}/a` });
        expect(body.metadata).toMatchObject({ labels: { a: "b" }, generation: 1 });
        expect(body.metadata).not.toHaveProperty("finalizers");
      });
    });
  });
});
