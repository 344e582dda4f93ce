import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepFreeze } from "../object/freeze.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import { isStatusError } from "../status/status-error.ts";
import { createStrategicMergePatch, createThreeWayJsonMergePatch, createThreeWayMergePatch } from "./diff.ts";
import type { ValueObject } from "./json-value.ts";
import { patchSchemaOf } from "./patch-schema.ts";
import { applyStrategicMergePatch } from "./strategic-merge-patch.ts";

// Expected values are those of k8s.io/apimachinery 0.36 util/strategicpatch with the types of k8s.io/api.

const scalar: JsonSchema = { type: "string" };
const map: JsonSchema = { type: "object", additionalProperties: scalar };
const scalars: JsonSchema = { type: "array", items: scalar };

function ref(name: string): JsonSchema {
  return { $ref: `#/definitions/${name}` };
}

function merged(name: string, mergeKey: string, strategy = "merge"): JsonSchema {
  return {
    type: "array",
    items: ref(name),
    "x-kubernetes-patch-merge-key": mergeKey,
    "x-kubernetes-patch-strategy": strategy,
  };
}

function object(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: "object", properties };
}

/** The part of the built-in kinds' definitions that the cases touch. */
const definitions: Readonly<Record<string, JsonSchema>> = {
  Pod: object({ metadata: ref("ObjectMeta"), spec: ref("PodSpec"), status: ref("PodStatus") }),
  ObjectMeta: object({
    name: scalar,
    labels: map,
    annotations: map,
    finalizers: { ...scalars, "x-kubernetes-patch-strategy": "merge" },
    ownerReferences: merged("OwnerReference", "uid"),
  }),
  OwnerReference: object({ uid: scalar, kind: scalar, name: scalar, apiVersion: scalar, controller: scalar }),
  PodSpec: object({
    containers: merged("Container", "name"),
    initContainers: merged("Container", "name"),
    volumes: merged("Volume", "name", "merge,retainKeys"),
    tolerations: { type: "array", items: ref("Toleration"), "x-kubernetes-list-type": "atomic" },
    nodeSelector: map,
    hostname: scalar,
    subdomain: scalar,
  }),
  Container: object({
    name: scalar,
    image: scalar,
    args: scalars,
    env: merged("EnvVar", "name"),
    ports: merged("ContainerPort", "containerPort"),
  }),
  EnvVar: object({
    name: scalar,
    value: scalar,
    valueFrom: object({ fieldRef: object({ fieldPath: scalar }) }),
  }),
  ContainerPort: object({ containerPort: { type: "integer" }, name: scalar }),
  Volume: object({ name: scalar, emptyDir: object({ medium: scalar }), configMap: object({ name: scalar }) }),
  Toleration: object({ key: scalar, value: scalar }),
  PodStatus: object({ phase: scalar, message: scalar, conditions: merged("PodCondition", "type") }),
  PodCondition: object({ type: scalar, status: scalar, reason: scalar }),
  Deployment: object({ metadata: ref("ObjectMeta"), spec: ref("DeploymentSpec") }),
  DeploymentSpec: object({
    replicas: { type: "integer" },
    selector: object({ matchLabels: map }),
    strategy: { ...ref("DeploymentStrategy"), "x-kubernetes-patch-strategy": "retainKeys" },
  }),
  DeploymentStrategy: object({ type: scalar, rollingUpdate: object({ maxSurge: scalar }) }),
  Service: object({ metadata: ref("ObjectMeta"), spec: ref("ServiceSpec") }),
  ServiceSpec: object({ ports: merged("ServicePort", "port"), externalIPs: scalars, selector: map }),
  ServicePort: object({ port: { type: "integer" }, name: scalar }),
};
const schemas = {
  Pod: patchSchemaOf(definitions, "Pod"),
  Deployment: patchSchemaOf(definitions, "Deployment"),
  Service: patchSchemaOf(definitions, "Service"),
};
type KindName = keyof typeof schemas;

interface Failure {
  readonly error: string;
}

function fails(error: string): Failure {
  return { error };
}

function isFailure(outcome: ValueObject | Failure): outcome is Failure {
  return typeof outcome["error"] === "string";
}

const pod: ValueObject = {
  metadata: {
    name: "n",
    labels: { l: "1", m: "2" },
    finalizers: ["f/a", "f/b", "f/c"],
    ownerReferences: [{ uid: "1", kind: "K", name: "o", apiVersion: "v1" }],
  },
  spec: {
    containers: [
      {
        name: "a",
        image: "x",
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
        args: ["p", "q"],
      },
      { name: "b", image: "y" },
    ],
    nodeSelector: { p: "1", q: "2" },
    tolerations: [{ key: "t" }],
    volumes: [
      { name: "v", emptyDir: {} },
      { name: "w", configMap: { name: "c" } },
    ],
    hostname: "h",
  },
};

