import { describe, expect, it } from "vitest";
import { builtinDefinition, linkedDefinition } from "../builtin/definitions.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { type MergeType, compileMergeType, deducedType } from "./merge-type.ts";

const field = (type: MergeType | undefined, ...names: string[]): MergeType | undefined =>
  names.reduce<MergeType | undefined>((at, name) => at?.map?.fields.get(name)?.type ?? at?.map?.others, type);

const compiled = (schema: JsonSchema): MergeType | undefined =>
  field(compileMergeType({ type: "object", properties: { x: schema } }), "x");

describe("compileMergeType", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "string", format: "byte" }, "string"],
    [{ type: "string", format: "date-time" }, "untyped"],
    [{ type: "string", format: "int-or-string" }, "untyped"],
    [{ type: "string", format: "uuid" }, "untyped"],
    [{ type: "integer" }, "numeric"],
    [{ type: "number", format: "double" }, "numeric"],
    [{ type: "boolean" }, "boolean"],
    [{ "x-kubernetes-int-or-string": true }, "untyped"],
    [{}, "untyped"],
  ])("takes %j as %s", (schema, scalar) => {
    expect(compiled(schema)?.scalar).toBe(scalar);
  });

  it.each([
    [{}, { atomic: true, keys: [] }],
    [{ "x-kubernetes-list-type": "atomic" }, { atomic: true, keys: [] }],
    [{ "x-kubernetes-list-type": "set" }, { atomic: false, keys: [] }],
    [
      { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] },
      { atomic: false, keys: ["a", "b"] },
    ],
    [
      { "x-kubernetes-patch-strategy": "merge", "x-kubernetes-patch-merge-key": "n" },
      { atomic: false, keys: ["n"] },
    ],
    [{ "x-kubernetes-patch-strategy": "merge" }, { atomic: false, keys: [] }],
    [
      { "x-kubernetes-patch-strategy": "merge,retainKeys", "x-kubernetes-patch-merge-key": "n" },
      { atomic: false, keys: ["n"] },
    ],
    [{ "x-kubernetes-patch-strategy": "retainKeys" }, { atomic: true, keys: [] }],
    [
      {
        "x-kubernetes-list-type": "atomic",
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "n",
      },
      { atomic: true, keys: [] },
    ],
  ])("reads the relation of list items from %j", (extension, relation) => {
    expect(compiled({ type: "array", items: { type: "string" }, ...extension })?.list).toMatchObject(
      relation,
    );
  });

  it.each([
    ["fields and nothing else", { properties: { a: { type: "string" } } }, false],
    ["no fields at all", {}, true],
    [
      "preserved unknown fields",
      { properties: { a: {} }, "x-kubernetes-preserve-unknown-fields": true },
      true,
    ],
    ["additional properties", { additionalProperties: { type: "string" } }, true],
    ["additional properties of any kind", { additionalProperties: true }, true],
    ["no additional properties", { additionalProperties: false }, false],
  ])("with %s allows other fields: %s", (_name, schema, allowed) => {
    expect(compiled({ type: "object", ...schema } as JsonSchema)?.map?.others !== undefined).toBe(allowed);
  });

  it("lets everything below a preserve-unknown-fields have unknown fields, but not what is beside it", () => {
    const type = compileMergeType({
      type: "object",
      properties: {
        free: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { a: { type: "object", properties: { b: { type: "string" } } } },
        },
        strict: { type: "object", properties: { b: { type: "string" } } },
      },
    });
    expect(field(type, "free", "a")?.map?.others).toBe(deducedType);
    expect(field(type, "strict")?.map?.others).toBeUndefined();
    expect(type.map?.others).toBeUndefined();
  });

  it("takes the deprecated preserveUnknownFields of a definition for all of it", () => {
    const type = compileMergeType(
      { type: "object", properties: { s: { type: "object", properties: { a: { type: "string" } } } } },
      { preserveUnknownFields: true },
    );
    expect(type.map?.others).toBe(deducedType);
    expect(field(type, "s")?.map?.others).toBe(deducedType);
  });

  it("types metadata as the server does, whatever the schema says of it", () => {
    const type = compileMergeType({
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", pattern: "^a" } } } },
    });
    expect(field(type, "metadata", "labels", "any")?.scalar).toBe("string");
    expect(field(type, "metadata", "finalizers")?.list).toMatchObject({ atomic: false, keys: [] });
    expect(field(type, "metadata", "ownerReferences")?.list).toMatchObject({ atomic: false, keys: ["uid"] });
    expect(field(type, "metadata", "ownerReferences")?.list?.items.map?.atomic).toBe(true);
    expect(field(type, "metadata")?.map?.others).toBeUndefined();
    expect(field(type, "apiVersion")?.scalar).toBe("string");
  });

  it("gives embedded resources the metadata of objects", () => {
    const embedded = compiled({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    });
    expect(field(embedded, "metadata", "finalizers")?.list?.atomic).toBe(false);
    expect(embedded?.map?.others).toBe(deducedType);
  });

  it("keeps defaults of fields, which keys may need", () => {
    const type = compiled({
      type: "object",
      properties: { p: { type: "string", default: "TCP" }, n: { type: "string" } },
    });
    expect(type?.map?.fields.get("p")?.default).toBe("TCP");
    expect(type?.map?.fields.get("n")?.default).toBeUndefined();
  });

  it("follows references, with what stands beside them, and keeps recursion", () => {
    const node: JsonSchema = {
      type: "object",
      properties: { next: { $ref: "#/definitions/a.Node" }, v: { type: "string" } },
    };
    const type = compileMergeType(
      {
        type: "object",
        properties: {
          plain: { $ref: "#/definitions/a.Node" },
          whole: { allOf: [{ $ref: "#/definitions/a.Node" }], "x-kubernetes-map-type": "atomic" },
          unknown: { $ref: "#/definitions/b.Missing" },
        },
      },
      { definitions: { "a.Node": node } },
    );
    expect(field(type, "plain", "next")).toBe(field(type, "plain"));
    expect(field(type, "plain")?.map?.atomic).toBe(false);
    expect(field(type, "whole")?.map?.atomic).toBe(true);
    expect(field(type, "unknown")?.map?.atomic).toBe(true);
  });

  it("compiles a schema that holds itself", () => {
    const schema: JsonSchema = { type: "object", properties: {} };
    (schema.properties as Record<string, JsonSchema>)["self"] = schema;
    const self = field(compileMergeType(schema), "self");
    expect(field(self, "self")).toBe(self);
    expect(field(compileMergeType(linkedDefinition(crdName)), "spec", "versions")?.list?.atomic).toBe(true);
  });
});

