/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it, onTestFinished } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { type ReviewAnswer, type ReviewServer, jsonPatch, startReviewServer } from "../review-server.ts";
import { isDiscovered } from "./api-operations.ts";
import { Endpoint, type Found, type Sent } from "./endpoint.ts";

const registration = "admissionregistration.k8s.io/v1";

interface Setting {
  readonly world: World;
  readonly hook: ReviewServer;
  readonly maps: Endpoint;
}
async function start(): Promise<Setting> {
  const world = await newWorld({ controllers: false });
  const hook = await startReviewServer();
  onTestFinished(() => hook.close());
  return { world, hook, maps: new Endpoint(world, "v1/configmaps", "default") };
}

const ofConfigMaps = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const endpointOf = (world: World, kind: "mutating" | "validating"): Endpoint =>
  new Endpoint(world, `${registration}/${kind}webhookconfigurations`);
function webhook(hook: ReviewServer, path: string, more: object = {}): object {
  return {
    name: `${path.slice(1)}.webhook.example.com`,
    clientConfig: { url: `${hook.url}${path}`, caBundle: hook.caBundle },
    rules: ofConfigMaps,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...more,
  };
}
function configuration(kind: "mutating" | "validating", name: string, ...webhooks: object[]): Sent {
  return {
    apiVersion: registration,
    kind: kind === "mutating" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
    metadata: { name, labels: { e2e: "yes" } } as { name: string },
    webhooks,
  };
}
const configMap = (name: string, data: object = {}): Sent => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});
const addKey =
  (key: string, when?: string) =>
  (request: Record<string, unknown>): ReviewAnswer => {
    const { data = {} } = request["object"] as Found;
    const applies = when === undefined || data[when] !== undefined;
    return applies ? jsonPatch({ op: "add", path: `/data/${key}`, value: "yes" }) : { allowed: true };
  };
const deny = (message: string): ReviewAnswer => ({ allowed: false, status: { message, reason: message } });
const denied = /denied the request/;

/** A definition with an open schema, and where its objects are. */
async function custom(world: World, schema?: object): Promise<Endpoint> {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const version = (name: string, storage: boolean): object => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: schema ?? open },
  });
  await new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.hooks.example.com" },
    spec: {
      group: "hooks.example.com",
      names: { kind: "Thing", plural: "things" },
      scope: "Namespaced",
      versions: [version("v1", true), version("v2", false)],
    },
  });
  const things = new Endpoint(world, "hooks.example.com/v1/things", "default");
  await world.wait("it is served", () =>
    things.list().then(
      () => true,
      () => false,
    ),
  );
  return things;
}
const ofThings = [
  { operations: ["*"], apiGroups: ["hooks.example.com"], apiVersions: ["*"], resources: ["things"] },
];
const thing = (name: string, data: object = {}): Sent => ({
  apiVersion: "hooks.example.com/v1",
  kind: "Thing",
  metadata: { name },
  data,
});

