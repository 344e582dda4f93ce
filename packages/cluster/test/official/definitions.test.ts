/** Named after the official conformance tests that they re-express; what each does is ours. */
import { type ConversionReview, describeConversion } from "./conversion.ts";
import { describe, expect, it } from "vitest";
import { type World, newWorld } from "../controllers/world.ts";
import { isDiscovered, updateLatest } from "./api-operations.ts";
import { Endpoint, type Found, type Sent, typesOf } from "./endpoint.ts";

const definitions = (world: World): Endpoint =>
  new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions");
const withoutControllers = (): Promise<World> => newWorld({ controllers: false });

interface Defined {
  readonly group?: string;
  readonly kind?: string;
  readonly versions: readonly object[];
  readonly conversion?: object;
}
function crd({ group = "crd.example.com", kind = "Foo", versions, conversion }: Defined): Sent {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural },
      scope: "Namespaced",
      versions,
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}
const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const version = (name: string, schema: object = open, more: object = {}): object => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

async function define(world: World, defined: Defined): Promise<Endpoint> {
  const definition = crd(defined);
  await definitions(world).create(definition);
  const { group, names, versions } = definition["spec"] as {
    group: string;
    names: { plural: string };
    versions: { name: string; served: boolean }[];
  };
  for (const { name, served } of versions) {
    const endpoint = new Endpoint(world, `${group}/${name}/${names.plural}`, "default");
    if (served) await isServed(world, endpoint);
  }
  return new Endpoint(world, `${group}/${versions[0]?.name}/${names.plural}`, "default");
}
const isServed = (world: World, endpoint: Endpoint): Promise<unknown> =>
  world.wait("the version is served", () =>
    endpoint.list().then(
      () => true,
      () => false,
    ),
  );

describe("[sig-api-machinery] CustomResourceDefinition Watch [Privileged:ClusterAdmin]", () => {
  it("CustomResourceDefinition Watch watch on custom resource definition objects", async () => {
    const world = await withoutControllers();
    const foos = await define(world, { versions: [version("v1")] });
    const events = await foos.watch();
    const foo = { apiVersion: "crd.example.com/v1", kind: "Foo", metadata: { name: "first" } };
    await foos.create(foo);
    await foos.patch("first", { spec: { num: 1 } });
    await foos.delete("first");
    await world.until("all came", async () => events.length === 3);
    expect(typesOf(events)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
  });
});

describe("[sig-api-machinery] CustomResourceDefinition resources [Privileged:ClusterAdmin]", () => {
  it("Simple CustomResourceDefinition creating/deleting custom resource definition objects works", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v1")] });
    await definitions(world).delete("foos.crd.example.com");
    await world.wait(
      "it is gone",
      async () => (await definitions(world).find("foos.crd.example.com")) === undefined,
    );
  });

  it("Simple CustomResourceDefinition getting/updating/patching custom resource definition status sub-resource works", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v1")] });
    const name = "foos.crd.example.com";
    const condition = (type: string): object => ({
      type,
      status: "True",
      reason: "E2E",
      message: "Set from a test",
    });
    const conditions = async (): Promise<object[]> =>
      (await definitions(world).get(name, "status")).status.conditions;
    const patched = [...(await conditions()), condition("StatusPatch")];
    await definitions(world).patch(name, { status: { conditions: patched } }, "status");
    expect(await conditions()).toContainEqual(expect.objectContaining(condition("StatusPatch")));
    await updateLatest(
      definitions(world),
      name,
      (found) => ({
        ...found,
        status: { ...found.status, conditions: [...found.status.conditions, condition("StatusUpdate")] },
      }),
      "status",
    );
    const after = await conditions();
    for (const type of ["StatusPatch", "StatusUpdate"]) {
      expect(after).toContainEqual(expect.objectContaining(condition(type)));
    }
    expect(after).toContainEqual(expect.objectContaining({ type: "Established", status: "True" }));
  });

  it("Simple CustomResourceDefinition listing custom resource definition objects works", async () => {
    const world = await withoutControllers();
    const labelSelector = "e2e-list=yes";
    for (let i = 0; i < 10; i++) {
      const definition = crd({ kind: `Kind${i}`, versions: [version("v1")] });
      await definitions(world).create({
        ...definition,
        metadata: { ...definition.metadata, labels: { "e2e-list": "yes" } } as never,
      });
    }
    await define(world, { kind: "Other", versions: [version("v1")] });
    expect((await definitions(world).list({ labelSelector })).items).toHaveLength(10);
    await definitions(world).deleteCollection({ labelSelector });
    await world.wait("they are gone", async () => (await definitions(world).list()).items.length === 1);
  });

  it("custom resource defaulting for requests and from storage works", async () => {
    const world = await withoutControllers();
    const schema = (defaults: Record<string, string>): object => ({
      type: "object",
      properties: Object.fromEntries(
        ["a", "b"].map((name) => [
          name,
          { type: "string", ...(defaults[name] === undefined ? {} : { default: defaults[name] }) },
        ]),
      ),
    });
    const foos = await define(world, { versions: [version("v1", schema({}))] });
    const foo = (name: string): Sent => ({
      apiVersion: "crd.example.com/v1",
      kind: "Foo",
      metadata: { name },
    });
    await foos.create(foo("first"));
    const change = (defaults: Record<string, string>): Promise<Found> =>
      definitions(world).patch("foos.crd.example.com", {
        spec: { versions: [version("v1", schema(defaults))] },
      });
    const read = async (name: string) => (await foos.get(name)) as Found & { a?: string; b?: string };
    await change({ a: "A" });
    await world.wait("the old one has the default", async () => (await read("first")).a === "A");
    await foos.create(foo("second"));
    expect((await read("second")).a).toBe("A");
    await change({ b: "B" });
    await world.wait("it has the new default", async () => (await read("second")).b === "B");
    // what was defaulted by a request is stored, what was defaulted by a read is not
    expect([(await read("first")).a, (await read("second")).a]).toEqual([undefined, "A"]);
  });

  it("should include custom resource definition resources in discovery documents", async () => {
    const world = await withoutControllers();
    await isDiscovered(world, definitions(world), true);
  });
});

