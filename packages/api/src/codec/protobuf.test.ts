import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../object/object.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import { DecodeError } from "./decode-error.ts";
import { type FieldType, type MessageType, readProtobufTable } from "./protobuf-schema.ts";
import { specialMessages } from "./protobuf-special.ts";
import { protobufTable } from "./protobuf-table.ts";
import { WireReader, WireWriter, decodeUtf8 } from "./protobuf-wire.ts";
import { createProtobufCodec } from "./protobuf.ts";

// Bodies are those that k8s.io/client-go 0.36 writes.

const codec = createProtobufCodec();

function bytesOf(base64: string): Uint8Array {
  const bytes = decodeBase64(base64);
  if (bytes === undefined) throw new Error("not base64");
  return bytes;
}

/** Object as JSON, body in base64. */
const bodies: readonly (readonly [JsonObject, string])[] = [
  [
    {
      apiVersion: "v1",
      binaryData: { x: "AAEC/w==" },
      data: { e: "", k: "v" },
      immutable: false,
      kind: "ConfigMap",
      metadata: { labels: { a: "1", b: "2" }, name: "c", namespace: "default" },
    },
    "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEkYKKAoBYxIAGgdkZWZhdWx0IgAqADIAOABCAFoGCgFhEgExWgYKAWISATISBQoBZRIAEgYKAWsSAXYaCQoBeBIEAAEC/yAAGgAiAA==",
  ],
  [
    { apiVersion: "v1", data: { p: "aGVsbG8=" }, kind: "Secret", metadata: { name: "s" }, type: "Opaque" },
    "azhzAAoMCgJ2MRIGU2VjcmV0EicKEQoBcxIAGgAiACoAMgA4AEIAEgoKAXASBWhlbGxvGgZPcGFxdWUaACIA",
  ],
  [
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        creationTimestamp: "2026-12-01T03:35:43Z",
        generation: 3,
        name: "p",
        ownerReferences: [
          {
            apiVersion: "apps/v1",
            blockOwnerDeletion: false,
            controller: true,
            kind: "ReplicaSet",
            name: "r",
            uid: "u",
          },
        ],
      },
      spec: {
        containers: [
          {
            image: "nginx:1.25",
            livenessProbe: { httpGet: { path: "/", port: "http" } },
            name: "a",
            ports: [{ containerPort: 80, protocol: "TCP" }],
            resources: { limits: { cpu: "500m", memory: "1Gi" } },
          },
        ],
        hostNetwork: true,
        terminationGracePeriodSeconds: 0,
        volumes: [
          { emptyDir: { sizeLimit: "1Mi" }, name: "v" },
          { configMap: { defaultMode: 420, name: "c" }, name: "w" },
        ],
      },
      status: {
        conditions: [{ lastTransitionTime: "1969-12-31T23:59:59Z", status: "True", type: "Ready" }],
        containerStatuses: [
          {
            image: "",
            imageID: "",
            lastState: {},
            name: "a",
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: -1, signal: 9 } },
          },
        ],
        phase: "Running",
      },
    },
    "azhzAAoJCgJ2MRIDUG9kEuYCCjoKAXASABoAIgAqADIAOANCCAiPgbnYBhAAah8KClJlcGxpY2FTZXQaAXIiAXUqB2FwcHMvdjEwATgAErkBChAKAXYSCxIJCgASBQoDMU1pChAKAXcSC5oBCAoDCgFjGKQDEnUKAWESCm5naW54OjEuMjUqADINCgAQABhQIgNUQ1AqAEIgCg0KA2NwdRIGCgQ1MDBtCg8KBm1lbW9yeRIFCgMxR2lSIQoVEhMKAS8SCggBEAAaBGh0dHAaACIAEAAYACAAKAAwAGoAcgCAAQCIAQCQAQCiAQAaACAAMgBCAEoAUgBYAWAAaACCAQCKAQCaAQDCAQAabAoHUnVubmluZxIkCgVSZWFkeRIEVHJ1ZRoAIg0I////////////ARAAKgAyADgAGgAiACoAMgBCKgoBYRIZGhcI////////////ARAJGgAiACoAMgA6ABoAIAAoADIAOgBCAEoAWgByAIgBABoAIgA=",
  ],
  [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: {
        managedFields: [
          {
            apiVersion: "apps/v1",
            fieldsType: "FieldsV1",
            fieldsV1: { "f:spec": { "f:replicas": {} } },
            manager: "m",
            operation: "Apply",
            time: "2026-12-01T03:35:43Z",
          },
        ],
        name: "d",
      },
      spec: {
        replicas: 0,
        selector: {
          matchExpressions: [{ key: "k", operator: "In", values: ["x", "y"] }],
          matchLabels: { a: "b" },
        },
        strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 0 }, type: "RollingUpdate" },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", resources: {} }] } },
      },
      status: {},
    },
    "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EooCCl0KAWQSABoAIgAqADIAOABCAIoBSQoBbRIFQXBwbHkaB2FwcHMvdjEiCAiPgbnYBhAAMghGaWVsZHNWMToeChx7ImY6c3BlYyI6eyJmOnJlcGxpY2FzIjp7fX19QgASmgEIABIXCgYKAWESAWISDQoBaxICSW4aAXgaAXkaUwoYCgASABoAIgAqADIAOABCAFoGCgFhEgFiEjcSGQoBYxIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAIiQKDVJvbGxpbmdVcGRhdGUSEwoGCAAQABoAEgkIARAAGgMyNSUoADgAGgwIABAAGAAgACgAOAAaACIA",
  ],
  [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "s" },
      spec: {
        ports: [
          { name: "é😀", port: 80, targetPort: 8080 },
          { port: 443, targetPort: "https" },
        ],
        selector: { a: "b" },
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      },
      status: { loadBalancer: {} },
    },
    "azhzAAoNCgJ2MRIHU2VydmljZRJpChEKAXMSABoAIgAqADIAOABCABJQChcKBsOp8J+YgBIAGFAiBwgAEJA/GgAoAAoWCgASABi7AyILCAEQABoFaHR0cHMoABIGCgFhEgFiGgAiADoAQgBSAFoAYABoAHIFCgMIsFQaAgoAGgAiAA==",
  ],
  [
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n" },
      spec: {
        podCIDRs: ["10.0.0.0/24"],
        taints: [{ effect: "NoSchedule", key: "k", timeAdded: "2026-12-01T00:00:00Z" }],
      },
      status: {
        capacity: { cpu: "4", memory: "8Gi" },
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          architecture: "",
          bootID: "",
          containerRuntimeVersion: "",
          kernelVersion: "",
          kubeProxyVersion: "",
          kubeletVersion: "",
          machineID: "",
          operatingSystem: "",
          osImage: "",
          systemUUID: "",
        },
      },
    },
    "azhzAAoKCgJ2MRIETm9kZRKEAQoRCgFuEgAaACIAKgAyADgAQgASMgoAEgAaACAAKhsKAWsSABoKTm9TY2hlZHVsZSIICICcuNgGEAA6CzEwLjAuMC4wLzI0GjsKCgoDY3B1EgMKATQKDwoGbWVtb3J5EgUKAzhHaRoAMgQKAggAOhQKABIAGgAiACoAMgA6AEIASgBSABoAIgA=",
  ],
  [
    {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "l" },
      spec: {
        acquireTime: "2026-12-01T03:35:43.000001Z",
        holderIdentity: "me",
        leaseDurationSeconds: 15,
        renewTime: "2026-12-01T03:35:43.123456Z",
      },
    },
    "azhzAAofChZjb29yZGluYXRpb24uazhzLmlvL3YxEgVMZWFzZRIzChEKAWwSABoAIgAqADIAOABCABIeCgJtZRAPGgkIj4G52AYQ6AciCwiPgbnYBhCAlO86GgAiAA==",
  ],
  [
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      metadata: {},
      spec: { token: "t" },
      status: { user: { extra: { a: ["x", "y"], b: [] }, username: "u" } },
    },
    "azhzAAonChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESC1Rva2VuUmV2aWV3EjgKEAoAEgAaACIAKgAyADgAQgASAwoBdBofCAASGQoBdRIAIgsKAWESBgoBeAoBeSIFCgFiEgAaABoAIgA=",
  ],
  [
    {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: {
        maxReplicas: 5,
        metrics: [
          {
            resource: { name: "cpu", target: { averageUtilization: 80, type: "Utilization" } },
            type: "Resource",
          },
        ],
        scaleTargetRef: { kind: "Deployment", name: "d" },
      },
      status: { desiredReplicas: 0 },
    },
    "azhzAAopCg5hdXRvc2NhbGluZy92MhIXSG9yaXpvbnRhbFBvZEF1dG9zY2FsZXISVAoRCgFoEgAaACIAKgAyADgAQgASOQoRCgpEZXBsb3ltZW50EgFkGgAYBSIiCghSZXNvdXJjZSIWCgNjcHUSDwoLVXRpbGl6YXRpb24gUBoEGAAgABoAIgA=",
  ],
  [
    {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j" },
      spec: {
        completionMode: "Indexed",
        suspend: false,
        template: {
          metadata: {},
          spec: { containers: [{ name: "c", resources: {} }], restartPolicy: "Never" },
        },
      },
      status: {},
    },
    "azhzAAoPCghiYXRjaC92MRIDSm9iEnwKEQoBahIAGgAiACoAMgA4AEIAEl0yUAoQCgASABoAIgAqADIAOABCABI8EhkKAWMSACoAQgBqAHIAgAEAiAEAkAEAogEAGgVOZXZlcjIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEASgdJbmRleGVkUAAaCCAAKAAwADoAGgAiAA==",
  ],
  [
    {
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { x: "y" } }] },
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] }],
    },
    "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRI0ChEKAXISABoAIgAqADIAOABCABITCgNnZXQKBGxpc3QSABoEcG9kcxoKCggKBgoBeBIBeRoAIgA=",
  ],
  [
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "m" },
      webhooks: [
        {
          admissionReviewVersions: ["v1"],
          clientConfig: { caBundle: "AAE=", service: { name: "s", namespace: "n", port: 443 } },
          name: "w.example.com",
          rules: [
            {
              apiGroups: ["apps"],
              apiVersions: ["v1"],
              operations: ["CREATE"],
              resources: ["deployments"],
              scope: "*",
            },
          ],
          sideEffects: "None",
        },
      ],
    },
    "azhzAAo/Ch9hZG1pc3Npb25yZWdpc3RyYXRpb24uazhzLmlvL3YxEhxNdXRhdGluZ1dlYmhvb2tDb25maWd1cmF0aW9uEmUKEQoBbRIAGgAiACoAMgA4AEIAElAKDXcuZXhhbXBsZS5jb20SDwoJCgFuEgFzILsDEgIAARokCgZDUkVBVEUSGgoEYXBwcxICdjEaC2RlcGxveW1lbnRzIgEqMgROb25lQgJ2MRoAIgA=",
  ],
  [
    {
      apiVersion: "apps/v1",
      data: { spec: { x: 1 } },
      kind: "ControllerRevision",
      metadata: { name: "c" },
      revision: 5,
    },
    "azhzAAodCgdhcHBzL3YxEhJDb250cm9sbGVyUmV2aXNpb24SKQoRCgFjEgAaACIAKgAyADgAQgASEgoQeyJzcGVjIjp7IngiOjF9fRgFGgAiAA==",
  ],
  [
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "p" },
      spec: { minAvailable: "50%" },
      status: {
        currentHealthy: 0,
        desiredHealthy: 0,
        disruptedPods: { a: "2026-12-01T00:00:00Z" },
        disruptionsAllowed: -1,
        expectedPods: 0,
      },
    },
    "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSRAoRCgFwEgAaACIAKgAyADgAQgASCwoJCAEQABoDNTAlGiIIABINCgFhEggIgJy42AYQABj///////////8BIAAoADAAGgAiAA==",
  ],
  [
    {
      apiVersion: "v1",
      items: [
        { metadata: { name: "a" }, spec: { containers: [{ name: "x", resources: {} }] }, status: {} },
        {
          metadata: { name: "b" },
          spec: { containers: [{ name: "y", resources: {} }], nodeName: "n" },
          status: {},
        },
      ],
      kind: "PodList",
      metadata: { remainingItemCount: 0, resourceVersion: "5" },
    },
    "azhzAAoNCgJ2MRIHUG9kTGlzdBLSAQoJCgASATUaACAAEmEKEQoBYRIAGgAiACoAMgA4AEIAEjcSGQoBeBIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIAWABgAGgAggEAigEAmgEAwgEAGhMKABoAIgAqADIASgBaAHIAiAEAEmIKEQoBYhIAGgAiACoAMgA4AEIAEjgSGQoBeRIAKgBCAGoAcgCAAQCIAQCQAQCiAQAaADIAQgBKAFIBblgAYABoAIIBAIoBAJoBAMIBABoTCgAaACIAKgAyAEoAWgByAIgBABoAIgA=",
  ],
  [
    {
      apiVersion: "v1",
      dryRun: ["All"],
      gracePeriodSeconds: 0,
      kind: "DeleteOptions",
      preconditions: { uid: "u" },
      propagationPolicy: "Foreground",
    },
    "azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIYCAASAwoBdSIKRm9yZWdyb3VuZCoDQWxsGgAiAA==",
  ],
  [
    {
      apiVersion: "v1",
      code: 404,
      details: { causes: [{ field: "f", message: "c", reason: "r" }], name: "n" },
      kind: "Status",
      message: "m",
      metadata: {},
      reason: "NotFound",
      status: "Failure",
    },
    "azhzAAoMCgJ2MRIGU3RhdHVzEjkKBgoAEgAaABIHRmFpbHVyZRoBbSIITm90Rm91bmQqFgoBbhIAGgAiCQoBchIBYxoBZigAMgAwlAMaACIA",
  ],
  [
    {
      apiVersion: "v1",
      count: 2,
      eventTime: "2026-12-01T03:35:43.500000Z",
      involvedObject: { kind: "Pod", name: "p" },
      kind: "Event",
      metadata: { name: "e" },
      reportingComponent: "",
      reportingInstance: "",
      series: { count: 3, lastObservedTime: "2026-12-01T03:35:43.000000Z" },
      source: {},
    },
    "azhzAAoLCgJ2MRIFRXZlbnQSWwoRCgFlEgAaACIAKgAyADgAQgASEgoDUG9kEgAaAXAiACoAMgA6ABoAIgAqBAoAEgAyADoAQAJKAFIMCI+BudgGEIDKte4BWgwIAxIICI+BudgGEABiAHIAegAaACIA",
  ],
  [
    {
      allowVolumeExpansion: true,
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "s" },
      provisioner: "p",
    },
    "azhzAAohChFzdG9yYWdlLms4cy5pby92MRIMU3RvcmFnZUNsYXNzEhgKEQoBcxIAGgAiACoAMgA4AEIAEgFwMAEaACIA",
  ],
  [
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name: "i" },
      spec: {
        rules: [
          {
            host: "h",
            http: {
              paths: [
                { backend: { service: { name: "s", port: { number: 80 } } }, path: "/", pathType: "Prefix" },
              ],
            },
          },
        ],
      },
      status: { loadBalancer: {} },
    },
    "azhzAAofChRuZXR3b3JraW5nLms4cy5pby92MRIHSW5ncmVzcxI8ChEKAWkSABoAIgAqADIAOABCABIjGiEKAWgSHAoaChgKAS8SCyIJCgFzEgQKABBQGgZQcmVmaXgaAgoAGgAiAA==",
  ],
  [
    {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "s" },
      spec: { replicas: 3 },
      status: { replicas: 2, selector: "a=b" },
    },
    "azhzAAoXCg5hdXRvc2NhbGluZy92MRIFU2NhbGUSIAoRCgFzEgAaACIAKgAyADgAQgASAggDGgcIAhIDYT1iGgAiAA==",
  ],
  [
    {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { annotations: { k: "a\nb" }, deletionGracePeriodSeconds: 0, finalizers: ["f/a"], name: "n" },
      spec: {},
      status: {},
    },
    "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEioKIgoBbhIAGgAiACoAMgA4AEIAUABiCAoBaxIDYQpicgNmL2ESABoCCgAaACIA",
  ],
];