/** Kind, object, patch, result. */
const applied: readonly (readonly [KindName, ValueObject, ValueObject, ValueObject | Failure])[] = [
  [
    "Pod",
    pod,
    {},
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: {} },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { hostname: "i" } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "i",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { hostname: null } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { none: null } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: null },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { labels: { l: null, n: "3" } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { m: "2", n: "3" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { labels: null } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { annotations: { a: "b", c: null } } },
    {
      metadata: {
        annotations: { a: "b" },
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { nodeSelector: { p: "9" } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "9", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { nodeSelector: { $patch: "replace", z: "1" } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { z: "1" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { nodeSelector: { $patch: "delete" } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: {},
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { nodeSelector: { $patch: "merge", z: "1" } } },
    fails("unknown patch type: merge in map: map[$patch:merge z:1]"),
  ],
  [
    "Pod",
    pod,
    { spec: { nodeSelector: { $patch: "bogus" } } },
    fails("unknown patch type: bogus in map: map[$patch:bogus]"),
  ],
  ["Pod", pod, { $patch: "replace", spec: {} }, { spec: {} }],
  ["Pod", pod, { $patch: "delete" }, {}],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", image: "z" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "z",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "b", image: "z" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "z", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "c", image: "z" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { image: "z", name: "c" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "c" }, { name: "a" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { name: "c" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { image: "y", name: "b" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ image: "z" }] } },
    fails("map: map[image:z] does not contain declared merge key: name"),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: null } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", $patch: "delete" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [{ image: "y", name: "b" }],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ $patch: "delete" }] } },
    fails("map: map[$patch:delete] does not contain declared merge key: name"),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "none", $patch: "delete" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "c" }, { name: "a", $patch: "delete" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [{ name: "c" }, { image: "y", name: "b" }],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ $patch: "replace" }, { name: "z" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [{ name: "z" }],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "z" }, { $patch: "replace" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [{ name: "z" }],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ $patch: "replace" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ $patch: "merge", name: "a" }] } },
    fails("merging lists cannot yet be specified in the patch"),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ $patch: "bogus", name: "a" }] } },
    fails("unknown patch type: bogus in map: map[$patch:bogus name:a]"),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", env: null }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { args: ["p", "q"], image: "x", name: "a" },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", image: null }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", args: ["r"] }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["r"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "a", env: [{ name: "B", value: "3" }] }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "3" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "C", value: "3" },
              { name: "A", $patch: "delete" },
            ],
          },
        ],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "C", value: "3" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        containers: [
          { name: "a", env: [{ name: "B", value: null, valueFrom: { fieldRef: { fieldPath: "x" } } }] },
        ],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", valueFrom: { fieldRef: { fieldPath: "x" } } },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [{ name: "c", env: [{ name: "C", value: null }] }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { env: [{ name: "C", value: null }], name: "c" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: ["x"] } },
    fails(
      "list element types are not identical: [[map[args:[p q] env:[map[name:A value:1] map[name:B value:2]] image:x name:a] map[image:y name:b]] [x]]",
    ),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: [["x"]] } },
    fails(
      "list element types are not identical: [[map[args:[p q] env:[map[name:A value:1] map[name:B value:2]] image:x name:a] map[image:y name:b]] [[x]]]",
    ),
  ],
  [
    "Pod",
    pod,
    { spec: { containers: "x" } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: "x",
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { containers: { name: "a" } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: { name: "a" },
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: "x" },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: "x",
    },
  ],
  [
    "Pod",
    pod,
    { spec: { hostname: { x: 1 } } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: { x: 1 },
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { tolerations: [{ key: "u" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "u" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { tolerations: [] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { tolerations: [{ key: "u", value: null }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "u", value: null }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: ["f/d"] } },
    {
      metadata: {
        finalizers: ["f/d", "f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: ["f/b"] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: ["f/c", "f/a"] } },
    {
      metadata: {
        finalizers: ["f/b", "f/c", "f/a"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: [] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: null } },
    {
      metadata: {
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["f/b"] } },
    {
      metadata: {
        finalizers: ["f/a", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["f/z"] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["f/a"], finalizers: ["f/d"] } },
    {
      metadata: {
        finalizers: ["f/d", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/none": ["x"] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { $deleteFromPrimitiveList: ["x"] } },
    fails("invalid patch format of primitive list"),
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/finalizers": "f/a" } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
    {
      metadata: {
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$setElementOrder/finalizers": ["f/c", "f/b", "f/a"] } },
    {
      metadata: {
        finalizers: ["f/c", "f/b", "f/a"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$setElementOrder/finalizers": ["f/d", "f/a"], finalizers: ["f/d"] } },
    {
      metadata: {
        finalizers: ["f/d", "f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { "$setElementOrder/finalizers": ["f/a"], finalizers: ["f/d"] } },
    fails("The order in patch list:\n[f/d]\n doesn't match $setElementOrder list:\n[f/a]\n"),
  ],
  [
    "Pod",
    pod,
    { metadata: { "$setElementOrder/finalizers": ["f/c"], "$deleteFromPrimitiveList/finalizers": ["f/a"] } },
    {
      metadata: {
        finalizers: ["f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { finalizers: [1] } },
    fails("list element types are not identical: [[f/a f/b f/c] [1]]"),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { image: "y", name: "b" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }, { name: "b" }, { name: "a" }],
        containers: [{ name: "c" }],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { name: "c" },
          { image: "y", name: "b" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }, { name: "c" }],
        containers: [{ name: "c" }, { name: "a", $patch: "delete" }],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [{ image: "y", name: "b" }, { name: "c" }],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [{ name: "c" }], containers: [{ name: "c" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          { name: "c" },
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }],
        containers: [{ name: "c" }, { name: "b", $patch: "delete" }],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { name: "c" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }, { name: "c" }],
        containers: [{ name: "c" }, { name: "a", image: "z" }],
      },
    },
    fails(
      "The order in patch list:\n[map[name:c] map[image:z name:a]]\n doesn't match $setElementOrder list:\n[map[name:a] map[name:c]]\n",
    ),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ name: "c" }] } },
    fails("The order in patch list:\n[map[name:c]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n"),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [{ image: "x" }] } },
    fails("map: map[image:x] does not contain declared merge key: name"),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": "x" } },
    fails("expected a []interface {}, but received a string"),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/none": [{ name: "a" }] } },
    fails('unable to find api field in struct PodSpec for the json field "none"'),
  ],
  [
    "Pod",
    pod,
    { spec: { $setElementOrder: [{ name: "a" }] } },
    fails("invalid patch format of setElementOrder list"),
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/initContainers": [{ name: "i" }], initContainers: [{ name: "i" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        initContainers: [{ name: "i" }],
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/initContainers": [{ name: "i" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { "$setElementOrder/containers": [] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    {
      spec: {
        "$setElementOrder/initContainers": [{ name: "i" }],
        initContainers: [
          { name: "i", image: null },
          { name: "j", $patch: "delete" },
        ],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        initContainers: [{ image: null, name: "i" }],
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "k" } }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { configMap: { name: "k" }, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "v", $retainKeys: ["name"] }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [{ name: "v" }, { configMap: { name: "c" }, name: "w" }],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "v", $retainKeys: ["configMap"], configMap: { name: "k" } }] } },
    fails("invalid patch format of retainKeys"),
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "v", $retainKeys: "x" }] } },
    fails("invalid patch format of retainKeys"),
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "w", configMap: { name: "k" } }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "k" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "w", emptyDir: {}, configMap: null }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { emptyDir: {}, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "u", emptyDir: {} }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "u" },
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { volumes: [{ name: "u", $retainKeys: ["name", "emptyDir"], emptyDir: {} }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { $retainKeys: ["name", "emptyDir"], emptyDir: {}, name: "u" },
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { $retainKeys: ["hostname"], hostname: "i" } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: { hostname: "i" },
    },
  ],
  [
    "Pod",
    pod,
    { spec: { $retainKeys: ["hostname"], hostname: "i", nodeSelector: {} } },
    fails("invalid patch format of retainKeys"),
  ],
  [
    "Pod",
    pod,
    { spec: { $retainKeys: ["hostname"], nodeSelector: null } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: { hostname: "h" },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { ownerReferences: [{ uid: "2", kind: "K", name: "o", apiVersion: "v1" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [
          { apiVersion: "v1", kind: "K", name: "o", uid: "2" },
          { apiVersion: "v1", kind: "K", name: "o", uid: "1" },
        ],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { ownerReferences: [{ uid: "1", $patch: "delete" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { ownerReferences: [{ uid: "1", controller: true }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", controller: true, kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
    },
  ],
  [
    "Pod",
    pod,
    { metadata: { ownerReferences: [{ name: "x" }] } },
    fails("map: map[name:x] does not contain declared merge key: uid"),
  ],
  [
    "Pod",
    pod,
    { status: { conditions: [{ type: "Ready", status: "True" }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
      status: { conditions: [{ status: "True", type: "Ready" }] },
    },
  ],
  [
    "Pod",
    pod,
    {
      status: {
        conditions: [
          { type: "Ready", status: "True" },
          { type: "X", $patch: "delete" },
        ],
      },
    },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
      status: { conditions: [{ status: "True", type: "Ready" }] },
    },
  ],
  [
    "Pod",
    pod,
    { status: { phase: null, message: "m" } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
      status: { message: "m" },
    },
  ],
  [
    "Pod",
    pod,
    { status: { conditions: [{ type: "Ready", reason: null }] } },
    {
      metadata: {
        finalizers: ["f/a", "f/b", "f/c"],
        labels: { l: "1", m: "2" },
        name: "n",
        ownerReferences: [{ apiVersion: "v1", kind: "K", name: "o", uid: "1" }],
      },
      spec: {
        containers: [
          {
            args: ["p", "q"],
            env: [
              { name: "A", value: "1" },
              { name: "B", value: "2" },
            ],
            image: "x",
            name: "a",
          },
          { image: "y", name: "b" },
        ],
        hostname: "h",
        nodeSelector: { p: "1", q: "2" },
        tolerations: [{ key: "t" }],
        volumes: [
          { emptyDir: {}, name: "v" },
          { configMap: { name: "c" }, name: "w" },
        ],
      },
      status: { conditions: [{ type: "Ready" }] },
    },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { type: "Recreate", $retainKeys: ["type"] } } },
    { spec: { strategy: { type: "Recreate" } } },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { rollingUpdate: { maxSurge: 1 }, type: "Recreate" } } },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { $patch: "replace", type: "Recreate" } } },
    { spec: { strategy: { type: "Recreate" } } },
  ],
  [
    "Deployment",
    { spec: { strategy: { rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { rollingUpdate: { maxSurge: "25%" } } } },
    { spec: { strategy: { rollingUpdate: { maxSurge: "25%" } } } },
  ],
  [
    "Deployment",
    { spec: { replicas: 1, selector: { matchLabels: { a: "b" } } } },
    { spec: { replicas: 3, selector: { matchLabels: { c: "d" } } } },
    { spec: { replicas: 3, selector: { matchLabels: { a: "b", c: "d" } } } },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80, name: "a" }, { port: 81 }] } },
    { spec: { ports: [{ port: 81, name: "b" }] } },
    {
      spec: {
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81 },
        ],
      },
    },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80, name: "a" }, { port: 81 }] } },
    { spec: { ports: [{ port: 82 }] } },
    { spec: { ports: [{ port: 82 }, { name: "a", port: 80 }, { port: 81 }] } },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80, name: "a" }, { port: 81 }] } },
    { spec: { ports: [{ port: 80, $patch: "delete" }] } },
    { spec: { ports: [{ port: 81 }] } },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80 }, { port: 81 }, { port: 82 }] } },
    {
      spec: {
        "$setElementOrder/ports": [{ port: 82 }, { port: 83 }, { port: 80 }],
        ports: [{ port: 83 }, { port: 81, $patch: "delete" }],
      },
    },
    { spec: { ports: [{ port: 82 }, { port: 83 }, { port: 80 }] } },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80 }, { port: 81 }, { port: 82 }] } },
    { spec: { "$setElementOrder/ports": [{ port: 81 }] } },
    { spec: { ports: [{ port: 80 }, { port: 81 }, { port: 82 }] } },
  ],
  [
    "Service",
    { spec: { externalIPs: ["1", "2"] } },
    { spec: { externalIPs: ["3"] } },
    { spec: { externalIPs: ["3"] } },
  ],
  [
    "Service",
    { spec: { selector: { a: "b" } } },
    { spec: { selector: { a: null } } },
    { spec: { selector: {} } },
  ],
  [
    "Pod",
    {},
    { spec: { containers: [{ name: "a", env: [{ name: "A", $patch: "delete" }] }] } },
    { spec: { containers: [{ env: [], name: "a" }] } },
  ],
  ["Pod", { spec: {} }, { spec: { nodeSelector: { $patch: "delete" } } }, { spec: {} }],
  [
    "Pod",
    { spec: {} },
    { spec: { containers: [{ name: "a", $patch: "delete" }, { name: "b" }] } },
    { spec: { containers: [{ name: "b" }] } },
  ],
  ["Pod", { spec: { containers: [] } }, { spec: { containers: [] } }, { spec: { containers: [] } }],
  [
    "Pod",
    { spec: { containers: [] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }] } },
    fails("no elements in any of the given slices"),
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] } },
    {
      spec: {
        containers: [
          { name: "d", image: "x" },
          { name: "b", image: "x" },
        ],
      },
    },
    {
      spec: {
        containers: [{ name: "a" }, { name: "c" }, { image: "x", name: "d" }, { image: "x", name: "b" }],
      },
    },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "d" }, { name: "x" }, { name: "b" }],
        containers: [{ name: "x" }],
      },
    },
    { spec: { containers: [{ name: "a" }, { name: "c" }, { name: "d" }, { name: "x" }, { name: "b" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] } },
    { spec: { containers: [{ name: "b" }, { name: "c" }, { name: "a" }, { name: "d" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
    {
      spec: {
        containers: [
          { name: "b", $patch: "delete" },
          { name: "b", image: "new" },
        ],
      },
    },
    { spec: { containers: [{ image: "new", name: "b" }, { name: "a" }, { name: "c" }] } },
  ],
];

/** Kind, from, to, patch. */
const diffs: readonly (readonly [KindName, ValueObject, ValueObject, ValueObject | Failure])[] = [
  ["Pod", {}, {}, {}],
  ["Pod", { spec: { hostname: "a" } }, { spec: { hostname: "a" } }, {}],
  ["Pod", { spec: { hostname: "a" } }, { spec: { hostname: "b" } }, { spec: { hostname: "b" } }],
  ["Pod", { spec: { hostname: "a" } }, { spec: {} }, { spec: { hostname: null } }],
  ["Pod", { spec: {} }, { spec: { hostname: "a" } }, { spec: { hostname: "a" } }],
  ["Pod", {}, { spec: {} }, { spec: {} }],
  ["Pod", { spec: {} }, {}, { spec: null }],
  [
    "Pod",
    { metadata: { labels: { a: "1", b: "2" } } },
    { metadata: { labels: { a: "2", c: "3" } } },
    { metadata: { labels: { a: "2", b: null, c: "3" } } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a", image: "x" }] } },
    { spec: { containers: [{ name: "a", image: "y" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ image: "y", name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "b" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }],
        containers: [{ name: "b" }, { $patch: "delete", name: "a" }],
      },
    },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    {},
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a" }] } },
    {
      spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ $patch: "delete", name: "b" }] },
    },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }], containers: [{ name: "b" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [] } },
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [] } },
    { spec: { containers: [{ $patch: "delete", name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a", image: "x" }] } },
    { spec: { containers: [{ name: "a" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ image: null, name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a", env: [{ name: "A", value: "1" }] }] } },
    {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "A", value: "2" },
              { name: "B", value: "1" },
            ],
          },
        ],
      },
    },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [
          {
            "$setElementOrder/env": [{ name: "A" }, { name: "B" }],
            env: [
              { name: "A", value: "2" },
              { name: "B", value: "1" },
            ],
            name: "a",
          },
        ],
      },
    },
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a", args: ["x"] }] } },
    { spec: { containers: [{ name: "a", args: ["y"] }] } },
    { spec: { "$setElementOrder/containers": [{ name: "a" }], containers: [{ args: ["y"], name: "a" }] } },
  ],
  [
    "Pod",
    { spec: { containers: [{ image: "x" }] } },
    { spec: { containers: [{ image: "y" }] } },
    fails("map: map[image:x] does not contain declared merge key: name"),
  ],
  [
    "Pod",
    { spec: { containers: [{ name: "a", ports: [{ containerPort: 80 }] }] } },
    {
      spec: { containers: [{ name: "a", ports: [{ containerPort: 81 }, { containerPort: 80, name: "n" }] }] },
    },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [
          {
            "$setElementOrder/ports": [{ containerPort: 81 }, { containerPort: 80 }],
            name: "a",
            ports: [{ containerPort: 81 }, { containerPort: 80, name: "n" }],
          },
        ],
      },
    },
  ],
  [
    "Pod",
    { metadata: { finalizers: ["f/a", "f/b"] } },
    { metadata: { finalizers: ["f/b", "f/c"] } },
    {
      metadata: {
        "$deleteFromPrimitiveList/finalizers": ["f/a"],
        "$setElementOrder/finalizers": ["f/b", "f/c"],
        finalizers: ["f/c"],
      },
    },
  ],
  [
    "Pod",
    { metadata: { finalizers: ["f/a", "f/b"] } },
    { metadata: { finalizers: ["f/b", "f/a"] } },
    { metadata: { "$setElementOrder/finalizers": ["f/b", "f/a"] } },
  ],
  ["Pod", { metadata: { finalizers: ["f/a", "f/b"] } }, { metadata: { finalizers: ["f/a", "f/b"] } }, {}],
  [
    "Pod",
    { metadata: { finalizers: ["f/a"] } },
    { metadata: { finalizers: [] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["f/a"] } },
  ],
  [
    "Pod",
    { metadata: { finalizers: [] } },
    { metadata: { finalizers: ["f/a"] } },
    { metadata: { finalizers: ["f/a"] } },
  ],
  [
    "Pod",
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
  ],
  ["Pod", { spec: { tolerations: [{ key: "a" }] } }, { spec: { tolerations: [{ key: "a" }] } }, {}],
  [
    "Pod",
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", configMap: { name: "c" } }] } },
    {
      spec: {
        "$setElementOrder/volumes": [{ name: "v" }],
        volumes: [
          { $retainKeys: ["configMap", "name"], configMap: { name: "c" }, emptyDir: null, name: "v" },
        ],
      },
    },
  ],
  [
    "Pod",
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", emptyDir: { medium: "Memory" } }] } },
    {
      spec: {
        "$setElementOrder/volumes": [{ name: "v" }],
        volumes: [{ $retainKeys: ["emptyDir", "name"], emptyDir: { medium: "Memory" }, name: "v" }],
      },
    },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: null, type: "Recreate" } } },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    {
      spec: {
        strategy: {
          $retainKeys: ["rollingUpdate", "type"],
          rollingUpdate: { maxSurge: 1 },
          type: "RollingUpdate",
        },
      },
    },
  ],
  [
    "Deployment",
    { spec: { strategy: { type: "Recreate" } } },
    { spec: { strategy: { type: "Recreate" } } },
    {},
  ],
  [
    "Service",
    { spec: { ports: [{ port: 80, name: "a" }] } },
    { spec: { ports: [{ port: 80, name: "b" }, { port: 81 }] } },
    {
      spec: {
        "$setElementOrder/ports": [{ port: 80 }, { port: 81 }],
        ports: [{ name: "b", port: 80 }, { port: 81 }],
      },
    },
  ],
  [
    "Service",
    { spec: { ports: [{ port: 443 }, { port: 80 }] } },
    { spec: { ports: [{ port: 80 }, { port: 9000 }] } },
    {
      spec: {
        "$setElementOrder/ports": [{ port: 80 }, { port: 9000 }],
        ports: [{ port: 9000 }, { $patch: "delete", port: 443 }],
      },
    },
  ],
  [
    "Service",
    { spec: { externalIPs: ["1"] } },
    { spec: { externalIPs: ["2"] } },
    { spec: { externalIPs: ["2"] } },
  ],
  [
    "Pod",
    { status: { conditions: [{ type: "A", status: "x" }] } },
    {
      status: {
        conditions: [
          { type: "A", status: "y" },
          { type: "B", status: "z" },
        ],
      },
    },
    {
      status: {
        "$setElementOrder/conditions": [{ type: "A" }, { type: "B" }],
        conditions: [
          { status: "y", type: "A" },
          { status: "z", type: "B" },
        ],
      },
    },
  ],
  [
    "Pod",
    { spec: { nodeSelector: { a: "b" } } },
    { spec: { nodeSelector: {} } },
    { spec: { nodeSelector: { a: null } } },
  ],
];

