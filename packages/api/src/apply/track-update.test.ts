import { describe, expect, it } from "vitest";
import { keyedListOf, mapOf, number, setListOf, structOf, text, typeOf } from "../../test/apply-notation.ts";
import { ApplySession } from "../../test/apply-session.ts";
import { builtinDefinition } from "../builtin/definitions.ts";
import { deepFreeze } from "../object/freeze.ts";
import type { ManagedFieldsEntry } from "../object/object.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { FieldManagement, ManagedObject } from "./field-management.ts";
import { fieldSetOf } from "./field-set.ts";
import { keepManagedFieldsTimes } from "./managed-fields-times.ts";
import { compileMergeType, deducedType } from "./merge-type.ts";
import { trackUpdate } from "./track-update.ts";
import { fillZero, zeroObject } from "./zero-object.ts";

const type = typeOf({
  spec: structOf({
    color: text,
    lumens: number,
    marks: mapOf(text),
    tags: setListOf(text),
    parts: keyedListOf(["name"], { name: text, qty: number }),
  }),
  status: structOf({ phase: text, lit: number }),
});
const main: FieldManagement = {
  apiVersion: "g/v1",
  kind: "Lantern",
  typeOf: (apiVersion) => (apiVersion === "g/v1" ? type : undefined),
  resetFields: { "g/v1": fieldSetOf([["status"]]) },
};
const status: FieldManagement = {
  ...main,
  subresource: "status",
  resetFields: { "g/v1": fieldSetOf([["metadata"], ["spec"]]) },
};
const now = "2026-01-01T00:00:00Z";
const later = "2026-01-01T00:00:09Z";

const lantern = (more: object = {}, metadata: object = {}): ManagedObject =>
  deepFreeze({
    apiVersion: "g/v1",
    kind: "Lantern",
    metadata: { name: "l", ...metadata },
    ...more,
  }) as ManagedObject;
const stored = (object: ManagedObject): ManagedObject =>
  deepFreeze({
    ...object,
    metadata: { ...object.metadata, uid: "u", resourceVersion: "1" },
  }) as ManagedObject;
const create = (more: object, metadata: object = {}, manager = "one"): ManagedObject =>
  stored(trackUpdate(main, { object: lantern(more, metadata), manager, now }));
const entries = (object: ManagedObject): readonly string[] =>
  (object.metadata.managedFields ?? []).map((e) =>
    [
      `${e.manager} ${e.operation}${e.subresource ? `/${e.subresource}` : ""}`,
      JSON.stringify(e.fieldsV1),
    ].join(" "),
  );
/** An update of a live object: the sent fields replace all, metadata is kept. */
const update = (
  live: ManagedObject,
  more: object,
  options: { manager?: string; metadata?: object; endpoint?: FieldManagement } = {},
) =>
  trackUpdate(options.endpoint ?? main, {
    live,
    object: deepFreeze({
      apiVersion: "g/v1",
      kind: "Lantern",
      metadata: { ...live.metadata, ...options.metadata },
      ...more,
    }) as ManagedObject,
    manager: options.manager ?? "two",
    now: later,
  });