describe("[sig-api-machinery] AdmissionWebhook [Privileged:ClusterAdmin]", () => {
  it("should include webhook resources in discovery documents", async () => {
    const { world } = await start();
    await isDiscovered(world, endpointOf(world, "mutating"), false);
    await isDiscovered(world, endpointOf(world, "validating"), false);
  });

  it("should be able to deny pod and configmap creation", async () => {
    const { world, hook, maps } = await start();
    const pods = new Endpoint(world, "v1/pods", "default");
    hook.on("/deny", (request) => {
      const object = request["object"] as Found | undefined;
      const refused =
        object?.data?.["webhook-e2e-test"] === "deny" || object?.metadata.labels?.["webhook"] === "deny";
      if (object?.metadata.name === "hangs") return "never";
      return refused ? deny("the object contains unwanted data") : { allowed: true };
    });
    const rules = [{ ...ofConfigMaps[0], resources: ["pods", "configmaps"] }];
    const namespaceSelector = {
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "NotIn", values: ["exempt"] }],
    };
    await endpointOf(world, "validating").create(
      configuration(
        "validating",
        "deny",
        webhook(hook, "/deny", { rules, namespaceSelector, timeoutSeconds: 1 }),
      ),
    );
    const pod = (name: string, label: string): Sent => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { webhook: label } } as { name: string },
      spec: template(name).spec,
    });
    await new Endpoint(world, "v1/serviceaccounts", "default").create({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default" },
    });
    await expect(pods.create(pod("bad", "deny"))).rejects.toThrow(
      /denied the request: the object contains unwanted data/,
    );
    await pods.create(pod("good", "allow"));
    const hanging = pods.create(pod("hangs", "allow"));
    hanging.catch(() => undefined);
    await world.wait("it is asked", async () =>
      hook.calls.some(({ request }) => request["name"] === "hangs"),
    );
    await world.clock.advance(1000);
    await expect(hanging).rejects.toThrow(/context deadline exceeded/);
    await expect(maps.create(configMap("bad", { "webhook-e2e-test": "deny" }))).rejects.toThrow(denied);
    await maps.create(configMap("good", { "webhook-e2e-test": "allow" }));
    await expect(maps.patch("good", { data: { "webhook-e2e-test": "deny" } })).rejects.toThrow(denied);
    await expect(maps.update(configMap("good", { "webhook-e2e-test": "deny" }))).rejects.toThrow(denied);
    await new Endpoint(world, "v1/namespaces").create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "exempt" },
    });
    const exempt = new Endpoint(world, "v1/configmaps", "exempt");
    await exempt.create(configMap("bad", { "webhook-e2e-test": "deny" }));
  });

  it("should be able to deny custom resource creation, update and deletion", async () => {
    const { world, hook } = await start();
    const things = await custom(world);
    hook.on("/deny", (request) => {
      const object = (request["object"] ?? request["oldObject"]) as Found;
      return object.data?.["e2e"] === "deny"
        ? deny("the custom resource contains unwanted data")
        : { allowed: true };
    });
    await endpointOf(world, "validating").create(
      configuration("validating", "deny", webhook(hook, "/deny", { rules: ofThings })),
    );
    await expect(things.create(thing("bad", { e2e: "deny" }))).rejects.toThrow(denied);
    await things.create(thing("good", { e2e: "allow" }));
    await expect(things.patch("good", { data: { e2e: "deny" } })).rejects.toThrow(denied);
    hook.on("/deny", () => deny("nothing is deleted here"));
    await expect(things.delete("good")).rejects.toThrow(/nothing is deleted here/);
    hook.on("/deny", () => ({ allowed: true }));
    await things.delete("good");
  });

  it("should unconditionally reject operations on fail closed webhook", async () => {
    const { world, hook, maps } = await start();
    const clientConfig = { url: `${hook.url}/any` };
    await endpointOf(world, "validating").create(
      configuration("validating", "closed", webhook(hook, "/any", { clientConfig, failurePolicy: "Fail" })),
    );
    await expect(maps.create(configMap("any"))).rejects.toThrow(
      /failed calling webhook "any.webhook.example.com"/,
    );
  });

  it("should mutate configmap", async () => {
    const { world, hook, maps } = await start();
    hook.on("/first", addKey("mutation-stage-1", "mutation-start"));
    hook.on("/second", addKey("mutation-stage-2", "mutation-stage-1"));
    await endpointOf(world, "mutating").create(
      configuration("mutating", "stages", webhook(hook, "/first"), webhook(hook, "/second")),
    );
    const made = await maps.create(configMap("staged", { "mutation-start": "yes" }));
    expect(made.data).toEqual({
      "mutation-start": "yes",
      "mutation-stage-1": "yes",
      "mutation-stage-2": "yes",
    });
  });

  it("should mutate pod and apply defaults after mutation", async () => {
    const { world, hook } = await start();
    await new Endpoint(world, "v1/serviceaccounts", "default").create({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "default" },
    });
    const added = [{ name: "webhook-added-init-container", image: "webhook-added-image" }];
    hook.on("/pods", () => jsonPatch({ op: "add", path: "/spec/initContainers", value: added }));
    const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }];
    await endpointOf(world, "mutating").create(
      configuration("mutating", "pods", webhook(hook, "/pods", { rules })),
    );
    const pod = await new Endpoint(world, "v1/pods", "default").create({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "changed" },
      spec: template("changed").spec,
    });
    expect(pod.spec.initContainers).toMatchObject([{ ...added[0], terminationMessagePolicy: "File" }]);
  });

  it("should not be able to mutate or prevent deletion of webhook configuration objects", async () => {
    const { world, hook } = await start();
    hook.on("/deny", () => deny("never"));
    hook.on("/label", () => jsonPatch({ op: "add", path: "/metadata/labels/added", value: "yes" }));
    const rules = [
      {
        operations: ["*"],
        apiGroups: ["admissionregistration.k8s.io"],
        apiVersions: ["*"],
        resources: ["validatingwebhookconfigurations", "mutatingwebhookconfigurations"],
      },
    ];
    await endpointOf(world, "validating").create(
      configuration("validating", "deny", webhook(hook, "/deny", { rules })),
    );
    await endpointOf(world, "mutating").create(
      configuration("mutating", "label", webhook(hook, "/label", { rules })),
    );
    for (const kind of ["validating", "mutating"] as const) {
      const made = await endpointOf(world, kind).create(configuration(kind, "dummy", webhook(hook, "/none")));
      expect(made.metadata.labels).toEqual({ e2e: "yes" });
      await endpointOf(world, kind).delete("dummy");
    }
    expect(hook.calls).toEqual([]);
  });

  it("should mutate custom resource", async () => {
    const { world, hook } = await start();
    const things = await custom(world);
    hook.on("/first", addKey("mutation-stage-1", "mutation-start"));
    hook.on("/second", addKey("mutation-stage-2", "mutation-stage-1"));
    await endpointOf(world, "mutating").create(
      configuration(
        "mutating",
        "stages",
        webhook(hook, "/first", { rules: ofThings }),
        webhook(hook, "/second", { rules: ofThings }),
      ),
    );
    const made = await things.create(thing("staged", { "mutation-start": "yes" }));
    expect(Object.keys(made.data ?? {})).toHaveLength(3);
  });

  it("should mutate custom resource with different stored version", async () => {
    const { world, hook } = await start();
    const things = await custom(world);
    hook.on("/first", addKey("mutation-stage-1", "mutation-start"));
    await endpointOf(world, "mutating").create(
      configuration("mutating", "stages", webhook(hook, "/first", { rules: ofThings })),
    );
    await things.create(thing("stored", { "mutation-start": "yes" }));
    const definitions = new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions");
    const { versions } = (await definitions.get("things.hooks.example.com")).spec;
    const swapped = (versions as { storage: boolean }[]).map((each) => ({ ...each, storage: !each.storage }));
    await definitions.patch("things.hooks.example.com", { spec: { versions: swapped } });
    await world.wait("v2 is stored", async () =>
      (await definitions.get("things.hooks.example.com")).status.storedVersions.includes("v2"),
    );
    const patched = await things.patch("stored", { data: { dummy: "test" } });
    expect(patched.data).toEqual({ "mutation-start": "yes", "mutation-stage-1": "yes", dummy: "test" });
  });

  it("should mutate custom resource with pruning", async () => {
    const { world, hook } = await start();
    const text = { type: "string" };
    const known = { "mutation-start": text, "mutation-stage-1": text };
    const things = await custom(world, {
      type: "object",
      properties: { data: { type: "object", properties: known } },
    });
    hook.on("/first", addKey("mutation-stage-1", "mutation-start"));
    hook.on("/second", addKey("mutation-stage-2", "mutation-stage-1"));
    await endpointOf(world, "mutating").create(
      configuration(
        "mutating",
        "stages",
        webhook(hook, "/first", { rules: ofThings }),
        webhook(hook, "/second", { rules: ofThings }),
      ),
    );
    const made = await things.create(thing("pruned", { "mutation-start": "yes" }));
    expect(made.data).toEqual({ "mutation-start": "yes", "mutation-stage-1": "yes" });
  });

  it("should deny crd creation", async () => {
    const { world, hook } = await start();
    hook.on("/deny", (request) =>
      (request["object"] as Found).metadata.labels?.["webhook-e2e-test"] === "deny"
        ? deny("the crd contains unwanted label")
        : { allowed: true },
    );
    const rules = [
      {
        operations: ["CREATE"],
        apiGroups: ["apiextensions.k8s.io"],
        apiVersions: ["*"],
        resources: ["customresourcedefinitions"],
      },
    ];
    await endpointOf(world, "validating").create(
      configuration("validating", "deny", webhook(hook, "/deny", { rules })),
    );
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "denied.hooks.example.com", labels: { "webhook-e2e-test": "deny" } } as {
        name: string;
      },
      spec: {
        group: "hooks.example.com",
        names: { kind: "Denied", plural: "denied" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    await expect(
      new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create(definition),
    ).rejects.toThrow(/the crd contains unwanted label/);
  });

  it("should honor timeout", async () => {
    const { world, hook, maps } = await start();
    hook.on("/slow", () => "never");
    const configurations = endpointOf(world, "validating");
    const attempt = async (name: string, more: object, ms: number): Promise<Found> => {
      await configurations.create(configuration("validating", name, webhook(hook, "/slow", more)));
      const asked = hook.calls.length;
      const made = maps.create(configMap(name));
      made.catch(() => undefined);
      await world.wait("it is asked", async () => hook.calls.length > asked);
      await world.clock.advance(ms);
      try {
        return await made;
      } finally {
        await configurations.delete(name);
      }
    };
    await expect(attempt("short", { timeoutSeconds: 1, failurePolicy: "Fail" }, 1000)).rejects.toThrow(
      /context deadline exceeded/,
    );
    await attempt("ignored", { timeoutSeconds: 1, failurePolicy: "Ignore" }, 1000);
    await expect(attempt("default", { failurePolicy: "Fail" }, 10_000)).rejects.toThrow(
      /context deadline exceeded/,
    );
    hook.on("/slow", () => ({ allowed: true }));
    await attempt("in-time", { timeoutSeconds: 10, failurePolicy: "Fail" }, 0);
  });

  for (const kind of ["validating", "mutating"] as const) {
    const works = async ({ maps }: Setting, name: string): Promise<boolean> => {
      const made = maps.create(configMap(name, { e2e: "deny", start: "yes" }));
      if (kind === "mutating") return (await made).data?.["added"] === "yes";
      return made.then(
        () => false,
        () => true,
      );
    };
    const answers = ({ hook }: Setting): void => {
      hook.on("/hook", kind === "mutating" ? addKey("added") : () => deny("unwanted"));
    };

    it(`patching/updating a ${kind} webhook should work`, async () => {
      const setting = await start();
      const { world, hook } = setting;
      answers(setting);
      const configurations = endpointOf(world, kind);
      const made = await configurations.create(configuration(kind, "changing", webhook(hook, "/hook")));
      expect(await works(setting, "one")).toBe(true);
      const [before] = (made as unknown as { webhooks: object[] }).webhooks;
      const on = (operations: string[]): object => ({
        ...before,
        rules: [{ ...ofConfigMaps[0], operations }],
      });
      await configurations.update({ ...made, webhooks: [on(["UPDATE"])] });
      expect(await works(setting, "two")).toBe(false);
      await configurations.patch("changing", { webhooks: [on(["CREATE"])] });
      expect(await works(setting, "three")).toBe(true);
    });

    it(`listing ${kind} webhooks should work`, async () => {
      const setting = await start();
      const { world, hook } = setting;
      answers(setting);
      const configurations = endpointOf(world, kind);
      for (let i = 0; i < 10; i++) {
        await configurations.create(configuration(kind, `listed-${i}`, webhook(hook, "/hook")));
      }
      expect((await configurations.list({ labelSelector: "e2e=yes" })).items).toHaveLength(10);
      expect(await works(setting, "one")).toBe(true);
      await configurations.deleteCollection({ labelSelector: "e2e=yes" });
      expect(await works(setting, "two")).toBe(false);
    });

    it(`should be able to create and update ${kind} webhook configurations with match conditions`, async () => {
      const { world, hook } = await start();
      const configurations = endpointOf(world, kind);
      const conditions = (name: string): object => ({
        matchConditions: [{ name, expression: `object.metadata.name == '${name}'` }],
      });
      const made = await configurations.create(
        configuration(kind, "conditional", webhook(hook, "/hook", conditions("first"))),
      );
      expect(made).toMatchObject({ webhooks: [conditions("first")] });
      await configurations.update({ ...made, webhooks: [webhook(hook, "/hook", conditions("second"))] });
      expect(await configurations.get("conditional")).toMatchObject({ webhooks: [conditions("second")] });
    });

    it(`should reject ${kind} webhook configurations with invalid match conditions`, async () => {
      const { world, hook } = await start();
      const matchConditions = [{ name: "invalid", expression: "... [] bad expression" }];
      await expect(
        endpointOf(world, kind).create(
          configuration(kind, "bad", webhook(hook, "/hook", { matchConditions })),
        ),
      ).rejects.toThrow(/compilation failed/);
    });
  }

  it("should mutate everything except 'skip-me' configmaps", async () => {
    const { world, hook, maps } = await start();
    hook.on("/add", addKey("added"));
    const matchConditions = [{ name: "skip-me", expression: "object.metadata.name != 'skip-me'" }];
    await endpointOf(world, "mutating").create(
      configuration("mutating", "skipping", webhook(hook, "/add", { matchConditions })),
    );
    expect((await maps.create(configMap("skip-me", { start: "yes" }))).data).toEqual({ start: "yes" });
    expect((await maps.create(configMap("other", { start: "yes" }))).data).toEqual({
      start: "yes",
      added: "yes",
    });
  });
});
