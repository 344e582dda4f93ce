import { describe, expect, it } from "vitest";
import { builtinResources } from "../builtin/catalog.ts";
import { customApiResource } from "../discovery/custom-api-resource.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { OpenApiKind } from "./openapi-kind.ts";
import { buildOpenApiV2 } from "./openapi-v2.ts";
import { buildOpenApiV3, buildOpenApiV3Index, openApiV3Hash } from "./openapi-v3.ts";

function builtin(group: string, version: string): OpenApiKind[] {
  const resources = builtinResources.filter((r) => r.group === group && r.version === version);
  return resources.map((resource) => ({ resource }));
}

function kettles(schema: JsonSchema): OpenApiKind {
  const names = { plural: "kettles", kind: "Kettle", listKind: "KettleList" };
  const resource = customApiResource({
    group: "example.com",
    scope: "Namespaced",
    names,
    version: { name: "v1" },
    storageVersion: "v1",
  });
  return { resource, custom: { schema } };
}

/** The published schema of `spec.a` with this schema. */
function published(a: JsonSchema, version: 2 | 3): unknown {
  const kind = kettles({ type: "object", properties: { spec: { type: "object", properties: { a } } } });
  const schemas =
    version === 3 ? buildOpenApiV3([kind]).components.schemas : buildOpenApiV2([kind]).definitions;
  return schemas["com.example.v1.Kettle"]?.properties?.["spec"]?.properties?.["a"];
}

interface Operation {
  operationId: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, unknown> };
}

function operation(kinds: OpenApiKind[], path: string, method: string): Operation {
  return buildOpenApiV3(kinds).paths[path]?.[method] as Operation;
}

describe("buildOpenApiV3", () => {
  it.each([
    ["apps", "v1", "/apis/apps/v1/deployments", "get", "listAppsV1DeploymentForAllNamespaces"],
    [
      "apps",
      "v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments",
      "post",
      "createAppsV1NamespacedDeployment",
    ],
    [
      "apps",
      "v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments",
      "delete",
      "deleteAppsV1CollectionNamespacedDeployment",
    ],
    [
      "apps",
      "v1",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
      "patch",
      "patchAppsV1NamespacedDeploymentScale",
    ],
    ["", "v1", "/api/v1/nodes/{name}", "get", "readCoreV1Node"],
    ["", "v1", "/api/v1/namespaces/{namespace}/pods/{name}/log", "get", "readCoreV1NamespacedPodLog"],
    [
      "",
      "v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/exec",
      "post",
      "connectCoreV1PostNamespacedPodExec",
    ],
    [
      "",
      "v1",
      "/api/v1/namespaces/{namespace}/pods/{name}/eviction",
      "post",
      "createCoreV1NamespacedPodEviction",
    ],
    [
      "rbac.authorization.k8s.io",
      "v1",
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/{name}",
      "put",
      "replaceRbacAuthorizationV1ClusterRole",
    ],
  ])("describes %s/%s %s %s", (group, version, path, method, id) => {
    expect(operation(builtin(group, version), path, method).operationId).toBe(id);
  });

  it("has no path for what cannot be done", () => {
    const paths = buildOpenApiV3(builtin("", "v1")).paths;
    expect(paths["/api/v1/namespaces"]?.["delete"]).toBeUndefined();
    expect(paths["/api/v1/componentstatuses"]?.["post"]).toBeUndefined();
    expect(paths["/api/v1/namespaces/{namespace}/bindings"]?.["get"]).toBeUndefined();
  });

  it("takes strategic merge patches for built-in kinds only", () => {
    const path = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}";
    const types = Object.keys(operation(builtin("apps", "v1"), path, "patch").requestBody?.content ?? {});
    expect(types).toContain("application/strategic-merge-patch+json");
    const customPath = "/apis/example.com/v1/namespaces/{namespace}/kettles/{name}";
    const custom = operation([kettles({ type: "object" })], customPath, "patch").requestBody?.content ?? {};
    expect(Object.keys(custom)).toEqual([
      "application/json-patch+json",
      "application/merge-patch+json",
      "application/apply-patch+yaml",
    ]);
  });

  it("refers only to schemas that it has", () => {
    for (const { group, version } of builtinResources) {
      const document = buildOpenApiV3(builtin(group, version));
      const text = JSON.stringify(document);
      const refs = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map((match) => match[1] ?? "");
      expect(refs.filter((name) => document.components.schemas[name] === undefined)).toEqual([]);
    }
  });

  it("says zero values of what Go always writes, and both forms of quantities and ports", () => {
    const { schemas } = buildOpenApiV3(builtin("", "v1")).components;
    expect(schemas["io.k8s.api.core.v1.Container"]?.properties?.["name"]).toEqual({
      type: "string",
      default: "",
    });
    expect(schemas["io.k8s.api.core.v1.ContainerPort"]?.properties?.["protocol"]).toEqual({
      type: "string",
      default: "TCP",
    });
    expect(schemas["io.k8s.api.core.v1.Pod"]?.properties?.["spec"]).toEqual({
      allOf: [{ $ref: "#/components/schemas/io.k8s.api.core.v1.PodSpec" }],
      default: {},
      description: expect.any(String),
    });
    expect(schemas["io.k8s.apimachinery.pkg.util.intstr.IntOrString"]?.oneOf).toHaveLength(2);
  });

  it("describes custom kinds whose root is open or absent without closing them", () => {
    const root = (schema: JsonSchema): unknown =>
      buildOpenApiV2([kettles(schema)]).definitions["com.example.v1.Kettle"]?.properties;
    expect(root({ type: "object", "x-kubernetes-preserve-unknown-fields": true })).toBeUndefined();
    expect(root({ type: "object" })).toBeDefined();
  });
});