describe("trackUpdate of a create", () => {
  it("owns everything that was sent, containers too, but no system fields", () => {
    const object = create(
      { spec: { color: "a", tags: ["t"], parts: [{ name: "p", qty: 1 }], marks: {} } },
      {
        namespace: "n",
        labels: { a: "1" },
        uid: "x",
        generation: 4,
        creationTimestamp: null,
        selfLink: "/x",
      },
    );
    expect(object.metadata.managedFields).toEqual([
      {
        manager: "one",
        operation: "Update",
        apiVersion: "g/v1",
        time: now,
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
          "f:spec": {
            ".": {},
            "f:color": {},
            "f:marks": {},
            "f:parts": { ".": {}, 'k:{"name":"p"}': { ".": {}, "f:name": {}, "f:qty": {} } },
            "f:tags": { ".": {}, 'v:"t"': {} },
          },
        },
      },
    ]);
  });

  it("writes the entry in the server's order of keys", () => {
    const [entry] = create({ spec: { lumens: 1, color: "a" } }).metadata.managedFields ?? [];
    expect(JSON.stringify(entry)).toBe(
      '{"manager":"one","operation":"Update","apiVersion":"g/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1",' +
        '"fieldsV1":{"f:spec":{".":{},"f:color":{},"f:lumens":{}}}}',
    );
  });

  it("owns nothing that the endpoint resets, and has no entry for nothing", () => {
    expect(entries(create({ status: { phase: "Up" } }))).toEqual([]);
    expect(create({}).metadata).not.toHaveProperty("managedFields");
  });

  it("is recorded as unknown without a manager", () => {
    expect(entries(create({ spec: {} }, {}, ""))).toEqual(['unknown Update {"f:spec":{}}']);
  });

  it("takes over valid entries that the client sent", () => {
    const sent = entryOf("fake", { "f:spec": { "f:lumens": {} } });
    expect(entries(create({ spec: { color: "a", lumens: 1 } }, { managedFields: [sent] }))).toEqual([
      'one Update {"f:spec":{".":{},"f:color":{},"f:lumens":{}}}',
    ]);
  });

  it("leaves an object that does not fit without entries, for validation to refuse", () => {
    expect(entries(create({ spec: { color: 5 } }))).toEqual([]);
    expect(entries(create({ spec: { parts: [null] } }))).toEqual([]);
  });

  it("allows doubled items and owns them as one", () => {
    expect(entries(create({ spec: { tags: ["a", "a"] } }))).toEqual([
      'one Update {"f:spec":{".":{},"f:tags":{".":{},"v:\\"a\\"":{}}}}',
    ]);
  });
});

function entryOf(manager: string, fieldsV1: object, more: object = {}): ManagedFieldsEntry {
  return {
    manager,
    operation: "Update",
    apiVersion: "g/v1",
    fieldsType: "FieldsV1",
    fieldsV1: fieldsV1 as never,
    ...more,
  };
}