const crdName = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition";
const definitions: Record<string, JsonSchema> = new Proxy(
  {},
  { get: (_target, name) => (typeof name === "string" ? builtinDefinition(name) : undefined) },
);
const builtin = (name: string): MergeType => compileMergeType(builtinDefinition(name) ?? {}, { definitions });

describe("merge types of built-in kinds", () => {
  const pod = builtin("io.k8s.api.core.v1.Pod");
  const container = field(pod, "spec", "containers")?.list;

  it("merge containers by name and ports by port and protocol", () => {
    expect(container).toMatchObject({ atomic: false, keys: ["name"] });
    expect(field(container?.items, "ports")?.list).toMatchObject({
      atomic: false,
      keys: ["containerPort", "protocol"],
    });
    expect(field(container?.items, "args")?.list?.atomic).toBe(true);
  });

  it("have the zero value of a required key as its default, and TCP for protocols", () => {
    const port = field(container?.items, "ports")?.list?.items.map?.fields;
    expect(port?.get("containerPort")?.default).toBe(0);
    expect(port?.get("protocol")?.default).toBe("TCP");
    expect(container?.items.map?.fields.get("name")?.default).toBe("");
    expect(container?.items.map?.fields.get("image")?.default).toBeUndefined();
  });

  it("take quantities as scalars of any kind and selectors as one value", () => {
    const limits = field(container?.items, "resources", "limits", "cpu");
    expect(limits).toEqual({ scalar: "untyped" });
    expect(field(builtin("io.k8s.api.apps.v1.Deployment"), "spec", "selector")?.map?.atomic).toBe(true);
    expect(field(pod, "spec", "nodeSelector")?.map?.atomic).toBe(true);
  });

  it("take raw extensions as one value", () => {
    const revision = builtin("io.k8s.api.apps.v1.ControllerRevision");
    expect(field(revision, "data")?.map?.atomic).toBe(true);
  });

  it("share the types of shared definitions", () => {
    const deployment = builtin("io.k8s.api.apps.v1.Deployment");
    expect(field(deployment, "spec", "template", "spec")).toBe(field(pod, "spec"));
  });
});
