import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../object/object.ts";
import { type DecodedBuiltin, decodeBuiltin } from "./decode.ts";

const deploymentKind = { group: "apps", version: "v1", kind: "Deployment" };

function deployment(spec: JsonObject): JsonObject {
  const template = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "nginx" }] },
  };
  const base = { selector: { matchLabels: { app: "web" } }, template };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { ...base, ...spec } };
}

function pod(container: Json): DecodedBuiltin {
  const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [container] } };
  return decodeBuiltin({ group: "", version: "v1", kind: "Pod" }, body);
}

describe("decodeBuiltin", () => {
  it("gives the same object back when there is nothing to change", () => {
    const body = deployment({ replicas: 3 });
    const decoded = decodeBuiltin(deploymentKind, body);
    expect(decoded).toEqual({ object: body, unknownFields: [] });
    expect(decoded.object).toBe(body);
  });

  it("drops unknown fields and names them with their path", () => {
    const body = deployment({ color: "red" });
    const spec = body["spec"] as JsonObject;
    const template = spec["template"] as JsonObject;
    const changed = {
      ...body,
      extra: 1,
      spec: {
        ...spec,
        template: { ...template, spec: { containers: [{ name: "a" }, { name: "b", imagee: "x" }] } },
      },
    };
    const { object, unknownFields } = decodeBuiltin(deploymentKind, changed);
    expect(unknownFields).toEqual([
      'unknown field "spec.template.spec.containers[1].imagee"',
      'unknown field "spec.color"',
      'unknown field "extra"',
    ]);
    expect(object).not.toHaveProperty("extra");
    expect(object).toHaveProperty("spec.template.spec.containers", [{ name: "a" }, { name: "b" }]);
    expect(object).not.toHaveProperty("spec.color");
  });

  it("changes nothing in what it was given and shares what it did not change", () => {
    const body = deployment({ color: "red" });
    const copy = structuredClone(body);
    const { object } = decodeBuiltin(deploymentKind, body);
    expect(body).toEqual(copy);
    expect(object["metadata"]).toBe(body["metadata"]);
  });

  it("takes null for absent, and for the zero value in a list or map", () => {
    const { object } = decodeBuiltin(deploymentKind, deployment({ replicas: null, paused: null }));
    expect(object["spec"]).not.toHaveProperty("replicas");
    const { object: withNulls } = pod({ name: "a", args: ["x", null], env: [null] });
    expect(withNulls).toHaveProperty("spec.containers[0].args", ["x", ""]);
    expect(withNulls).toHaveProperty("spec.containers[0].env", [{}]);
  });

  it("leaves out optional lists and maps that are empty, and keeps structs that are", () => {
    const { object } = decodeBuiltin(
      { group: "", version: "v1", kind: "Pod" },
      { metadata: { name: "p", labels: {} }, spec: { containers: [], volumes: [], securityContext: {} } },
    );
    expect(object).toEqual({ metadata: { name: "p" }, spec: { containers: [], securityContext: {} } });
  });

  it.each<[string, Json, string]>([
    ["replicas", "3", "string into Go struct field DeploymentSpec.spec.replicas of type int32"],
    ["replicas", true, "bool into Go struct field DeploymentSpec.spec.replicas of type int32"],
    ["replicas", 1.5, "number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32"],
    [
      "replicas",
      3000000000,
      "number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    ["replicas", {}, "object into Go struct field DeploymentSpec.spec.replicas of type int32"],
    ["replicas", [1], "array into Go struct field DeploymentSpec.spec.replicas of type int32"],
    ["paused", "no", "string into Go struct field DeploymentSpec.spec.paused of type bool"],
    ["template", "x", "string into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec"],
    [
      "template",
      { spec: { containers: {} } },
      "object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      "template",
      { spec: { containers: [{ name: 1 }] } },
      "number into Go struct field Container.spec.template.spec.containers.name of type string",
    ],
    [
      "template",
      { metadata: { labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.spec.template.metadata.labels of type string",
    ],
    [
      "template",
      { metadata: { labels: "x" } },
      "string into Go struct field ObjectMeta.spec.template.metadata.labels of type map[string]string",
    ],
  ])("refuses %s: %j in Go's words", (field, value, message) => {
    expect(decodeBuiltin(deploymentKind, deployment({ [field]: value })).error).toBe(
      `json: cannot unmarshal ${message}`,
    );
  });

  it("names no field when the body is no object", () => {
    expect(decodeBuiltin(deploymentKind, []).error).toBe(
      "json: cannot unmarshal array into Go value of type v1.Deployment",
    );
  });

  it("reports the first of several type errors", () => {
    const { error } = decodeBuiltin(deploymentKind, deployment({ replicas: "x", paused: 1 }));
    expect(error).toContain("spec.replicas");
  });

  it.each<[Json, Json]>([
    ["1000m", "1"],
    ["0.5", "500m"],
    [1, "1"],
    [0.25, "250m"],
    ["1Gi", "1Gi"],
    ["2048Mi", "2Gi"],
  ])("keeps the quantity %j as %j", (sent, kept) => {
    const { object, error } = pod({ name: "a", resources: { limits: { cpu: sent } } });
    expect(error).toBeUndefined();
    expect(object).toHaveProperty("spec.containers[0].resources.limits.cpu", kept);
  });

  it("refuses what is no quantity", () => {
    expect(pod({ name: "a", resources: { limits: { cpu: "lots" } } }).error).toBe(
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  });

  it.each<[Json, Json]>([
    ["2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"],
    ["2024-01-02T03:04:05+01:00", "2024-01-02T02:04:05Z"],
    ["2024-01-02T03:04:05.999Z", "2024-01-02T03:04:05Z"],
  ])("keeps the time %j as %j", (sent, kept) => {
    const body = { metadata: { name: "x", deletionTimestamp: sent } };
    expect(decodeBuiltin({ group: "", version: "v1", kind: "ConfigMap" }, body).object).toEqual({
      metadata: { name: "x", deletionTimestamp: kept },
    });
  });

  it.each<[Json, string]>([
    ["x", 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    ["2024-01-02", 'parsing time "2024-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ["2024-13-02T00:00:00Z", 'parsing time "2024-13-02T00:00:00Z": month out of range'],
    ["2024-02-30T00:00:00Z", 'parsing time "2024-02-30T00:00:00Z": day out of range'],
    ["2024-02-03T00:00:00Zx", 'parsing time "2024-02-03T00:00:00Zx": extra text: "x"'],
    [
      5,
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string",
    ],
  ])("refuses the time %j", (sent, message) => {
    const body = { metadata: { creationTimestamp: sent } };
    expect(decodeBuiltin({ group: "", version: "v1", kind: "ConfigMap" }, body).error).toBe(message);
  });

  it.each<[Json, string | undefined]>([
    ["aGk=", undefined],
    ["aG\nk=", undefined],
    ["a*k=", "illegal base64 data at input byte 1"],
    [5, "json: cannot unmarshal number into Go struct field Secret.data of type []uint8"],
  ])("checks that bytes are base64: %j", (sent, message) => {
    expect(decodeBuiltin({ group: "", version: "v1", kind: "Secret" }, { data: { a: sent } }).error).toBe(
      message,
    );
  });

  it("takes whole numbers and texts where both are allowed", () => {
    const port = (targetPort: Json): DecodedBuiltin =>
      decodeBuiltin(
        { group: "", version: "v1", kind: "Service" },
        { spec: { ports: [{ port: 80, targetPort }] } },
      );
    expect(port("http").error).toBeUndefined();
    expect(port(8080).error).toBeUndefined();
    expect(port(true).error).toContain("cannot unmarshal bool into Go");
  });

  it.each<[string, JsonObject, string]>([
    [
      "scope",
      { scope: 5 },
      "number into Go struct field CustomResourceDefinitionSpec.spec.scope of type v1.ResourceScope",
    ],
    [
      "a type in a schema",
      { versions: [{ schema: { openAPIV3Schema: { properties: { a: { type: ["string"] } } } } }] },
      "array into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.type of type string",
    ],
    [
      "a subresource",
      { versions: [{ subresources: { status: "x" } }] },
      "string into Go struct field CustomResourceSubresources.spec.versions.subresources.status of type v1.CustomResourceSubresourceStatus",
    ],
    [
      "a number below items",
      { versions: [{ schema: { openAPIV3Schema: { items: { maxLength: 1.5 } } } }] },
      "number 1.5 into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items of type int64",
    ],
  ])("refuses in a CRD %s of the wrong type", (_name, spec, message) => {
    const kind = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
    expect(decodeBuiltin(kind, { spec }).error).toBe(`json: cannot unmarshal ${message}`);
  });

  it("hears of unknown fields in a CRD's schema, but not below items and additionalProperties", () => {
    const openAPIV3Schema = {
      type: "object",
      properties: {
        a: { type: "string", maxLenght: 3 },
        b: { type: "array", items: { type: "string", maxLenght: 3 } },
        c: { type: "object", additionalProperties: { type: "string", maxLenght: 3 } },
        d: { type: "object", additionalProperties: true },
        e: { default: { any: [null] }, enum: [null, 1] },
      },
    };
    const body = { spec: { versions: [{ name: "v1", schema: { openAPIV3Schema } }] } };
    const kind = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
    const { object, unknownFields, error } = decodeBuiltin(kind, body);
    expect(error).toBeUndefined();
    expect(unknownFields).toEqual([
      'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.maxLenght"',
    ]);
    expect(object).toHaveProperty("spec.versions[0].schema.openAPIV3Schema.properties", {
      a: { type: "string" },
      b: { type: "array", items: { type: "string" } },
      c: { type: "object", additionalProperties: { type: "string" } },
      d: { type: "object", additionalProperties: true },
      e: { default: { any: [null] }, enum: [null, 1] },
    });
  });
});