describe("trackUpdate of an update", () => {
  const live = create({ spec: { color: "a", lumens: 1 } });

  it("takes what it changed, and drops what it removed, from everybody", () => {
    expect(entries(update(live, { spec: { color: "b", marks: { m: "x" } } }))).toEqual([
      'one Update {"f:spec":{}}',
      'two Update {"f:spec":{"f:color":{},"f:marks":{".":{},"f:m":{}}}}',
    ]);
  });

  it("joins what a manager changes with what it owned before, with the new time", () => {
    const object = update(live, { spec: { color: "a", lumens: 2, tags: ["t"] } }, { manager: "one" });
    expect(entries(object)).toEqual([
      'one Update {"f:spec":{".":{},"f:color":{},"f:lumens":{},"f:tags":{".":{},"v:\\"t\\"":{}}}}',
    ]);
    expect(object.metadata.managedFields?.[0]?.time).toBe(later);
  });

  it("returns the object as it is when nothing changes", () => {
    const same = deepFreeze({ ...live, spec: { lumens: 1, color: "a" } }) as ManagedObject;
    expect(trackUpdate(main, { live, object: same, manager: "two", now: later })).toBe(same);
    expect(
      update(live, { spec: { color: "a", lumens: 1 } }, { metadata: { managedFields: undefined } }).metadata
        .managedFields,
    ).toBe(live.metadata.managedFields);
  });

  it("gives entries back themselves that do not change", () => {
    const object = update(live, { spec: { color: "a", lumens: 1, tags: ["t"] } });
    expect(object.metadata.managedFields?.[0]).toBe(live.metadata.managedFields?.[0]);
  });

  it("forgets nothing when a client leaves managedFields out", () => {
    const object = update(
      live,
      { spec: { color: "b", lumens: 1 } },
      { metadata: { managedFields: undefined } },
    );
    expect(entries(object)).toEqual([
      'one Update {"f:spec":{".":{},"f:lumens":{}}}',
      'two Update {"f:spec":{"f:color":{}}}',
    ]);
  });

  it.each([
    ["of an invalid operation", { operation: "Nope" }],
    ["of another fieldsType", { fieldsType: "FieldsV2" }],
    ["without an apiVersion", { apiVersion: "" }],
    ["that cannot be read", { fieldsV1: { bad: {} } }],
  ])("ignores sent entries %s", (_name, more) => {
    const object = update(
      live,
      { spec: { color: "a", lumens: 1 } },
      { metadata: { managedFields: [entryOf("fake", {}, more)] } },
    );
    expect(object.metadata.managedFields).toBe(live.metadata.managedFields);
  });

  it("drops sent entries that own nothing", () => {
    expect(
      entries(
        update(
          live,
          { spec: { color: "a", lumens: 1 } },
          { metadata: { managedFields: [entryOf("fake", {})] } },
        ),
      ),
    ).toEqual([]);
  });

  it("takes over sent entries, which then lose what changed", () => {
    const managedFields = [entryOf("fake", { "f:spec": { "f:color": {}, "f:lumens": {} } })];
    expect(
      entries(update(live, { spec: { color: "b", lumens: 1 } }, { metadata: { managedFields } })),
    ).toEqual(['fake Update {"f:spec":{"f:lumens":{}}}', 'two Update {"f:spec":{"f:color":{}}}']);
  });

  it("clears ownership for one empty entry, and tracks nothing from then on", () => {
    const cleared = stored(update(live, { spec: { color: "b" } }, { metadata: { managedFields: [{}] } }));
    expect(cleared.metadata.managedFields).toBeUndefined();
    expect(entries(update(cleared, { spec: { color: "c" } }))).toEqual([]);
  });

  it("clears ownership for an empty list only where told so", () => {
    const sent = { metadata: { managedFields: [] } };
    expect(update(live, { spec: { color: "a", lumens: 1 } }, sent).metadata.managedFields).toBe(
      live.metadata.managedFields,
    );
    const endpoint = { ...main, emptyListClears: true };
    expect(entries(update(live, { spec: { color: "a", lumens: 1 } }, { ...sent, endpoint }))).toEqual([]);
  });

  it("loses all entries when the object does not fit", () => {
    expect(update(live, { spec: { color: 5 } }).metadata).not.toHaveProperty("managedFields");
  });

  it("records metadata that clients own", () => {
    expect(
      entries(
        update(
          live,
          { spec: { color: "a", lumens: 1 } },
          { metadata: { finalizers: ["f"], generateName: "g-" } },
        ),
      )[1],
    ).toBe('two Update {"f:metadata":{"f:finalizers":{".":{},"v:\\"f\\"":{}},"f:generateName":{}}}');
  });

  it("drops entries of versions that are gone, and keeps those of others", () => {
    const managedFields = [
      entryOf("old", { "f:spec": { "f:color": {} } }, { apiVersion: "g/v0" }),
      entryOf("one", { "f:spec": { "f:lumens": {} } }),
    ];
    const before = stored(lantern({ spec: { color: "a", lumens: 1 } }, { managedFields }));
    expect(entries(update(before, { spec: { color: "a", lumens: 1, tags: [] } }))).toEqual([
      'one Update {"f:spec":{"f:lumens":{}}}',
      'two Update {"f:spec":{"f:tags":{}}}',
    ]);
  });

  it("merges the oldest updates beyond ten", () => {
    const session = new ApplySession(deducedType);
    for (let i = 0; i < 12; i++) {
      session.update(`m${i}`, {
        marks: Object.fromEntries(Array.from({ length: i + 1 }, (_, n) => [`k${n}`, "x"])),
      });
    }
    expect(session.times.map((t) => t.split(" ")[1])).toEqual([
      "ancient-changes",
      "m3",
      "m4",
      "m5",
      "m6",
      "m7",
      "m8",
      "m9",
      "m10",
      "m11",
    ]);
    expect(session.owned["ancient-changes"]?.[1]).toEqual([".marks", ".marks.k0", ".marks.k1", ".marks.k2"]);
    expect(session.times[0]).toBe("Update ancient-changes 3");
  });
});