describe("ProtobufCodec", () => {
  for (const [object, body] of bodies) {
    const kind = String(object["kind"]);
    it(`reads a ${kind}`, () => {
      expect(codec.decode(bytesOf(body))).toEqual(object);
    });
    it(`writes a ${kind} that reads back the same`, () => {
      expect(codec.decode(codec.encode(object))).toEqual(object);
    });
  }

  it("keeps integers of 64 bits exact", () => {
    const object = { apiVersion: "apps/v1", kind: "ControllerRevision", revision: 9223372036854775807n };
    expect(codec.decode(codec.encode(object))).toEqual({ ...object });
  });

  it("reads the schemas of CRDs, which hold unions", () => {
    const schema: JsonObject = {
      type: "object",
      properties: {
        a: {
          type: "string",
          default: "x",
          enum: ["x", null, 1],
          "x-kubernetes-preserve-unknown-fields": true,
        },
        b: { items: { type: "integer" }, additionalProperties: false },
        c: { additionalProperties: { type: "string" }, minimum: 1.5 },
      },
      dependencies: { a: ["b", "c"], d: { type: "string" } },
    };
    const object = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "x" },
      spec: {
        group: "g",
        versions: [{ name: "v1", served: true, storage: false, schema: { openAPIV3Schema: schema } }],
      },
    };
    expect(codec.decode(codec.encode(object))).toEqual(object);
  });

  it("reads an embedded object that is protobuf itself", () => {
    const inner = codec.encode({ apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } });
    const writer = new WireWriter();
    writer.bytes(1, inner);
    writer.head(2, 0);
    const raw = writer.finish();
    const body = codec.encode({ apiVersion: "apps/v1", kind: "ControllerRevision" });
    const wrapped = withRaw(body, raw);
    expect(codec.decode(wrapped)["data"]).toEqual({ apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } });
  });

  it("gives a list without items an empty one", () => {
    expect(codec.decode(codec.encode({ apiVersion: "v1", kind: "PodList", items: [] }))["items"]).toEqual([]);
  });

  it("finds the kinds of meta/v1 in every group", () => {
    expect(codec.knows("apps/v1", "DeleteOptions")).toBe(true);
    expect(codec.knows("meta.k8s.io/v1", "PartialObjectMetadataList")).toBe(true);
    expect(codec.knows("v1", "Status")).toBe(true);
    expect(codec.knows("example.com/v1", "Application")).toBe(false);
    expect(codec.knows("v1", "Deployment")).toBe(false);
  });

  it("skips fields that it does not know", () => {
    const writer = new WireWriter();
    writer.string(999, "later");
    writer.int(998, 5);
    writer.double(997, 1);
    writer.string(1, "x");
    const body = withRaw(codec.encode({ apiVersion: "v1", kind: "ConfigMap" }), metadataOf(writer.finish()));
    expect(codec.decode(body)["metadata"]).toEqual({ name: "x" });
  });

  const mistakes: readonly (readonly [string, Uint8Array, string])[] = [
    ["nothing", new Uint8Array(), "empty data"],
    [
      "JSON",
      Uint8Array.of(0x7b, 0x7d),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    ],
    ["only the prefix", Uint8Array.of(107, 56, 115, 0), "empty body"],
    ["a body that was cut off", bytesOf(bodies[2]?.[1] ?? "").slice(0, 60), "unexpected EOF"],
    [
      "an unknown kind",
      Uint8Array.of(107, 56, 115, 0, 10, 7, 10, 2, 118, 49, 18, 1, 88),
      'no kind "X" is registered for version "v1"',
    ],
    ["groups", Uint8Array.of(107, 56, 115, 0, 11), "proto: illegal wireType 3"],
  ];
  for (const [what, body, message] of mistakes) {
    it(`refuses ${what}`, () => {
      expect(() => codec.decode(body)).toThrow(new DecodeError(message));
    });
  }

  it("refuses values that do not fit their fields", () => {
    const refuse = (object: JsonObject): unknown =>
      codec.encode({ apiVersion: "v1", kind: "ConfigMap", ...object });
    expect(() => refuse({ metadata: "x" })).toThrow("ObjectMeta is not an object");
    expect(() => refuse({ data: ["x"] })).toThrow("data is not an object");
    expect(() => refuse({ binaryData: { a: "?" } })).toThrow("binaryData is not base64");
    expect(() => refuse({ metadata: { finalizers: "x" } })).toThrow("finalizers is not a list");
    expect(() => refuse({ metadata: { generation: "x" } })).toThrow("generation is not a number");
    expect(() => refuse({ metadata: { creationTimestamp: "soon" } })).toThrow('not a time: "soon"');
  });

  it("refuses times that no year can hold", () => {
    const writer = new WireWriter();
    writer.int(1, 9223372036854775807n);
    writer.head(8, 0);
    const body = withRaw(codec.encode({ apiVersion: "v1", kind: "ConfigMap" }), metadataOf(writer.finish()));
    expect(() => codec.decode(body)).toThrow("time out of range");
  });

  it("never fails otherwise than with a DecodeError on mangled bodies", () => {
    const mangled = fc
      .tuple(fc.constantFrom(...bodies.map(([, body]) => body)), fc.nat(), fc.nat(255), fc.nat(400))
      .map(([body, at, byte, length]) => {
        const bytes = bytesOf(body).slice(0, Math.max(20, length));
        bytes[4 + (at % (bytes.length - 4))] = byte;
        return bytes;
      });
    fc.assert(
      fc.property(mangled, (bytes) => {
        try {
          codec.decode(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
    );
  });

  it("frames watch events", () => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n" } };
    const frame = codec.encodeWatchEvent("ADDED", object);
    const length = new DataView(frame.buffer).getUint32(0);
    expect(length).toBe(frame.length - 4);
    const event = new WireReader(frame, 4);
    expect(event.tag()).toEqual({ field: 1, wire: 2 });
    expect(event.string()).toBe("ADDED");
    expect(event.tag()).toEqual({ field: 2, wire: 2 });
    const extension = event.message();
    expect(extension.tag()).toEqual({ field: 1, wire: 2 });
    expect(codec.decode(extension.bytes())).toEqual(object);
    expect(event.done).toBe(true);
  });
});

/** The message of a field 1 with the given content. */
function metadataOf(content: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.bytes(1, content);
  return writer.finish();
}

/** The body with another content: its type stays. */
function withRaw(body: Uint8Array, raw: Uint8Array): Uint8Array {
  const reader = new WireReader(body, 4);
  reader.tag();
  const typeMeta = reader.bytes();
  const writer = new WireWriter();
  writer.bytes(2, raw);
  writer.bytes(1, typeMeta);
  writer.raw(body.slice(0, 4));
  return writer.finish();
}

const times = fc
  .integer({ min: -62_135_596_800, max: 253_402_300_799 })
  .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`);
const samples: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  Time: times,
  MicroTime: fc.tuple(times, fc.nat(999_999)).map(([time, micros]) => {
    return `${time.slice(0, -1)}.${String(micros).padStart(6, "0")}Z`;
  }),
  Quantity: fc.constantFrom("1", "500m", "1Gi"),
  IntOrString: fc.oneof(fc.integer(), fc.constantFrom("50%", "http")),
  RawExtension: fc.constantFrom<Json>({ a: [1, "x", null] }, { kind: "X" }),
  FieldsV1: fc.constantFrom<Json>({}, { "f:spec": {} }),
  JSON: fc.constantFrom<Json>(1, "x", false, [null], { a: 1.5 }),
  JSONSchemaPropsOrBool: fc.boolean(),
  JSONSchemaPropsOrArray: fc.constantFrom<Json>({ type: "string" }),
  JSONSchemaPropsOrStringArray: fc.constantFrom<Json>(["a", "b"]),
};
const scalars: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  s: fc.string({ unit: "grapheme", minLength: 1 }),
  b: fc.constant(true),
  i: fc.integer().filter((n) => n !== 0),
  u: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  l: fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .filter((n) => n !== 0n)
    .map(exact),
  U: fc.nat().filter((n) => n !== 0),
  d: fc.double({ noNaN: true, noDefaultInfinity: true }),
  y: fc.uint8Array({ minLength: 1 }).map((bytes) => encodeBase64(bytes)),
};

function exact(integer: bigint): number | bigint {
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/** Objects of a message type, three levels deep. */
function valuesOf(type: MessageType, depth: number): fc.Arbitrary<Json> {
  const name = type.fullName.slice(type.fullName.lastIndexOf(".") + 1);
  if (specialMessages.has(type.fullName)) return samples[name] ?? fc.constant("?");
  if (type.isList) return fc.array(scalars["s"] as fc.Arbitrary<Json>, { minLength: 1, maxLength: 2 });
  const fields = type.fields.filter((field) => !field.inline && (depth > 0 || field.message === undefined));
  const members = Object.fromEntries(fields.map((field) => [field.name, fieldValues(field, depth - 1)]));
  return fc.record(members, { requiredKeys: [], noNullPrototype: true }) as fc.Arbitrary<Json>;
}

function fieldValues(field: FieldType, depth: number): fc.Arbitrary<Json> {
  const values =
    field.message === undefined
      ? (scalars[field.scalar ?? "s"] as fc.Arbitrary<Json>)
      : valuesOf(field.message, depth);
  if (field.repeat === "list") return fc.array(values, { minLength: 1, maxLength: 2 });
  if (field.repeat === "map")
    return fc.dictionary(fc.string(), values, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  return values;
}

/** The kinds of the table that have metadata, which is all that are stored. */
const kinds = protobufTable.split("\n").reduce<{ apiVersion: string; found: [string, string][] }>(
  ({ apiVersion, found }, line) => {
    const [head = "", second = ""] = line.split(" ", 2);
    if (head.startsWith("@")) return { apiVersion: second, found };
    if (second.startsWith("1metadata:") && !head.endsWith("List")) found.push([apiVersion, head]);
    return { apiVersion, found };
  },
  { apiVersion: "", found: [] },
).found;
const schema = readProtobufTable(protobufTable);

describe("Every kind", () => {
  for (const [apiVersion, kind] of kinds) {
    it(`is read as it was written: ${apiVersion} ${kind}`, () => {
      const type = schema.kind(apiVersion, kind);
      if (type === undefined) throw new Error("unknown kind");
      fc.assert(
        fc.property(valuesOf(type, 3), (value) => {
          const object = { ...(value as JsonObject), apiVersion, kind };
          expect(codec.decode(codec.encode(object))).toEqual(object);
        }),
        { numRuns: 5 },
      );
    });
  }
});

describe("readProtobufTable", () => {
  it("reads messages, their lists, maps and inlined messages", () => {
    const small = readProtobufTable("@a.v1 a/v1\nA 2b:1.B^ 1n:l? 3m:s%\n@b.v1 -\nB [] 1items:0.A+\n");
    const type = small.kind("a/v1", "A");
    expect(
      type?.fields.map(({ name, repeat, inline, dropsZero }) => ({ name, repeat, inline, dropsZero })),
    ).toEqual([
      { name: "n", repeat: "", inline: false, dropsZero: true },
      { name: "b", repeat: "", inline: true, dropsZero: false },
      { name: "m", repeat: "map", inline: false, dropsZero: false },
    ]);
    expect(type?.field(2)?.message?.isList).toBe(true);
    expect(type?.field(2)?.message?.field(1)?.message).toBe(type);
    expect(small.kind("-", "B")).toBeUndefined();
  });
});

describe("base64", () => {
  it("is read as it was written", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      }),
    );
  });

  it("is refused when it is none", () => {
    for (const text of ["a", "a=b=", "====", "a*==", "YQ"]) expect(decodeBase64(text)).toBeUndefined();
  });
});

describe("decodeUtf8", () => {
  it("reads what the writer writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const writer = new WireWriter();
        writer.string(1, text);
        const reader = new WireReader(writer.finish());
        reader.tag();
        expect(reader.string()).toBe(text);
      }),
    );
  });

  it("reads any bytes as the platform does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        const text = decodeUtf8(bytes);
        expect(Buffer.from(text).toString()).toBe(text);
        if (!text.includes("\uFFFD")) expect(text).toBe(Buffer.from(bytes).toString("utf8"));
      }),
    );
  });
});