/** Original, modified, current, patch of Pods. */
const threeWays: readonly (readonly [ValueObject, ValueObject, ValueObject, ValueObject])[] = [
  [{}, {}, {}, {}],
  [
    { spec: { hostname: "a" } },
    { spec: { hostname: "b" } },
    { spec: { hostname: "c", subdomain: "s" } },
    { spec: { hostname: "b" } },
  ],
  [{ spec: { hostname: "a" } }, { spec: {} }, { spec: { hostname: "c" } }, { spec: { hostname: null } }],
  [{ spec: { hostname: "a" } }, { spec: {} }, { spec: {} }, { spec: { hostname: null } }],
  [{}, { spec: { hostname: "a" } }, { spec: { hostname: "a" } }, {}],
  [
    { metadata: { labels: { a: "1", b: "1" } } },
    { metadata: { labels: { a: "2" } } },
    { metadata: { labels: { a: "1", b: "1", c: "1" } } },
    { metadata: { labels: { a: "2", b: null } } },
  ],
  [
    { spec: { containers: [{ name: "a", image: "1" }, { name: "b" }] } },
    { spec: { containers: [{ name: "a", image: "2" }] } },
    { spec: { containers: [{ name: "a", image: "1" }, { name: "b" }, { name: "c" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [
          { image: "2", name: "a" },
          { $patch: "delete", name: "b" },
        ],
      },
    },
  ],
  [
    { spec: { containers: [{ name: "a" }] } },
    { spec: { containers: [{ name: "b" }] } },
    { spec: { containers: [{ name: "c" }, { name: "a" }] } },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "b" }],
        containers: [{ name: "b" }, { $patch: "delete", name: "a" }],
      },
    },
  ],
  [
    { spec: { containers: [{ name: "a", env: [{ name: "A", value: "1" }] }] } },
    { spec: { containers: [{ name: "a", env: [{ name: "B", value: "1" }] }] } },
    {
      spec: {
        containers: [
          {
            name: "a",
            env: [
              { name: "A", value: "1" },
              { name: "C", value: "1" },
            ],
          },
        ],
      },
    },
    {
      spec: {
        "$setElementOrder/containers": [{ name: "a" }],
        containers: [
          {
            "$setElementOrder/env": [{ name: "B" }],
            env: [
              { name: "B", value: "1" },
              { $patch: "delete", name: "A" },
            ],
            name: "a",
          },
        ],
      },
    },
  ],
  [
    { metadata: { finalizers: ["f/a"] } },
    { metadata: { finalizers: ["f/b"] } },
    { metadata: { finalizers: ["f/a", "f/c"] } },
    {
      metadata: {
        "$deleteFromPrimitiveList/finalizers": ["f/a"],
        "$setElementOrder/finalizers": ["f/b"],
        finalizers: ["f/b"],
      },
    },
  ],
  [
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    { spec: { volumes: [{ name: "v", configMap: { name: "c" } }] } },
    { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    {
      spec: {
        "$setElementOrder/volumes": [{ name: "v" }],
        volumes: [
          { $retainKeys: ["configMap", "name"], configMap: { name: "c" }, emptyDir: null, name: "v" },
        ],
      },
    },
  ],
  [
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "a" }] } },
    { spec: { tolerations: [{ key: "b" }] } },
    { spec: { tolerations: [{ key: "a" }] } },
  ],
  [
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { containers: [{ name: "b" }, { name: "a" }] } },
    { spec: { containers: [{ name: "a" }, { name: "b" }] } },
    { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
  ],
];

