import { describe, expect, it } from "vitest";
import type { CreateOf, Kind, KindOf } from "../kind/kind.ts";
import { apiVersionOf } from "../kind/kind.ts";
import * as admissionregistration from "./admissionregistration/v1.ts";
import { CustomResourceDefinition } from "./apiextensions/v1.ts";
import { Deployment, type DeploymentCreate, StatefulSet } from "./apps/v1.ts";
import { HorizontalPodAutoscaler } from "./autoscaling/v2.ts";
import { CronJob, Job } from "./batch/v1.ts";
import { builtinResources } from "./catalog.ts";
import { ConfigMap, Pod, type ResourceRequirements, Secret, Service } from "./core/v1.ts";
import { Ingress } from "./networking/v1.ts";
import { ClusterRole, RoleBinding } from "./rbac/v1.ts";

// These are checked by the compiler; the test only shows that they exist at run time.
const container = {
  name: "web",
  image: "nginx",
  ports: [{ containerPort: 80, name: "http" }],
  resources: { requests: { cpu: "100m", memory: "64Mi" } },
  env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  livenessProbe: { httpGet: { path: "/", port: "http" }, periodSeconds: 5 },
};

const deployment: CreateOf<typeof Deployment> = {
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "25%" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [container] } },
  },
};

const read: KindOf<typeof Deployment> = { ...deployment, apiVersion: "apps/v1", kind: "Deployment" };

const pod: CreateOf<typeof Pod> = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { generateName: "web-", annotations: {} },
  spec: {
    containers: [container],
    volumes: [{ name: "data", emptyDir: {} }],
    tolerations: [{ operator: "Exists" }],
  },
};

const service: CreateOf<typeof Service> = {
  metadata: { name: "web" },
  spec: {
    selector: { app: "web" },
    ports: [
      { port: 80, targetPort: 8080 },
      { port: 443, targetPort: "https" },
    ],
  },
};

const statefulSet: CreateOf<typeof StatefulSet> = {
  metadata: { name: "db" },
  spec: {
    serviceName: "db",
    selector: { matchLabels: { app: "db" } },
    template: { spec: { containers: [container] } },
    // A kind inside another needs no apiVersion and kind.
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    ],
  },
};

const objects: readonly CreateOf<Kind>[] = [
  { ...read },
  { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } } satisfies KindOf<typeof ConfigMap>,
];

function refusedByTheCompiler(): unknown[] {
  const spec = deployment.spec;
  if (spec === undefined) return [];
  return [
    // @ts-expect-error replicas is a number
    { metadata: {}, spec: { ...spec, replicas: "3" } } satisfies DeploymentCreate,
    // @ts-expect-error a misspelt field
    { metadata: {}, spec: { ...spec, replica: 3 } } satisfies DeploymentCreate,
    // @ts-expect-error the template is required
    { metadata: {}, spec: { selector: {} } } satisfies DeploymentCreate,
    // @ts-expect-error the kind of another object
    { kind: "Pod", metadata: {} } satisfies DeploymentCreate,
    // @ts-expect-error a read always has apiVersion and kind
    { metadata: {} } satisfies Deployment,
    // @ts-expect-error quantities are texts
    { limits: { cpu: 1 } } satisfies ResourceRequirements,
    // @ts-expect-error data of a secret is base64 text
    { metadata: {}, data: { a: new Uint8Array() } } satisfies CreateOf<typeof Secret>,
  ];
}

describe("built-in kinds", () => {
  it("accept ordinary objects and refuse wrong ones at compile time", () => {
    expect([deployment, pod, service, statefulSet, ...objects]).toHaveLength(6);
    expect(refusedByTheCompiler()).toHaveLength(7);
  });

  it("say the same as the table of resources", () => {
    const kinds = [
      CustomResourceDefinition,
      Deployment,
      StatefulSet,
      HorizontalPodAutoscaler,
      Job,
      CronJob,
      ConfigMap,
      Pod,
      Secret,
      Service,
      Ingress,
      ClusterRole,
      RoleBinding,
      admissionregistration.ValidatingWebhookConfiguration,
    ];
    for (const kind of kinds) {
      const resource = builtinResources.find(
        (r) => r.group === kind.group && r.version === kind.version && r.kind === kind.kind,
      );
      expect(resource, kind.kind).toMatchObject({
        plural: kind.plural,
        singular: kind.singular,
        listKind: kind.listKind,
        shortNames: kind.shortNames,
        categories: kind.categories,
        namespaced: kind.scope === "Namespaced",
      });
      expect(kind.apiVersion).toBe(apiVersionOf(kind.group, kind.version));
    }
  });
});
