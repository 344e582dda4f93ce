import { Deployment } from "@bowline/api/apps/v1";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { ConfigMap, Namespace, PersistentVolume, PersistentVolumeClaim } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { parseStages } from "../../src/nodes/stages/parse-stages.ts";
import { type World, deploymentOf, newWorld } from "../controllers/world.ts";

const database = { apiVersion: "example.com/v1", kind: "Database" } as const;
const inDefault = { namespace: "default" } as const;

const definition = {
  metadata: { name: "databases.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "databases", singular: "database", kind: "Database" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};

interface Db {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly spec?: object;
  readonly status?: { readonly phase?: string; readonly log?: string };
}

/** A stage in short: what its spec has besides the kind. */
function stage(name: string, spec: object, about: { apiGroup?: string; kind: string }): object {
  return {
    apiVersion: "kwok.x-k8s.io/v1alpha1",
    kind: "Stage",
    metadata: { name },
    spec: { resourceRef: about, ...spec },
  };
}

function databaseStage(name: string, spec: object): object {
  return stage(name, spec, { apiGroup: "example.com/v1", kind: "Database" });
}

function stages(...all: object[]): { stages: ReturnType<typeof parseStages> } {
  return { stages: parseStages(all.map((one) => JSON.stringify(one)).join("\n---\n")) };
}

const atPhase = (phase: string): object => ({
  matchExpressions: [{ jq: { key: '.status.phase // "New"', operator: "In", values: [phase] } }],
});

async function define(world: World): Promise<void> {
  await world.client.create(CustomResourceDefinition, definition as never);
  await world.pass(1);
}

async function create(world: World, name: string, given: object = {}): Promise<void> {
  const metadata = { name, namespace: "default", ...(given as { metadata?: object }).metadata };
  await world.client.create(database, { ...database, ...given, metadata } as never);
}

async function read(world: World, name: string): Promise<Db> {
  return (await world.client.get(database, { name, ...inDefault })) as unknown as Db;
}

/** An empty selector is for all; this one is for those that are not being deleted. */
const living = { matchExpressions: [{ cel: { expression: "!has(self.metadata.deletionTimestamp)" } }] };

describe("Stages of custom kinds", () => {
  it("move objects of a kind that is defined later, on the cluster's clock, and again when it is defined anew", async () => {
    const world = await newWorld(
      stages(
        databaseStage("starting", {
          selector: atPhase("New"),
          next: { statusTemplate: "phase: Starting" },
        }),
        databaseStage("running", {
          selector: atPhase("Starting"),
          delay: { durationMilliseconds: 30_000 },
          next: {
            statusTemplate: "phase: Running\nlog: {{ .metadata.name }} at {{ Now }}",
            event: { type: "Normal", reason: "Started", message: "it runs" },
          },
        }),
      ),
    );
    await define(world);
    await create(world, "a");
    await world.pass(29_000);
    expect((await read(world, "a")).status).toEqual({ phase: "Starting" });
    await world.pass(1000);
    expect((await read(world, "a")).status).toEqual({ phase: "Running", log: "a at 2026-01-01T00:00:30Z" });
    expect(await world.events({ kind: "Database", name: "a" })).toEqual(["Started: it runs"]);

    await world.client.delete(CustomResourceDefinition, { name: "databases.example.com" });
    await world.pass(60_000);
    await define(world);
    await create(world, "b");
    await world.pass(31_000);
    expect((await read(world, "b")).status?.phase).toBe("Running");
    expect(world.errors).toEqual([]);
  });

  it("write finalizers, and delete objects in the end", async () => {
    const world = await newWorld(
      stages(
        databaseStage("hold", {
          selector: { ...living, matchLabels: { hold: "yes" } },
          next: { finalizers: { add: [{ value: "example.com/a" }, { value: "example.com/b" }] } },
        }),
        databaseStage("release", {
          selector: { matchExpressions: [{ key: ".metadata.deletionTimestamp", operator: "Exists" }] },
          delay: { durationMilliseconds: 5000 },
          next: { finalizers: { remove: [{ value: "example.com/a" }, { value: "example.com/b" }] } },
        }),
        databaseStage("expire", {
          selector: { matchAnnotations: { expires: "soon" } },
          delay: { durationMilliseconds: 60_000 },
          next: { delete: true, statusTemplate: "phase: never written" },
        }),
      ),
    );
    await define(world);
    await create(world, "held", { metadata: { labels: { hold: "yes" } } });
    await create(world, "expiring", { metadata: { annotations: { expires: "soon" } } });
    await create(world, "other");
    await world.pass(100);
    expect((await read(world, "held")).metadata.finalizers).toEqual(["example.com/a", "example.com/b"]);
    await world.client.delete(database, { name: "held", ...inDefault });
    await world.pass(4000);
    expect(await world.names(database as never)).toEqual(["expiring", "held", "other"]);
    await world.pass(2000);
    expect(await world.names(database as never)).toEqual(["expiring", "other"]);
    await world.pass(60_000);
    expect(await world.names(database as never)).toEqual(["other"]);
  });

  it("patch as they say: merged, by JSON patch below a root, and on the object as well as its status", async () => {
    const world = await newWorld(
      stages(
        databaseStage("patched", {
          selector: { matchExpressions: [{ cel: { expression: "!has(self.spec.done)" } }] },
          steps: [
            { patch: { root: "spec", template: "done: true\nsize: {{ add .spec.size 1 }}" } },
            {
              patch: {
                root: "spec",
                type: "json",
                template:
                  '[{"op": "replace", "path": "/list/0", "value": "z"}, {"op": "remove", "path": "/list/1"}]',
              },
            },
            { patch: { template: "status: {phase: Written}", subresource: "status", type: "merge" } },
          ],
        }),
      ),
    );
    await define(world);
    await create(world, "a", { spec: { size: 1, list: ["a", "b", "c"] } });
    await world.pass(10);
    const { spec, status } = await read(world, "a");
    expect(spec).toEqual({ done: true, size: 2, list: ["z", "c"] });
    expect(status).toEqual({ phase: "Written" });
  });

  it("take weights from the objects, and leave those without a weight alone", async () => {
    const fate = (name: string): object =>
      databaseStage(name, {
        selector: atPhase("New"),
        weightFrom: { expressionFrom: `.spec.${name}` },
        next: { statusTemplate: `phase: ${name}` },
      });
    const world = await newWorld(stages(fate("good"), fate("bad")));
    await define(world);
    for (let at = 0; at < 10; at++) {
      await create(world, `only-good-${at}`, { spec: { good: 1, bad: 0 } });
      await create(world, `only-bad-${at}`, { spec: { good: "", bad: "7" } });
      await create(world, `either-${at}`, { spec: { good: 1, bad: 1 } });
    }
    await world.pass(10);
    const { items } = await world.client.list(database, inDefault);
    const phases = (prefix: string): Set<string> =>
      new Set(
        (items as unknown as (Db & { metadata: { name: string } })[])
          .filter(({ metadata }) => metadata.name.startsWith(prefix))
          .map(({ status }) => status?.phase ?? ""),
      );
    expect(phases("only-good")).toEqual(new Set(["good"]));
    expect(phases("only-bad")).toEqual(new Set(["bad"]));
    expect(phases("either")).toEqual(new Set(["good", "bad"]));
  });

  it("say in an event of the object that a stage fails, and go on with the step that failed", async () => {
    const world = await newWorld(
      stages(
        databaseStage("fails", {
          selector: atPhase("New"),
          steps: [
            { event: { type: "Normal", reason: "Once", message: "said once" } },
            {
              apply: {
                template:
                  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .metadata.name }}', namespace: later}\ndata: {a: b}",
              },
            },
            { patch: { root: "status", subresource: "status", template: "phase: Done" } },
          ],
        }),
        databaseStage("unreadable", {
          selector: { matchLabels: { broken: "yes" } },
          next: { statusTemplate: '{{ fail "no luck" }}' },
        }),
      ),
    );
    await define(world);
    await create(world, "a");
    await world.pass(1000);
    const [once, failed] = await world.events({ kind: "Database", name: "a" });
    expect(once).toBe("Once: said once");
    expect(failed).toBe('StageFailed: stage "fails": namespaces "later" not found');
    await world.client.create(Namespace, { metadata: { name: "later" } } as never);
    await world.wait(
      "the stage is carried out",
      async () => (await read(world, "a")).status?.phase === "Done",
    );
    const map = await world.client.get(ConfigMap, { name: "a", namespace: "later" });
    expect(map.data).toEqual({ a: "b" });
    expect(
      (await world.events({ kind: "Database", name: "a" })).filter((text) => text === once),
    ).toHaveLength(1);

    await create(world, "b", { metadata: { labels: { broken: "yes" } }, status: {} });
    await world.client.patch(
      database,
      { name: "b", ...inDefault },
      { merge: { status: { phase: "x" } } as never },
      { subresource: "status" },
    );
    await world.pass(1000);
    expect(await world.events({ kind: "Database", name: "b" })).toContain(
      'StageFailed: stage "unreadable": its template makes no YAML of this object: no luck',
    );
  });

  it("decide what comes next at once when they say so, also when nothing changed", async () => {
    const world = await newWorld(
      stages(
        databaseStage("wait", {
          selector: { matchExpressions: [{ key: ".spec.until", operator: "Exists" }] },
          delay: { durationFrom: { jq: { expression: ".spec.until" } }, durationMilliseconds: 1000 },
          next: { event: { type: "Warning", reason: "Tick", message: "again" } },
          immediateNextStage: true,
        }),
      ),
    );
    await define(world);
    await create(world, "a", { spec: { until: "20s" } });
    await world.pass(65_000);
    const { items } = await world.client.list({ apiVersion: "v1", kind: "Event" }, inDefault);
    const ticks = (items as unknown as { reason?: string; count?: number; type?: string }[]).filter(
      ({ reason }) => reason === "Tick",
    );
    expect(ticks).toMatchObject([{ count: 3, type: "Warning" }]);
  });
});