describe("trackUpdate of the status", () => {
  const live = create({ spec: { color: "a" } });

  it("owns only status, through the subresource", () => {
    const object = update(
      live,
      { spec: { color: "zz" }, status: { phase: "A" } },
      { endpoint: status, metadata: { labels: { a: "1" } } },
    );
    expect(entries(object)).toEqual([
      'one Update {"f:spec":{".":{},"f:color":{}}}',
      'two Update/status {"f:status":{".":{},"f:phase":{}}}',
    ]);
  });

  it("is another manager than the same name elsewhere", () => {
    const once = stored(
      update(live, { spec: { color: "a" }, status: { phase: "A" } }, { endpoint: status, manager: "one" }),
    );
    const twice = update(
      once,
      { spec: { color: "a", lumens: 1 }, status: { phase: "A" } },
      { manager: "one" },
    );
    expect(entries(twice)).toEqual([
      'one Update {"f:spec":{".":{},"f:color":{},"f:lumens":{}}}',
      'one Update/status {"f:status":{".":{},"f:phase":{}}}',
    ]);
  });

  it("takes no entries from the client", () => {
    const sent = [entryOf("fake", { "f:status": { "f:phase": {} } })];
    const object = update(
      live,
      { spec: { color: "a" }, status: {} },
      { endpoint: status, metadata: { managedFields: sent } },
    );
    expect(entries(object)).toEqual([
      'one Update {"f:spec":{".":{},"f:color":{}}}',
      'two Update/status {"f:status":{}}',
    ]);
    expect(
      entries(
        update(live, { spec: { color: "a" } }, { endpoint: status, metadata: { managedFields: [{}] } }),
      ),
    ).toEqual(['one Update {"f:spec":{".":{},"f:color":{}}}']);
  });
});

describe("keepManagedFieldsTimes", () => {
  const live = create({ spec: { color: "a" } });
  const retimed = (more: object = {}): ManagedObject =>
    ({
      ...live,
      ...more,
      metadata: {
        ...live.metadata,
        resourceVersion: "",
        managedFields: live.metadata.managedFields?.map((e) => ({ ...e, time: later })),
      },
    }) as ManagedObject;

  it("takes the stored times when they are all that differs", () => {
    expect(keepManagedFieldsTimes(live, retimed()).metadata.managedFields).toBe(live.metadata.managedFields);
  });

  it("leaves objects that changed", () => {
    const changed = retimed({ spec: { color: "b" } });
    expect(keepManagedFieldsTimes(live, changed)).toBe(changed);
    const owned = {
      ...retimed(),
      metadata: { ...live.metadata, managedFields: [entryOf("x", {})] },
    } as ManagedObject;
    expect(keepManagedFieldsTimes(live, owned)).toBe(owned);
    const cleared = lantern({ spec: { color: "a" } });
    expect(keepManagedFieldsTimes(live, cleared)).toBe(cleared);
  });
});

