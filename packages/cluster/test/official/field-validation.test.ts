/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it } from "vitest";
import { type World, deploymentOf, newWorld } from "../controllers/world.ts";
import { Endpoint, type Sent } from "./endpoint.ts";
import { without } from "./requests.ts";

describe("[sig-api-machinery] FieldValidation", () => {
  const strict = { fieldValidation: "Strict" };
  const kind = (schema: object): Sent => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "noxus.mygroup.example.com" },
    spec: {
      group: "mygroup.example.com",
      names: { kind: "Noxu", plural: "noxus" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  });
  const known = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          foo: { type: "string" },
          cronSpec: { type: "string" },
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
  };
  const preserving = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

  async function define(schema: object): Promise<{ world: World; noxus: Endpoint }> {
    const world = await newWorld(without);
    await new Endpoint(world, "apiextensions.k8s.io/v1/customresourcedefinitions").create(kind(schema));
    const noxus = new Endpoint(world, "mygroup.example.com/v1/noxus", "default");
    await world.wait("the kind is served", () =>
      noxus.list().then(
        () => true,
        () => false,
      ),
    );
    return { world, noxus };
  }
  const noxu = (more: object, metadata: object = {}): Sent => ({
    apiVersion: "mygroup.example.com/v1",
    kind: "Noxu",
    metadata: { name: "mine", ...metadata },
    ...more,
  });
  const apply = (world: World, path: string, text: string): Promise<unknown> =>
    world.cluster.transport().request({
      method: "PATCH",
      path,
      query: { ...strict, fieldManager: "test" },
      headers: { "content-type": "application/apply-patch+yaml" },
      body: text,
    });
  const post = (world: World, path: string, text: string): Promise<unknown> =>
    world.cluster.transport().request({
      method: "POST",
      path,
      query: strict,
      headers: { "content-type": "application/json" },
      body: text,
    });

  it("should create/apply a CR with unknown fields for CRD with no validation schema", async () => {
    const { world, noxus } = await define(preserving);
    const object = noxu({ spec: { anything: { goes: true } } });
    await noxus.create(object, strict);
    await apply(world, `${noxus.base}/mine`, JSON.stringify(object));
    expect((await noxus.get("mine")).spec).toEqual({ anything: { goes: true } });
  });

  it("should create/apply a valid CR for CRD with validation schema", async () => {
    const { world, noxus } = await define(known);
    const object = noxu({ spec: { foo: "foo1", cronSpec: "* * * * */5" } });
    await noxus.create(object, strict);
    await apply(world, `${noxus.base}/mine`, JSON.stringify(object));
    expect((await noxus.get("mine")).spec).toMatchObject({ foo: "foo1" });
  });

  it("should create/apply an invalid CR with extra properties for CRD with validation schema", async () => {
    const { world, noxus } = await define(known);
    const object = noxu({ spec: { foo: "foo1", extraProperty: "arbitrary" } });
    await expect(noxus.create(object, strict)).rejects.toThrow(/unknown field "spec.extraProperty"/);
    await expect(apply(world, `${noxus.base}/mine`, JSON.stringify(object))).rejects.toThrow(
      /field not declared in schema/,
    );
  });

  it("should detect duplicates in a CR when preserving unknown fields", async () => {
    const { world, noxus } = await define(preserving);
    const text =
      '{"apiVersion":"mygroup.example.com/v1","kind":"Noxu","metadata":{"name":"twice"},"spec":{"foo":1,"foo":2}}';
    await expect(post(world, noxus.base, text)).rejects.toThrow(/duplicate field "spec.foo"/);
  });

  it("should detect unknown and duplicate fields of a typed object", async () => {
    const world = await newWorld(without);
    const text = JSON.stringify(deploymentOf("mine", { unknownField: "foo" })).replace(
      '"unknownField"',
      '"paused":true,"paused":false,"unknownField"',
    );
    await expect(post(world, "/apis/apps/v1/namespaces/default/deployments", text)).rejects.toThrow(
      /unknown field "spec.unknownField".*duplicate field "spec.paused"|duplicate field "spec.paused".*unknown field "spec.unknownField"/,
    );
  });

  it("should detect unknown metadata fields in both the root and embedded object of a CR", async () => {
    const { noxus } = await define(known);
    const embedded = {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "inner", unknownSubMeta: "foo" },
    };
    await expect(
      noxus.create(noxu({ spec: { template: embedded } }, { unknownMeta: "foo" }), strict),
    ).rejects.toThrow(
      /unknown field "metadata.unknownMeta".*unknown field "spec.template.metadata.unknownSubMeta"/,
    );
  });

  it("should detect unknown metadata fields of a typed object", async () => {
    const world = await newWorld(without);
    const deployment = deploymentOf("mine") as unknown as Sent;
    const deployments = new Endpoint(world, "apps/v1/deployments", "default");
    await expect(
      deployments.create(
        { ...deployment, metadata: { ...deployment.metadata, unknownMeta: "foo" } } as Sent,
        strict,
      ),
    ).rejects.toThrow(/unknown field "metadata.unknownMeta"/);
  });
});