describe("Stages of built-in kinds", () => {
  it("apply other objects, in the namespace of their own", async () => {
    const world = await newWorld(
      stages(
        stage(
          "provision",
          {
            selector: {
              matchExpressions: [
                { cel: { expression: "self.spec.storageClassName == 'fast'" } },
                { cel: { expression: "!has(self.spec.volumeName)" } },
              ],
            },
            steps: [
              {
                apply: {
                  template: `
apiVersion: v1
kind: PersistentVolume
metadata:
  name: pv-{{ .metadata.name }}
spec:
  accessModes:
  {{ YAML .spec.accessModes 2 }}
  capacity:
  {{ YAML .spec.resources.requests 2 }}
  storageClassName: fast
  hostPath: {path: /tmp}
`,
                },
              },
              {
                apply: {
                  type: "merge",
                  template: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata: {by: stage}",
                },
              },
            ],
          },
          { kind: "PersistentVolumeClaim" },
        ),
      ),
    );
    await world.client.create(ConfigMap, {
      metadata: { name: "made", ...inDefault },
      data: { old: "1" },
    } as never);
    const spec = {
      storageClassName: "fast",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    };
    await world.client.create(PersistentVolumeClaim, {
      metadata: { name: "c", ...inDefault },
      spec,
    } as never);
    await world.wait("the claim is bound", async () => {
      const [claim] = await world.list(PersistentVolumeClaim);
      return claim?.status?.phase === "Bound" && claim.spec?.volumeName === "pv-c";
    });
    const [volume] = await world.list(PersistentVolume);
    expect(volume?.spec).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    expect(volume?.metadata.managedFields?.map(({ manager }) => manager)).toContain("kwok");
    const map = await world.client.get(ConfigMap, { name: "made", ...inDefault });
    expect(map.data).toEqual({ old: "1", by: "stage" });
  });

  it("write as the user whom a patch names", async () => {
    const lines: string[] = [];
    const world = await newWorld({
      ...stages(
        stage(
          "annotated",
          {
            selector: { matchExpressions: [{ key: ".metadata.annotations.seen", operator: "DoesNotExist" }] },
            next: {
              statusTemplate: "conditions: [{type: Seen, status: 'True'}]",
              statusPatchAs: { username: "jane" },
              patches: [
                {
                  root: "metadata",
                  template: "annotations: {seen: 'yes'}",
                  impersonation: { username: "joe" },
                },
              ],
            },
          },
          { apiGroup: "apps/v1", kind: "Deployment" },
        ),
      ),
      authorization: "AlwaysAllow",
      audit: (line) => void lines.push(line),
    });
    await world.client.create(Deployment, deploymentOf("web") as never);
    await world.pass(10);
    const [deployment] = await world.list(Deployment);
    expect(deployment?.metadata.annotations).toMatchObject({ seen: "yes" });
    const patches = lines
      .map(
        (line) =>
          JSON.parse(line) as {
            verb: string;
            impersonatedUser?: { username: string };
            objectRef?: { subresource?: string };
          },
      )
      .filter(({ verb, impersonatedUser }) => verb === "patch" && impersonatedUser !== undefined)
      .map(
        ({ impersonatedUser, objectRef }) => `${impersonatedUser?.username} ${objectRef?.subresource ?? ""}`,
      );
    expect(new Set(patches)).toEqual(new Set(["jane status", "joe "]));
  });

  it("are refused to a user who may not write", async () => {
    const world = await newWorld(
      stages(
        stage(
          "annotated",
          {
            selector: { matchLabels: { app: "web" } },
            next: { patches: [{ root: "data", template: "a: b", impersonation: { username: "nobody" } }] },
          },
          { kind: "ConfigMap" },
        ),
      ),
    );
    await world.client.create(ConfigMap, {
      metadata: { name: "c", ...inDefault, labels: { app: "web" } },
    } as never);
    await world.pass(10);
    expect(await world.events({ kind: "ConfigMap", name: "c" })).toEqual([
      'StageFailed: stage "annotated": configmaps "c" is forbidden: User "nobody" cannot patch resource "configmaps" in API group "" in the namespace "default"',
    ]);
  });
});

