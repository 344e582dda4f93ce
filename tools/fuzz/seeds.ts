/** Valid requests to start from. */
import type { FuzzRequest } from "./mutate.ts";

/** A kind with a schema that has one of everything that schemas can say. */
export const definition: object = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "lamps.fuzz.example.com" },
  spec: {
    group: "fuzz.example.com",
    scope: "Namespaced",
    names: { plural: "lamps", singular: "lamp", kind: "Lamp", listKind: "LampList" },
    versions: ["v1", "v2"].map((name) => ({
      name,
      served: true,
      storage: name === "v1",
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      },
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              properties: {
                replicas: { type: "integer", default: 1, minimum: 0 },
                color: { type: "string", maxLength: 20, pattern: "^[a-z]*$" },
                port: { "x-kubernetes-int-or-string": true },
                free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                parts: {
                  type: "array",
                  maxItems: 10,
                  items: {
                    type: "object",
                    required: ["name"],
                    properties: { name: { type: "string", maxLength: 9 } },
                  },
                  "x-kubernetes-list-type": "map",
                  "x-kubernetes-list-map-keys": ["name"],
                },
              },
              "x-kubernetes-validations": [{ rule: "!has(self.color) || self.color != 'pink'" }],
            },
            status: { type: "object", properties: { replicas: { type: "integer" } } },
          },
        },
      },
    })),
  },
};

const json = { "content-type": "application/json" };
const lamps = "/apis/fuzz.example.com/v1/namespaces/default/lamps";
const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pods = "/api/v1/namespaces/default/pods";

const lamp = {
  apiVersion: "fuzz.example.com/v1",
  kind: "Lamp",
  metadata: { name: "a", labels: { l: "1" }, annotations: { a: "1" }, finalizers: [] },
  spec: { color: "red", port: 80, free: { x: [1] }, parts: [{ name: "p" }] },
};
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { key: "value" } };
const template = {
  metadata: { labels: { app: "a" } },
  spec: {
    containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }], env: [{ name: "E", value: "1" }] }],
  },
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec: { replicas: 1, selector: { matchLabels: { app: "a" } }, template },
};
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: template.spec };
const options = {
  apiVersion: "v1",
  kind: "DeleteOptions",
  propagationPolicy: "Background",
  preconditions: {},
};

const patches: readonly (readonly [string, unknown])[] = [
  ["merge-patch+json", { metadata: { labels: { m: "1" } }, spec: { replicas: 2 }, data: { other: "1" } }],
  ["json-patch+json", [{ op: "add", path: "/metadata/labels", value: { j: "1" } }]],
  [
    "strategic-merge-patch+json",
    { spec: { template: { spec: { containers: [{ name: "c", image: "j" }] } } } },
  ],
];

function collectionRequests(path: string, object: object): FuzzRequest[] {
  const text = JSON.stringify(object);
  const item = `${path}/a`;
  const read = (target: string): FuzzRequest => ({
    method: "GET",
    path: target,
    headers: {},
    body: undefined,
  });
  return [
    { method: "POST", path, headers: json, body: text },
    { method: "PUT", path: item, headers: json, body: text },
    { method: "PUT", path: `${item}/status`, headers: json, body: text },
    ...patches.map(([type, patch]) => ({
      method: "PATCH",
      path: item,
      headers: { "content-type": `application/${type}` },
      body: JSON.stringify(patch),
    })),
    {
      method: "PATCH",
      path: `${item}?fieldManager=m&force=true`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: text,
    },
    { method: "DELETE", path: item, headers: json, body: JSON.stringify(options) },
    { method: "DELETE", path, headers: {}, body: undefined },
    read(item),
    read(path),
    read(`${path}?limit=1`),
    read(`${path}?watch=true`),
    read(
      `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    ),
  ];
}

const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: 3 } };

export const seeds: readonly FuzzRequest[] = [
  ...collectionRequests(lamps, lamp),
  ...collectionRequests(configMaps, configMap),
  ...collectionRequests(deployments, deployment),
  ...collectionRequests(pods, pod),
  ...[lamps, deployments].flatMap((path) => [
    { method: "GET", path: `${path}/a/scale`, headers: {}, body: undefined },
    { method: "PUT", path: `${path}/a/scale`, headers: json, body: JSON.stringify(scale) },
    {
      method: "PATCH",
      path: `${path}/a/scale`,
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ spec: { replicas: 2 } }),
    },
  ]),
  {
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All",
    headers: json,
    body: JSON.stringify(definition).replaceAll("lamps.fuzz", "others.fuzz"),
  },
  {
    method: "POST",
    path: `${pods}/a/binding`,
    headers: json,
    body: JSON.stringify({
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name: "a" },
      target: { name: "n" },
    }),
  },
  ...[
    "/",
    "/version",
    "/healthz",
    "/readyz?verbose",
    "/api",
    "/apis",
    "/api/v1",
    "/apis/apps/v1",
    "/openapi/v3",
    "/openapi/v3/apis/apps/v1",
    "/metrics",
  ].map((path) => ({ method: "GET", path, headers: {}, body: undefined })),
];