describe("[sig-api-machinery] CustomResourcePublishOpenAPI [Privileged:ClusterAdmin]", () => {
  const published = async (world: World): Promise<Record<string, Record<string, unknown>>> => {
    const { body } = await world.cluster
      .transport()
      .request<{ definitions: Record<string, Record<string, unknown>> }>({
        method: "GET",
        path: "/openapi/v2",
      });
    return body.definitions;
  };
  const isPublished = (world: World, name: string, expected = true): Promise<unknown> =>
    world.wait(
      `${name} is ${expected ? "" : "not "}published`,
      async () => name in (await published(world)) === expected,
    );
  const bars = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          bars: {
            description: "List of Bars and their specs.",
            type: "array",
            items: {
              type: "object",
              required: ["name"],
              properties: {
                name: { description: "Name of Bar.", type: "string" },
                age: { description: "Age of Bar.", type: "string" },
              },
            },
          },
        },
      },
    },
  };

  it("works for CRD with validation schema", async () => {
    const world = await withoutControllers();
    const foos = await define(world, { versions: [version("v1", bars)] });
    await isPublished(world, "com.example.crd.v1.Foo");
    const foo = (spec: object): Sent => ({
      apiVersion: "crd.example.com/v1",
      kind: "Foo",
      metadata: { name: "foo" },
      spec,
    });
    const strict = { fieldValidation: "Strict" };
    await expect(foos.create(foo({ bars: [{ age: "10" }] }), strict)).rejects.toThrow(
      /spec.bars\[0\].name: Required/,
    );
    await expect(foos.create(foo({ bars: [{ name: "x", unknown: 1 }] }), strict)).rejects.toThrow(
      /unknown field/,
    );
    await foos.create(foo({ bars: [{ name: "x", age: "10" }] }), strict);
    const spec = (await published(world))["com.example.crd.v1.Foo"]?.["properties"] as Record<string, object>;
    expect(spec["spec"]).toMatchObject({
      properties: { bars: { description: "List of Bars and their specs.", items: { required: ["name"] } } },
    });
  });

  it("works for CRD without validation schema", async () => {
    const world = await withoutControllers();
    const foos = await define(world, { versions: [version("v1")] });
    await isPublished(world, "com.example.crd.v1.Foo");
    await foos.create(
      { apiVersion: "crd.example.com/v1", kind: "Foo", metadata: { name: "foo" }, anything: { goes: true } },
      { fieldValidation: "Strict" },
    );
    expect((await published(world))["com.example.crd.v1.Foo"]).not.toHaveProperty("properties.anything");
  });

  it("works for CRD preserving unknown fields at the schema root", async () => {
    const world = await withoutControllers();
    const schema = { ...open, properties: { spec: { type: "object" } } };
    const foos = await define(world, { versions: [version("v1", schema)] });
    await foos.create(
      { apiVersion: "crd.example.com/v1", kind: "Foo", metadata: { name: "foo" }, a: { b: [{ c: "d" }] } },
      { fieldValidation: "Strict" },
    );
    expect(await foos.get("foo")).toMatchObject({ a: { b: [{ c: "d" }] } });
  });

  it("works for CRD preserving unknown fields in an embedded object", async () => {
    const world = await withoutControllers();
    const schema = { type: "object", properties: { spec: open } };
    const foos = await define(world, { versions: [version("v1", schema)] });
    const strict = { fieldValidation: "Strict" };
    const foo = { apiVersion: "crd.example.com/v1", kind: "Foo", metadata: { name: "foo" } };
    await foos.create({ ...foo, spec: { b: [{ c: "d" }] } }, strict);
    await expect(foos.create({ ...foo, metadata: { name: "bar" }, a: 1 }, strict)).rejects.toThrow(
      /unknown field "a"/,
    );
  });

  it("works for multiple CRDs of different groups", async () => {
    const world = await withoutControllers();
    await define(world, { group: "one.example.com", versions: [version("v1")] });
    await define(world, { group: "two.example.com", kind: "Waldo", versions: [version("v1beta1")] });
    await isPublished(world, "com.example.one.v1.Foo");
    await isPublished(world, "com.example.two.v1beta1.Waldo");
  });

  it("works for multiple CRDs of same group but different versions", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v2"), version("v3", open, { storage: false })] });
    await define(world, {
      kind: "Waldo",
      versions: [version("v4"), version("v5", open, { storage: false })],
    });
    for (const name of ["v2.Foo", "v3.Foo", "v4.Waldo", "v5.Waldo"])
      await isPublished(world, `com.example.crd.${name}`);
  });

  it("works for multiple CRDs of same group and version but different kinds", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v6")] });
    await define(world, { kind: "Waldo", versions: [version("v6")] });
    for (const name of ["v6.Foo", "v6.Waldo"]) await isPublished(world, `com.example.crd.${name}`);
  });

  it("updates the published spec when one version gets renamed", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v2"), version("v3", open, { storage: false })] });
    await isPublished(world, "com.example.crd.v3.Foo");
    await definitions(world).patch("foos.crd.example.com", {
      spec: { versions: [version("v2"), version("v4", open, { storage: false })] },
    });
    await isPublished(world, "com.example.crd.v4.Foo");
    await isPublished(world, "com.example.crd.v3.Foo", false);
    await isPublished(world, "com.example.crd.v2.Foo");
  });

  it("removes definition from spec when one version gets changed to not be served", async () => {
    const world = await withoutControllers();
    await define(world, { versions: [version("v5"), version("v6alpha1", open, { storage: false })] });
    await isPublished(world, "com.example.crd.v6alpha1.Foo");
    await definitions(world).patch("foos.crd.example.com", {
      spec: { versions: [version("v5"), version("v6alpha1", open, { storage: false, served: false })] },
    });
    await isPublished(world, "com.example.crd.v6alpha1.Foo", false);
    await isPublished(world, "com.example.crd.v5.Foo");
  });
});