describe("What stages may say", () => {
  const about = { resourceRef: { kind: "Pod" }, selector: {} };
  it.each<[string, object, string]>([
    [
      "a group without a version",
      { ...about, resourceRef: { apiGroup: "apps", kind: "Deployment" } },
      "such as apps/v1",
    ],
    ["no kind", { ...about, resourceRef: {} }, "spec.resourceRef.kind"],
    [
      "an operator that there is not",
      { ...about, selector: { matchExpressions: [{ key: ".a", operator: "Is" }] } },
      "the operator Is is none of In, NotIn, Exists, DoesNotExist",
    ],
    [
      "values where none belong",
      { ...about, selector: { matchExpressions: [{ key: ".a", operator: "Exists", values: ["1"] }] } },
      "the operator Exists goes with no values",
    ],
    [
      "no values where some belong",
      { ...about, selector: { matchExpressions: [{ jq: { key: ".a", operator: "In" } }] } },
      "the operator In goes with values",
    ],
    [
      "half an expression",
      { ...about, selector: { matchExpressions: [{ key: ".a" }] } },
      "a key and an operator",
    ],
    [
      "CEL that does not compile",
      { ...about, selector: { matchExpressions: [{ cel: { expression: "other.a" } }] } },
      "undeclared reference to 'other'",
    ],
    [
      "CEL that is no condition",
      { ...about, selector: { matchExpressions: [{ cel: { expression: "1 + 1" } }] } },
      "is no bool but int",
    ],
    [
      "a kind of patch that there is not",
      { ...about, steps: [{ patch: { template: "", type: "apply" } }] },
      'the type "apply" is none of json, merge, strategic',
    ],
    ["a query that changes", { ...about, weightFrom: { expressionFrom: ".a = 1" } }, "cannot be read at"],
  ])("is not %s", (_what, spec, why) => {
    const [made] = [{ apiVersion: "kwok.x-k8s.io/v1alpha1", kind: "Stage", metadata: { name: "s" }, spec }];
    expect(() => parseStages(JSON.stringify(made))).toThrow(why);
    expect(() => parseStages(JSON.stringify(made))).toThrow('stage "s": ');
  });

  it("may be no selector, which is for no object", async () => {
    const world = await newWorld(stages(stage("none", { next: { delete: true } }, { kind: "ConfigMap" })));
    await world.client.create(ConfigMap, { metadata: { name: "stays", ...inDefault } } as never);
    await world.pass(1000);
    expect(await world.names(ConfigMap as never, "default")).toContain("stays");
  });
});