describe("built-in kinds", () => {
  const definitions: Record<string, JsonSchema> = new Proxy(
    {},
    { get: (_target, name) => (typeof name === "string" ? builtinDefinition(name) : undefined) },
  );
  const endpoint = (definition: string, apiVersion: string, kind: string): FieldManagement => {
    const schema = builtinDefinition(definition) ?? {};
    const compiled = compileMergeType(schema, { definitions });
    return {
      apiVersion,
      kind,
      typeOf: (wanted) => (wanted === apiVersion ? compiled : undefined),
      zero: zeroObject({ apiVersion, kind }, schema, definitions),
      emptyListClears: true,
    };
  };
  const deployments = endpoint("io.k8s.api.apps.v1.Deployment", "apps/v1", "Deployment");
  const pods = endpoint("io.k8s.api.core.v1.Pod", "v1", "Pod");
  const crdName = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";
  const crds = endpoint(crdName, "apiextensions.k8s.io/v1", "CustomResourceDefinition");

  it("have the fields of their structs from the start", () => {
    expect(pods.zero).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {},
      spec: { containers: null },
      status: {},
    });
    expect(deployments.zero?.["spec"]).toEqual({
      selector: {},
      strategy: {},
      template: { metadata: {}, spec: { containers: null } },
    });
    expect((crds.zero as Record<string, unknown>)["spec"]).toEqual({
      group: "",
      names: { kind: "", plural: "" },
      scope: "",
      versions: null,
    });
  });

  it("fill in what an object lacks of them", () => {
    const object = { spec: { template: { spec: { x: 1 } } } };
    const zero = { spec: { a: "", template: { metadata: {}, spec: { containers: null } } }, status: {} };
    expect(fillZero(zero, object)).toEqual({
      spec: { a: "", template: { metadata: {}, spec: { x: 1, containers: null } } },
      status: {},
    });
    const full = fillZero(zero, object);
    expect(fillZero(zero, full)).toBe(full);
  });

  it("own what was set in a deployment, not the structs around it", () => {
    const labels = { app: "nginx" };
    const object = deepFreeze({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "d", labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "25%" } },
        template: {
          metadata: { labels },
          spec: {
            containers: [
              {
                name: "nginx",
                image: "nginx",
                ports: [{ containerPort: 80, protocol: "TCP" }],
                resources: {},
              },
            ],
          },
        },
      },
    }) as unknown as ManagedObject;
    const [entry] =
      trackUpdate(deployments, { object, manager: "kubectl-create", now }).metadata.managedFields ?? [];
    expect(entry?.fieldsV1).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
      "f:spec": {
        "f:replicas": {},
        "f:selector": {},
        "f:strategy": { "f:rollingUpdate": { ".": {}, "f:maxSurge": {} }, "f:type": {} },
        "f:template": {
          "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
          "f:spec": {
            "f:containers": {
              'k:{"name":"nginx"}': {
                ".": {},
                "f:image": {},
                "f:name": {},
                "f:ports": {
                  ".": {},
                  'k:{"containerPort":80,"protocol":"TCP"}': {
                    ".": {},
                    "f:containerPort": {},
                    "f:protocol": {},
                  },
                },
                "f:resources": {},
              },
            },
          },
        },
      },
    });
  });

  it("own the names of a definition as the recorded server does", () => {
    const object = deepFreeze({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "as.g" },
      spec: {
        conversion: { strategy: "None" },
        group: "g",
        names: { kind: "A", listKind: "AList", plural: "as", singular: "a" },
        scope: "Namespaced",
        versions: [{ name: "v1" }],
      },
    }) as unknown as ManagedObject;
    const [entry] = trackUpdate(crds, { object, manager: "", now }).metadata.managedFields ?? [];
    expect(entry?.fieldsV1).toEqual({
      "f:spec": {
        "f:conversion": { ".": {}, "f:strategy": {} },
        "f:group": {},
        "f:names": { "f:kind": {}, "f:listKind": {}, "f:plural": {}, "f:singular": {} },
        "f:scope": {},
        "f:versions": {},
      },
    });
  });

  it("own a status that is written for the first time without its struct", () => {
    const live = deepFreeze({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "p",
        uid: "u",
        managedFields: [{ ...entryOf("a", { "f:spec": { "f:nodeName": {} } }), apiVersion: "v1" }],
      },
      spec: { containers: [] },
    });
    const object = deepFreeze({ ...live, status: { phase: "Running" } });
    const written = trackUpdate(
      { ...pods, subresource: "status" },
      { live: live as never, object: object as never, manager: "kubelet", now },
    );
    expect(entries(written)[1]).toBe('kubelet Update/status {"f:status":{"f:phase":{}}}');
  });
});