/** Original, modified, current, JSON merge patch. */
const jsonThreeWays: readonly (readonly [ValueObject, ValueObject, ValueObject, ValueObject])[] = [
  [{}, {}, {}, {}],
  [{ a: 1, b: 1 }, { a: 2 }, { a: 1, b: 1, c: 1 }, { a: 2, b: null }],
  [{ a: { x: 1, y: 1 } }, { a: { x: 1 } }, { a: { x: 1, y: 1, z: 1 } }, { a: { y: null } }],
  [{ a: 1 }, {}, {}, { a: null }],
  [{}, { a: {} }, {}, { a: {} }],
  [{ a: [1] }, { a: [1, 2] }, { a: [3] }, { a: [1, 2] }],
  [{ a: { b: { c: 1 } } }, {}, { a: { b: { c: 1, d: 1 } } }, { a: null }],
  [{ a: { b: 1 } }, { a: {} }, { a: { b: 1 } }, { a: { b: null } }],
  [{}, { a: { b: null } }, { a: { b: 1 } }, { a: { b: null } }],
];

describe("applyStrategicMergePatch", () => {
  for (const [kind, before, patch, outcome] of applied) {
    it(`applies ${JSON.stringify(patch)} to a ${kind}`, () => {
      const apply = (): ValueObject =>
        applyStrategicMergePatch(deepFreeze(before), deepFreeze(patch), schemas[kind]);
      if (isFailure(outcome)) expect(apply).toThrow(outcome.error);
      else expect(apply()).toEqual(outcome);
    });
  }

  it("answers a malformed directive with 400 and everything else with 500", () => {
    const code = (patch: ValueObject): number | undefined => {
      try {
        applyStrategicMergePatch(pod, patch, schemas.Pod);
      } catch (error) {
        return isStatusError(error) ? error.code : undefined;
      }
      return undefined;
    };
    expect(code({ spec: { $retainKeys: "x" } })).toBe(400);
    expect(code({ spec: { containers: [{ image: "x" }] } })).toBe(500);
  });

  it("shares what the patch leaves alone and gives the same object when nothing changes", () => {
    const before = deepFreeze(pod) as ValueObject;
    const after = applyStrategicMergePatch(
      before,
      { spec: { containers: [{ name: "b", image: "z" }] } },
      schemas.Pod,
    );
    expect(after["metadata"]).toBe(before["metadata"]);
    const [spec, spec2] = [before["spec"] as ValueObject, after["spec"] as ValueObject];
    expect((spec2["containers"] as ValueObject[])[0]).toBe((spec["containers"] as ValueObject[])[0]);
    const same = {
      metadata: { labels: { l: "1" }, finalizers: ["f/b"] },
      spec: { containers: [{ name: "a", image: "x" }] },
    };
    expect(applyStrategicMergePatch(before, same, schemas.Pod)).toBe(before);
  });
});

