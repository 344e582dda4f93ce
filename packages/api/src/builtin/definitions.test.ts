import { describe, expect, it } from "vitest";
import {
  builtinDefinition,
  builtinDefinitionName,
  builtinResources,
  builtinSchema,
  linkedDefinition,
} from "./catalog.ts";

describe("builtinSchema", () => {
  it("exists for every resource and every kind that a subresource speaks, options of connections excepted", () => {
    const kinds = builtinResources.flatMap((r) => [r, ...r.subresources.map((sub) => sub.kind)]);
    const without = kinds.filter((kind) => builtinSchema(kind) === undefined).map((kind) => kind.kind);
    expect([...new Set(without)].filter((kind) => !kind.endsWith("Options"))).toEqual([]);
  });

  it("replaces references by what they name, and keeps what stands beside them", () => {
    const spec = builtinSchema({ group: "apps", version: "v1", kind: "Deployment" })?.properties?.["spec"];
    expect(spec?.properties?.["strategy"]).toMatchObject({
      type: "object",
      "x-kubernetes-patch-strategy": "retainKeys",
    });
    const containers = spec?.properties?.["template"]?.properties?.["spec"]?.properties?.["containers"];
    expect(containers).toMatchObject({
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-patch-merge-key": "name",
    });
    expect(JSON.stringify(containers)).not.toContain("$ref");
  });

  it("knows the defaults that keys of lists need", () => {
    expect(linkedDefinition("io.k8s.api.core.v1.ContainerPort").properties?.["protocol"]).toEqual({
      type: "string",
      default: "TCP",
    });
  });

  it("gives one schema to all fields of a type, and lets a schema hold itself", () => {
    const name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
    const schema = linkedDefinition(name);
    expect(schema.properties?.["not"]).toBe(schema);
    expect(linkedDefinition(name)).toBe(schema);
    expect(Object.isFrozen(schema)).toBe(true);
  });

  it("knows nothing of other kinds", () => {
    expect(builtinSchema({ group: "example.com", version: "v1", kind: "Kettle" })).toBeUndefined();
    expect(builtinDefinitionName({ group: "apps", version: "v2", kind: "Deployment" })).toBeUndefined();
    expect(builtinDefinition("io.k8s.api.apps.v1.Kettle")).toBeUndefined();
    expect(() => linkedDefinition("io.k8s.api.apps.v1.Kettle")).toThrow("io.k8s.api.apps.v1.Kettle");
  });
});
