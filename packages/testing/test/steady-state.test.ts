/** What an operator writes when everything is as it should be: nothing. */
import { type CreateOf, type DeepReadonly, type KubeObject, defineKind } from "@bowline/api";
import { DaemonSet, Deployment, StatefulSet } from "@bowline/api/apps/v1";
import { HorizontalPodAutoscaler } from "@bowline/api/autoscaling/v2";
import { CronJob } from "@bowline/api/batch/v1";
import { ConfigMap, PersistentVolumeClaim, Secret, Service, ServiceAccount } from "@bowline/api/core/v1";
import { Ingress, NetworkPolicy } from "@bowline/api/networking/v1";
import { PodDisruptionBudget } from "@bowline/api/policy/v1";
import { Role, RoleBinding } from "@bowline/api/rbac/v1";
import { type ApiRequest, type Transport, VirtualClock } from "@bowline/client";
import { createManager, defineController, silentLogger } from "@bowline/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { startCluster } from "../src/index.ts";

const Site = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Site",
  spec: z.object({ note: z.string().optional() }),
});

const labels = { app: "site" };
const container = { name: "web", image: "nginx" };
const template = { metadata: { labels }, spec: { containers: [container] } };
const owns = [
  ConfigMap,
  CronJob,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Role,
  RoleBinding,
  Secret,
  Service,
  ServiceAccount,
  StatefulSet,
];

type Intent = DeepReadonly<KubeObject> & { readonly [field: string]: unknown };
const intent = (kind: { readonly apiVersion: string; readonly kind: string }, fields: object): Intent => ({
  apiVersion: kind.apiVersion,
  kind: kind.kind,
  metadata: { name: "site" },
  ...fields,
});

/**
 * Sparse on purpose: servers add defaults, write quantities another way (`1000m`, `0.5Gi`), leave nulls out, turn stringData
 * into data.
 */
const children: readonly Intent[] = [
  intent(ConfigMap, { data: { key: "value" } }),
  intent(CronJob, {
    spec: {
      schedule: "0 0 * * *",
      jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } },
    },
  }),
  intent(DaemonSet, { spec: { selector: { matchLabels: labels }, template } }),
  intent(Deployment, {
    spec: {
      selector: { matchLabels: labels },
      template: {
        ...template,
        spec: {
          nodeSelector: null,
          containers: [
            {
              ...container,
              ports: [{ containerPort: 80 }],
              resources: { limits: { cpu: "1000m", memory: "0.5Gi" } },
              livenessProbe: { httpGet: { port: 80 } },
              env: [{ name: "EMPTY", value: "" }],
            },
          ],
        },
      },
    },
  }),
  intent(HorizontalPodAutoscaler, {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "site" } },
  }),
  intent(Ingress, {
    spec: {
      rules: [
        {
          host: "site.example.com",
          http: {
            paths: [
              { path: "/", pathType: "Prefix", backend: { service: { name: "site", port: { number: 80 } } } },
            ],
          },
        },
      ],
    },
  }),
  intent(NetworkPolicy, { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } }),
  intent(PersistentVolumeClaim, {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
  }),
  intent(PodDisruptionBudget, { spec: { minAvailable: 1, selector: { matchLabels: labels } } }),
  intent(Role, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }),
  intent(RoleBinding, {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "site" },
    subjects: [{ kind: "ServiceAccount", name: "site", namespace: "default" }],
  }),
  intent(Secret, { stringData: { password: "secret" } }),
  intent(Service, { spec: { selector: labels, ports: [{ port: 80 }] } }),
  intent(ServiceAccount, {}),
  intent(StatefulSet, {
    spec: {
      serviceName: "site",
      selector: { matchLabels: { app: "set" } },
      template: { ...template, metadata: { labels: { app: "set" } } },
    },
  }),
];

/** A transport that notes what is written through it. */
function noting(transport: Transport, writes: string[]): Transport {
  return {
    ...transport,
    watch: (request) => transport.watch(request),
    stream: (request) => transport.stream(request),
    close: () => transport.close(),
    request: (request: ApiRequest) => {
      if (request.method !== "GET") writes.push(`${request.method} ${request.path}`);
      return transport.request(request);
    },
  };
}

describe("The steady state", () => {
  it("case 28: sees no write after the first pass, with sparse intents of fifteen built-in kinds", async () => {
    await using test = await startCluster({ clock: new VirtualClock(), kinds: [Site] });
    const writes: string[] = [];
    const failures: string[] = [];
    let runs = 0;
    const controller = defineController(Site, {
      owns,
      async reconcile(_, ctx) {
        runs++;
        const { children: states } = await ctx.children(children as never);
        for (const { error } of states) if (error !== undefined) failures.push(String(error));
      },
    });
    const { clock } = test.client;
    const transport = noting(test.cluster.transport({ userAgent: "site" }), writes);
    const manager = createManager({ transport, clock, logger: silentLogger, controllers: [controller] });
    const started = manager.start();
    await test.advance(1000);
    await started;
    const site: CreateOf<typeof Site> = { metadata: { name: "site", namespace: "default" }, spec: {} };
    await test.client.create(Site, site);
    await test.advance(60_000);
    expect(failures).toEqual([]);
    expect(writes).toHaveLength(children.length);
    for (let i = 0; i < 5; i++) {
      const runsBefore = runs;
      await test.client.patch(Site, site.metadata as never, { merge: { spec: { note: String(i) } } });
      await test.advance(5000);
      expect(runs).toBeGreaterThan(runsBefore);
    }
    expect(writes.slice(children.length)).toEqual([]);
    const stopped = manager.stop();
    await test.advance(1000);
    await stopped;
  });
});
