import { describe, expect, it } from "vitest";
import { builtinResources } from "../builtin/catalog.ts";
import type { Json, KubeObject } from "../object/object.ts";
import { builtinPrinter } from "./builtin-printer.ts";

const nowMs = Date.parse("2024-05-06T07:08:09Z");
const created = "2024-05-06T07:03:09Z";

function cells(group: string, kind: string, rest: object, metadata: object = {}): Json[] {
  const object = {
    apiVersion: "v1",
    kind,
    metadata: { name: "x", creationTimestamp: created, ...metadata },
    ...rest,
  } as unknown as KubeObject;
  return builtinPrinter({ group, kind }).row(object, nowMs).cells;
}

function podStatus(status: object, spec: object = {}, metadata: object = {}): Json[] {
  return cells(
    "",
    "Pod",
    { spec: { containers: [{ name: "a" }, { name: "b" }], ...spec }, status },
    metadata,
  ).slice(1, 4);
}

const running = (name: string): object => ({ name, ready: true, restartCount: 0, state: { running: {} } });

describe("builtinPrinter", () => {
  it("has the columns of the real server", async () => {
    const golden = builtinResources.map((r) => {
      const columns = builtinPrinter(r).columns.map((c) => (c.priority > 0 ? `(${c.name})` : c.name));
      return `${r.group === "" ? "" : `${r.group}/`}${r.kind}: ${columns.join(" | ")}`;
    });
    const text = `${[...new Set(golden)].sort().join("\n")}\n`;
    await expect(text).toMatchFileSnapshot("builtin-columns.golden.txt");
  });

  it("describes every column", () => {
    for (const resource of builtinResources) {
      const printer = builtinPrinter(resource);
      for (const column of printer.columns)
        expect(column.description, `${resource.kind} ${column.name}`).not.toBe("");
    }
  });

  it("shows a deployment", () => {
    const spec = {
      replicas: 3,
      selector: { matchLabels: { app: "web", tier: "front" } },
      template: {
        spec: {
          containers: [
            { name: "web", image: "nginx:1.25" },
            { name: "log", image: "log" },
          ],
        },
      },
    };
    const status = { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
    expect(cells("apps", "Deployment", { spec, status })).toEqual([
      "x",
      "2/3",
      3,
      1,
      "5m",
      "web,log",
      "nginx:1.25,log",
      "app=web,tier=front",
    ]);
  });

  it.each<[string, Json[], object, object?, object?]>([
    ["nothing yet", ["0/2", "Pending", "0"], { phase: "Pending" }],
    [
      "waiting for a gate",
      ["0/2", "SchedulingGated", "0"],
      {
        phase: "Pending",
        conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
      },
    ],
    [
      "all running",
      ["2/2", "Running", "0"],
      { phase: "Running", containerStatuses: [running("a"), running("b")] },
    ],
    [
      "one crashing",
      ["1/2", "CrashLoopBackOff", "4 (2m ago)"],
      {
        phase: "Running",
        containerStatuses: [
          running("a"),
          {
            name: "b",
            ready: false,
            restartCount: 4,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, finishedAt: "2024-05-06T07:06:09Z" } },
          },
        ],
      },
    ],
    [
      "ended with a code",
      ["0/2", "ExitCode:3", "0"],
      {
        phase: "Failed",
        containerStatuses: [
          { name: "a", ready: false, restartCount: 0, state: { terminated: { exitCode: 3 } } },
        ],
      },
    ],
    [
      "ended by a signal",
      ["0/2", "Signal:9", "0"],
      {
        phase: "Failed",
        containerStatuses: [
          { name: "a", ready: false, restartCount: 0, state: { terminated: { exitCode: 0, signal: 9 } } },
        ],
      },
    ],
    [
      "one done, one running",
      ["1/2", "NotReady", "0"],
      {
        phase: "Running",
        containerStatuses: [
          {
            name: "a",
            ready: false,
            restartCount: 0,
            state: { terminated: { exitCode: 0, reason: "Completed" } },
          },
          running("b"),
        ],
      },
    ],
    [
      "initialising",
      ["0/2", "Init:1/2", "0"],
      {
        phase: "Pending",
        initContainerStatuses: [
          { name: "i", restartCount: 0, state: { terminated: { exitCode: 0 } } },
          { name: "j", restartCount: 0, state: { running: {} } },
        ],
      },
      { initContainers: [{ name: "i" }, { name: "j" }] },
    ],
    [
      "failing to initialise",
      ["0/2", "Init:Error", "2"],
      {
        phase: "Pending",
        initContainerStatuses: [
          { name: "i", restartCount: 2, state: { terminated: { exitCode: 1, reason: "Error" } } },
        ],
      },
      { initContainers: [{ name: "i" }] },
    ],
    [
      "with a sidecar",
      ["3/3", "Running", "1"],
      {
        phase: "Running",
        initContainerStatuses: [
          { name: "s", restartCount: 1, started: true, ready: true, state: { running: {} } },
        ],
        containerStatuses: [running("a"), running("b")],
      },
      { initContainers: [{ name: "s", restartPolicy: "Always" }] },
    ],
    ["evicted", ["0/2", "Evicted", "0"], { phase: "Failed", reason: "Evicted" }],
    ["terminating", ["0/2", "Terminating", "0"], { phase: "Running" }, {}, { deletionTimestamp: created }],
    [
      "done while terminating",
      ["0/2", "Succeeded", "0"],
      { phase: "Succeeded" },
      {},
      { deletionTimestamp: created },
    ],
    [
      "lost",
      ["0/2", "Unknown", "0"],
      { phase: "Running", reason: "NodeLost" },
      {},
      { deletionTimestamp: created },
    ],
  ])("shows a pod: %s", (_name, expected, status, spec, metadata) => {
    expect(podStatus(status, spec, metadata)).toEqual(expected);
  });

  it("shows where a pod is, and which gates are open", () => {
    const spec = {
      containers: [],
      nodeName: "n1",
      readinessGates: [{ conditionType: "a" }, { conditionType: "b" }],
    };
    const status = { podIPs: [{ ip: "10.0.0.1" }], conditions: [{ type: "a", status: "True" }] };
    expect(cells("", "Pod", { spec, status }).slice(4)).toEqual(["5m", "10.0.0.1", "n1", "<none>", "1/2"]);
    expect(cells("", "Pod", {}).slice(5)).toEqual(["<none>", "<none>", "<none>", "<none>"]);
  });

  it("marks the rows of pods that have ended", () => {
    const printer = builtinPrinter({ group: "", kind: "Pod" });
    const conditions = (phase: string): unknown => {
      const pod = { apiVersion: "v1", kind: "Pod", metadata: {}, status: { phase } };
      return printer.row(pod, nowMs).conditions?.map((c) => c.reason);
    };
    expect([conditions("Succeeded"), conditions("Failed"), conditions("Running")]).toEqual([
      ["Succeeded"],
      ["Failed"],
      undefined,
    ]);
  });

  it.each<[string, object, object, string, string]>([
    ["ClusterIP", {}, {}, "10.1.1.1", "<none>"],
    ["NodePort", { externalIPs: ["1.1.1.1", "2.2.2.2"] }, {}, "10.1.1.1", "1.1.1.1,2.2.2.2"],
    ["LoadBalancer", {}, {}, "10.1.1.1", "<pending>"],
    [
      "LoadBalancer",
      { externalIPs: ["9.9.9.9"] },
      { loadBalancer: { ingress: [{ ip: "5.5.5.5" }, { hostname: "a.example.com" }] } },
      "10.1.1.1",
      "5.5.5.5,a.example.com,9.9.9.9",
    ],
    [
      "ExternalName",
      { externalName: "db.example.com", clusterIPs: undefined },
      {},
      "<none>",
      "db.example.com",
    ],
  ])("shows a service of type %s", (type, more, status, clusterIp, externalIp) => {
    const ports = [
      { port: 80, protocol: "TCP", nodePort: 30080 },
      { port: 53, protocol: "UDP" },
    ];
    const spec = { type, clusterIPs: ["10.1.1.1"], selector: { app: "web" }, ports, ...more };
    expect(cells("", "Service", { spec, status })).toEqual([
      "x",
      type,
      clusterIp,
      externalIp,
      "80:30080/TCP,53/UDP",
      "5m",
      "app=web",
    ]);
  });

  it("shows a node with its roles and addresses", () => {
    const spec = { unschedulable: true };
    const status = {
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: "v1.35.0", osImage: "Linux" },
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
    };
    const labels = { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/control-plane": "" };
    expect(cells("", "Node", { spec, status }, { labels })).toEqual([
      "x",
      "Ready,SchedulingDisabled",
      "control-plane,worker",
      "5m",
      "v1.35.0",
      "10.0.0.1",
      "<none>",
      "Linux",
      "<unknown>",
      "<unknown>",
    ]);
  });

  it("shows events of both groups alike", () => {
    const times = { first: "2024-05-06T06:08:09Z", last: "2024-05-06T07:07:59Z" };
    const core = {
      involvedObject: { kind: "Pod", name: "p", fieldPath: "spec.containers{a}" },
      type: "Normal",
      reason: "Pulled",
      message: " done\n",
      source: { component: "kubelet", host: "n1" },
      firstTimestamp: times.first,
      lastTimestamp: times.last,
      count: 3,
    };
    const newer = {
      regarding: core.involvedObject,
      type: "Normal",
      reason: "Pulled",
      note: " done\n",
      deprecatedSource: core.source,
      deprecatedFirstTimestamp: times.first,
      deprecatedLastTimestamp: times.last,
      deprecatedCount: 3,
    };
    const expected = [
      "10s",
      "Normal",
      "Pulled",
      "pod/p",
      "spec.containers{a}",
      "kubelet, n1",
      "done",
      "60m",
      3,
      "x",
    ];
    expect(cells("", "Event", core)).toEqual(expected);
    expect(cells("events.k8s.io", "Event", newer)).toEqual(expected);
  });

  it("takes the time and count of an event's series", () => {
    const event = {
      involvedObject: { kind: "Pod" },
      eventTime: "2024-05-06T07:00:09.000000Z",
      series: { count: 7, lastObservedTime: "2024-05-06T07:08:04.000000Z" },
      reportingComponent: "controller",
    };
    expect(cells("", "Event", event)).toEqual(["5s", "", "", "pod", "", "controller", "", "8m", 7, "x"]);
    expect(cells("", "Event", { ...event, series: undefined })[8]).toBe(1);
  });

  it.each<[string, string, object, Json[]]>([
    ["", "Namespace", { status: { phase: "Active" } }, ["x", "Active", "5m"]],
    ["", "Secret", { type: "Opaque", data: { a: "", b: "" } }, ["x", "Opaque", 2, "5m"]],
    ["", "ConfigMap", { data: { a: "" }, binaryData: { b: "" } }, ["x", 2, "5m"]],
    ["", "ServiceAccount", {}, ["x", 0, "5m"]],
    [
      "apps",
      "ReplicaSet",
      { spec: { replicas: 2, selector: {} }, status: { replicas: 1 } },
      ["x", 2, 1, 0, "5m", "", "", "<none>"],
    ],
    [
      "apps",
      "StatefulSet",
      { spec: { replicas: 2, template: {} }, status: { readyReplicas: 1 } },
      ["x", "1/2", "5m", "", ""],
    ],
    [
      "batch",
      "Job",
      { spec: { completions: 2, template: {} }, status: { succeeded: 1, startTime: "2024-05-06T07:07:09Z" } },
      ["x", "Running", "1/2", "60s", "5m", "", "", "<none>"],
    ],
    [
      "batch",
      "Job",
      {
        spec: { parallelism: 3, template: {} },
        status: {
          succeeded: 1,
          startTime: "2024-05-06T07:03:09Z",
          completionTime: "2024-05-06T07:03:19Z",
          conditions: [{ type: "Complete", status: "True" }],
        },
      },
      ["x", "Complete", "1/1 of 3", "10s", "5m", "", "", "<none>"],
    ],
    [
      "batch",
      "CronJob",
      {
        spec: { schedule: "* * * * *", suspend: false, jobTemplate: {} },
        status: { lastScheduleTime: "2024-05-06T07:08:00Z" },
      },
      ["x", "* * * * *", "<none>", "False", 0, "9s", "5m", "", "", "<none>"],
    ],
    [
      "",
      "PersistentVolumeClaim",
      {
        spec: { volumeName: "pv1", storageClassName: "fast", volumeMode: "Block" },
        status: {
          phase: "Bound",
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce"],
        },
      },
      ["x", "Bound", "pv1", "1Gi", "RWO,RWX", "fast", "<unset>", "5m", "Block"],
    ],
    [
      "autoscaling",
      "HorizontalPodAutoscaler",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { averageUtilization: 80 } } },
            { type: "Resource", resource: { name: "memory", target: { averageValue: "1Gi" } } },
            { type: "Pods", pods: { target: { averageValue: "10" } } },
          ],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [{ type: "Resource", resource: { current: { averageUtilization: 41 } } }],
        },
      },
      ["x", "Deployment/web", "cpu: 41%/80%, memory: <unknown>/1Gi + 1 more...", "1", 5, 2, "5m"],
    ],
    [
      "networking.k8s.io",
      "Ingress",
      { spec: { rules: [{ host: "a" }, {}, { host: "b" }, { host: "c" }, { host: "d" }], tls: [{}] } },
      ["x", "<none>", "a,b,c + 2 more...", "", "80, 443", "5m"],
    ],
    [
      "",
      "Endpoints",
      { subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "::1" }], ports: [{ port: 80 }, { port: 81 }] }] },
      ["x", "1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...", "5m"],
    ],
    [
      "rbac.authorization.k8s.io",
      "RoleBinding",
      {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "ServiceAccount", namespace: "n", name: "s" },
        ],
      },
      ["x", "Role/r", "5m", "u", "", "n/s"],
    ],
    ["rbac.authorization.k8s.io", "ClusterRole", {}, ["x", created]],
    ["", "LimitRange", {}, ["x", created]],
    ["apiextensions.k8s.io", "CustomResourceDefinition", {}, ["x", created]],
    ["coordination.k8s.io", "Lease", { spec: { holderIdentity: "me" } }, ["x", "me", "5m"]],
    [
      "",
      "ResourceQuota",
      { status: { hard: { "limits.cpu": "4", pods: "10", cpu: "2" }, used: { pods: "3" } } },
      ["x", "cpu: 0/2, pods: 3/10", "limits.cpu: 0/4", "5m"],
    ],
    ["policy", "PodDisruptionBudget", { spec: { minAvailable: "50%" } }, ["x", "50%", "N/A", 0, "5m"]],
    [
      "storage.k8s.io",
      "StorageClass",
      {
        provisioner: "p",
        metadata: { name: "x", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      },
      ["x (default)", "p", "Delete", "Immediate", false, "<unknown>"],
    ],
    [
      "apiregistration.k8s.io",
      "APIService",
      { spec: {}, status: { conditions: [{ type: "Available", status: "True", reason: "Local" }] } },
      ["x", "Local", "True", "5m"],
    ],
  ])("shows %s %s", (group, kind, rest, expected) => {
    expect(cells(group, kind, rest)).toEqual(expected);
  });
});