describe("custom schemas", () => {
  const quantity = { "x-kubernetes-int-or-string": true } as const;
  const both = [{ type: "integer" }, { type: "string" }];

  it.each<[string, JsonSchema, unknown, unknown]>([
    [
      "plain keywords",
      { type: "string", minLength: 0, default: "" },
      { type: "string", minLength: 0, default: "" },
      { type: "string", minLength: 0 },
    ],
    [
      "empty keywords",
      { type: "string", enum: [], required: [], nullable: false, pattern: "", title: "" },
      { type: "string" },
      { type: "string" },
    ],
    ["int-or-string", quantity, { ...quantity, anyOf: both }, quantity],
    [
      "int-or-string that is spelled out",
      { ...quantity, anyOf: both },
      { ...quantity, anyOf: both },
      quantity,
    ],
    [
      "int-or-string beside another choice",
      { ...quantity, anyOf: [{ pattern: "x" }] },
      { ...quantity, anyOf: [{ pattern: "x" }], allOf: [{ anyOf: both }] },
      quantity,
    ],
    [
      "junctors",
      { type: "object", not: { required: ["x"] }, oneOf: [{ properties: { x: { minimum: 1 } } }] },
      { type: "object", not: { required: ["x"] }, oneOf: [{ properties: { x: { minimum: 1 } } }] },
      { type: "object" },
    ],
    ["nullable", { type: "string", nullable: true }, { type: "string", nullable: true }, {}],
    [
      "a nullable object",
      { type: "object", nullable: true, properties: { x: { type: "string" } } },
      { type: "object", nullable: true, properties: { x: { type: "string" } } },
      {},
    ],
    [
      "a required nullable field",
      {
        type: "object",
        properties: { x: { type: "string", nullable: true }, y: { type: "string" } },
        required: ["x", "y"],
      },
      {
        type: "object",
        properties: { x: { type: "string", nullable: true }, y: { type: "string" } },
        required: ["x", "y"],
      },
      { type: "object", properties: { x: {}, y: { type: "string" } }, required: ["y"] },
    ],
    [
      "nullable values of a map",
      { type: "object", additionalProperties: { type: "string", nullable: true }, required: ["x"] },
      { type: "object", additionalProperties: { type: "string", nullable: true }, required: ["x"] },
      { type: "object", additionalProperties: {} },
    ],
    [
      "open content",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { x: { type: "string" } } },
      { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { x: { type: "string" } } },
      { "x-kubernetes-preserve-unknown-fields": true },
    ],
    [
      "a map of anything",
      { type: "object", additionalProperties: true },
      { type: "object", additionalProperties: true },
      { type: "object", additionalProperties: true },
    ],
  ])("publishes %s", (_name, schema, version3, version2) => {
    expect(published(schema, 3)).toEqual(version3);
    expect(published(schema, 2)).toEqual(version2);
  });

  it("gives embedded objects their metadata, unless version 2 must leave them open", () => {
    const embedded: JsonSchema = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      required: ["kind"],
    };
    expect(published(embedded, 3)).toMatchObject({
      required: ["kind", "apiVersion"],
      properties: { apiVersion: { type: "string" }, metadata: { allOf: [expect.anything()] } },
    });
    const open: JsonSchema = { ...embedded, "x-kubernetes-preserve-unknown-fields": true };
    expect(published(open, 2)).not.toHaveProperty("properties");
    expect(published(open, 3)).toHaveProperty("properties");
  });
});

describe("openApiV3Hash", () => {
  it("is the same for the same kinds and another for others", () => {
    const kind = kettles({ type: "object" });
    expect(openApiV3Hash([kind])).toBe(openApiV3Hash([kettles({ type: "object" })]));
    expect(openApiV3Hash([kind])).not.toBe(
      openApiV3Hash([kettles({ type: "object", description: "other" })]),
    );
    expect(openApiV3Hash([kind])).toMatch(/^[0-9A-F]{64}$/);
  });
});

describe("buildOpenApiV3Index", () => {
  it("names a document per group and version, with its hash", () => {
    const entries = [
      { group: "", version: "v1", hash: "AB" },
      { group: "apps", version: "v1", hash: "CD" },
    ];
    expect(buildOpenApiV3Index(entries)).toEqual({
      paths: {
        "api/v1": { serverRelativeURL: "/openapi/v3/api/v1?hash=AB" },
        "apis/apps/v1": { serverRelativeURL: "/openapi/v3/apis/apps/v1?hash=CD" },
      },
    });
  });
});