describe("[sig-api-machinery] CustomResourceConversionWebhook [Privileged:ClusterAdmin]", () => {
  /** v1 has `hostPort`, v2 has `host` and `port`. */
  const converted = (
    object: Found & { hostPort?: string; host?: string; port?: string },
    apiVersion: string,
  ): object => {
    if (apiVersion.endsWith("/v2") && object.hostPort !== undefined) {
      const { hostPort, ...rest } = object;
      const [host, port] = hostPort.split(":");
      return { ...rest, apiVersion, host, port };
    }
    if (apiVersion.endsWith("/v1") && object.host !== undefined) {
      const { host, port, ...rest } = object;
      return { ...rest, apiVersion, hostPort: `${host}:${port}` };
    }
    return { ...object, apiVersion };
  };
  const text = { type: "string" };
  const versions = (storage: "v1" | "v2"): object[] => [
    version("v1", { type: "object", properties: { hostPort: text } }, { storage: storage === "v1" }),
    version("v2", { type: "object", properties: { host: text, port: text } }, { storage: storage === "v2" }),
  ];
  const answer = ({ objects, desiredAPIVersion }: ConversionReview): object[] =>
    objects.map((object) => converted(object as Found, desiredAPIVersion));
  const make = (of: string, name: string, fields: object): Sent => ({
    apiVersion: `crd.example.com/${of}`,
    kind: "Foo",
    metadata: { name },
    ...fields,
  });

  it("should be able to convert from CR v1 to CR v2", async () => {
    const world = await withoutControllers();
    const conversion = await describeConversion(answer);
    const v1 = await define(world, { versions: versions("v1"), conversion });
    await v1.create(make("v1", "foo", { hostPort: "localhost:8080" }));
    const v2 = new Endpoint(world, "crd.example.com/v2/foos", "default");
    expect(await v2.get("foo")).toMatchObject({ host: "localhost", port: "8080" });
  });

  it("should be able to convert a non homogeneous list of CRs", async () => {
    const world = await withoutControllers();
    const conversion = await describeConversion(answer);
    const v1 = await define(world, { versions: versions("v1"), conversion });
    await v1.create(make("v1", "old", { hostPort: "localhost:8080" }));
    await definitions(world).patch("foos.crd.example.com", { spec: { versions: versions("v2") } });
    const v2 = new Endpoint(world, "crd.example.com/v2/foos", "default");
    await world.wait("v2 is stored", async () =>
      (await definitions(world).get("foos.crd.example.com")).status.storedVersions.includes("v2"),
    );
    await v2.create(make("v2", "new", { host: "example.com", port: "443" }));
    const list = (await v2.list()).items as { host: string; port: string }[];
    expect(list.map(({ host, port }) => `${host}:${port}`)).toEqual(["example.com:443", "localhost:8080"]);
    const old = (await v1.list()).items as { hostPort: string }[];
    expect(old.map(({ hostPort }) => hostPort)).toEqual(["example.com:443", "localhost:8080"]);
  });
});