describe("createStrategicMergePatch", () => {
  for (const [kind, from, to, outcome] of diffs) {
    it(`finds what leads from ${JSON.stringify(from)} to ${JSON.stringify(to)}`, () => {
      const create = (): ValueObject => createStrategicMergePatch(from, to, schemas[kind]);
      if (isFailure(outcome)) expect(create).toThrow(outcome.error);
      else expect(create()).toEqual(outcome);
    });
  }
});

describe("createThreeWayMergePatch", () => {
  for (const [original, modified, current, patch] of threeWays) {
    it(`brings ${JSON.stringify(modified)} to ${JSON.stringify(current)}`, () => {
      expect(createThreeWayMergePatch(original, modified, current, schemas.Pod)).toEqual(patch);
    });
  }
});

describe("createThreeWayJsonMergePatch", () => {
  for (const [original, modified, current, patch] of jsonThreeWays) {
    it(`brings ${JSON.stringify(modified)} to ${JSON.stringify(current)}`, () => {
      expect(createThreeWayJsonMergePatch(original, modified, current)).toEqual(patch);
    });
  }
});

const text = fc.constantFrom("x", "y", "z");
const env = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("A", "B", "C"), value: text }, { requiredKeys: ["name"] }),
  { selector: (item) => item.name, maxLength: 3 },
);
const containers = fc.uniqueArray(
  fc.record(
    { name: fc.constantFrom("a", "b", "c", "d"), image: text, args: fc.array(text, { maxLength: 2 }), env },
    { requiredKeys: ["name"], noNullPrototype: true },
  ),
  { selector: (item) => item.name, maxLength: 4 },
);
const volumes = fc.uniqueArray(
  fc.oneof(
    fc.record({ name: fc.constantFrom("v", "w"), emptyDir: fc.constant({}) }),
    fc.record({ name: fc.constantFrom("v", "w"), configMap: fc.record({ name: text }) }),
  ),
  { selector: (item) => item.name, maxLength: 2 },
);
const pods = fc.record(
  {
    metadata: fc.record(
      {
        labels: fc.dictionary(text, text, { noNullPrototype: true }),
        finalizers: fc.uniqueArray(fc.constantFrom("f/a", "f/b", "f/c"), { maxLength: 3 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    spec: fc.record(
      {
        containers,
        volumes,
        hostname: text,
        tolerations: fc.array(fc.record({ key: text }), { maxLength: 2 }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
) as fc.Arbitrary<ValueObject>;

describe("Strategic merge patches", () => {
  it("lead from one object to the other, and do nothing when there is nothing to do", () => {
    fc.assert(
      fc.property(pods, pods, (from, to) => {
        const before = deepFreeze(from) as ValueObject;
        const patch = createStrategicMergePatch(before, to, schemas.Pod);
        expect(applyStrategicMergePatch(before, patch, schemas.Pod)).toEqual(to);
        expect(createStrategicMergePatch(to, to, schemas.Pod)).toEqual({});
        expect(applyStrategicMergePatch(before, {}, schemas.Pod)).toBe(before);
      }),
    );
  });

  it("made from three objects set what is wanted and remove what is no longer", () => {
    fc.assert(
      fc.property(pods, pods, (original, modified) => {
        const patch = createThreeWayMergePatch(original, modified, original, schemas.Pod);
        expect(applyStrategicMergePatch(original, patch, schemas.Pod)).toEqual(modified);
      }),
    );
  });
});

describe("patchSchemaOf", () => {
  it("refuses an unknown definition", () => {
    expect(() => patchSchemaOf(definitions, "None")).toThrow("no definition None");
  });

  it("reads strategies and merge keys through references", () => {
    const volumeList = schemas.Pod.field("spec")?.schema.field("volumes");
    expect(volumeList).toMatchObject({ strategy: "merge", retainKeys: true, mergeKey: "name" });
    expect(schemas.Pod.field("spec")?.schema.field("none")).toBeUndefined();
    expect(schemas.Pod.field("spec")?.schema.field("nodeSelector")?.schema.field("any")).toBeDefined();
  });
});
