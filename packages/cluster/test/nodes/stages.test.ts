import { Pod } from "@bowline/api/core/v1";
import { describe, expect, it } from "vitest";
import { parseStages } from "../../src/nodes/stages/parse-stages.ts";
import { StageError } from "../../src/nodes/stages/stage.ts";
import { deploymentOf, newWorld } from "../controllers/world.ts";
import { Deployment } from "@bowline/api/apps/v1";

/** As kwok's own stages for pods: they become ready, and go when they are deleted. */
const text = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: pod-ready
spec:
  resourceRef:
    apiGroup: v1
    kind: Pod
  selector:
    matchExpressions:
    - key: '.metadata.deletionTimestamp'
      operator: 'DoesNotExist'
    - key: '.status.podIP'
      operator: 'DoesNotExist'
  delay:
    durationMilliseconds: 5000
    jitterDurationMilliseconds: 8000
  next:
    event:
      type: Normal
      reason: Created
      message: Created container
    finalizers:
      add:
      - value: kwok.x-k8s.io/fake
    statusTemplate: |
      {{ $now := Now }}
      conditions:
      - lastTransitionTime: {{ $now | Quote }}
        status: "True"
        type: Ready
      {{ range .spec.readinessGates }}
      - lastTransitionTime: {{ $now | Quote }}
        status: "True"
        type: {{ .conditionType | Quote }}
      {{ end }}
      containerStatuses:
      {{ range .spec.containers }}
      - image: {{ .image | Quote }}
        name: {{ .name | Quote }}
        ready: true
        restartCount: 0
        state:
          running:
            startedAt: {{ $now | Quote }}
      {{ end }}
      hostIP: {{ NodeIPWith .spec.nodeName | Quote }}
      podIP: {{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) | Quote }}
      phase: Running
      startTime: {{ $now | Quote }}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata:
  name: pod-delete
spec:
  resourceRef:
    apiGroup: v1
    kind: Pod
  selector:
    matchExpressions:
    - key: '.metadata.deletionTimestamp'
      operator: 'Exists'
  delay:
    durationMilliseconds: 2000
  next:
    finalizers:
      empty: true
    delete: true
`;

describe("Stages", () => {
  it("make pods ready after their delay and jitter, and let them go when they are deleted", async () => {
    const world = await newWorld({ stages: parseStages(text) });
    await world.client.create(Deployment, deploymentOf("web", { replicas: 2 }) as never);
    await world.pass(4900);
    expect((await world.list(Pod)).map((pod) => pod.status?.phase)).toEqual(["Pending", "Pending"]);
    await world.pass(3100);
    const pods = await world.list(Pod);
    expect(pods.map((pod) => pod.status?.phase)).toEqual(["Running", "Running"]);
    for (const pod of pods) {
      expect(pod.metadata.finalizers).toEqual(["kwok.x-k8s.io/fake"]);
      expect(pod.status?.podIP).toMatch(/^10\.244\.0\.\d+$/);
      expect(pod.status?.containerStatuses).toMatchObject([{ name: "main", image: "nginx:1", ready: true }]);
      // the scheduler's condition stays: lists of conditions merge by their type
      expect(pod.status?.conditions?.map(({ type }) => type).sort()).toEqual(["PodScheduled", "Ready"]);
    }
    expect((await world.client.get(Deployment, { name: "web", namespace: "default" })).status).toMatchObject({
      availableReplicas: 2,
    });
    const starts = new Set(pods.map((pod) => pod.status?.podIP));
    expect(starts.size).toBe(2);
    const [name = ""] = pods.map((pod) => pod.metadata.name ?? "");
    expect(await world.events({ kind: "Pod", name })).toContain("Created: Created container");
    await world.client.delete(Deployment, { name: "web", namespace: "default" });
    await world.pass(1000);
    expect(await world.list(Pod)).toHaveLength(2);
    await world.pass(2000);
    expect(await world.list(Pod)).toEqual([]);
    expect(world.errors).toEqual([]);
  });

  it("are drawn by their weights, seeded", async () => {
    const fate = (name: string, weight: number, phase: string): string => `---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: ${name} }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  weight: ${weight}
  selector:
    matchExpressions: [{ key: .status.phase, operator: In, values: [Pending] }]
  next: { statusTemplate: "phase: ${phase}" }
`;
    const phases = async (): Promise<string[]> => {
      const world = await newWorld({
        stages: parseStages(fate("bad", 1, "Failed") + fate("good", 3, "Running")),
      });
      for (let i = 0; i < 20; i++) {
        const spec = { containers: [{ name: "c", image: "i" }] };
        await world.client.create(Pod, { metadata: { name: `p${i}`, namespace: "default" }, spec } as never);
      }
      await world.pass(10);
      return (await world.list(Pod)).map((pod) => pod.status?.phase ?? "");
    };
    const first = await phases();
    expect(first.filter((phase) => phase === "Failed").length).toBeGreaterThan(0);
    expect(first.filter((phase) => phase === "Running").length).toBeGreaterThan(8);
    expect(await phases()).toEqual(first);
  });

  it("take their delay from the object", async () => {
    const stage = `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: { name: s }
spec:
  resourceRef: { apiGroup: v1, kind: Pod }
  selector:
    matchLabels: { app: slow }
  delay:
    durationMilliseconds: 1
    durationFrom: { expressionFrom: '.metadata.annotations["start-after"]' }
  next:
    patches:
    - subresource: status
      root: status
      type: merge
      template: "phase: Running"
`;
    const world = await newWorld({ stages: parseStages(stage) });
    const create = async (name: string, labels: object): Promise<void> => {
      const metadata = { name, namespace: "default", labels, annotations: { "start-after": "1m30s" } };
      const spec = { containers: [{ name: "c", image: "i" }] };
      await world.client.create(Pod, { metadata, spec } as never);
    };
    await create("slow", { app: "slow" });
    await create("other", {});
    const phase = async (name: string): Promise<string | undefined> =>
      (await world.client.get(Pod, { name, namespace: "default" })).status?.phase;
    await world.pass(89_000);
    expect(await phase("slow")).toBe("Pending");
    await world.pass(2000);
    expect(await phase("slow")).toBe("Running");
    expect(await phase("other")).toBe("Pending");
  });

  it.each([
    ["kind: Other", "there is no Stage in the text"],
    ["a: [", "no YAML"],
    [
      "{apiVersion: v1, kind: Stage, metadata: {name: s}, spec: {resourceRef: {kind: Pod}, next: {}}}",
      "v1 Stage",
    ],
    [
      "{apiVersion: kwok.x-k8s.io/v1alpha1, kind: Stage, metadata: {name: s}, spec: {resourceRef: {kind: Pod}, next: {statusTemplate: '{{ if }}'}}}",
      'stage "s": ',
    ],
  ])("refuse %s", (yaml, why) => {
    expect(() => parseStages(yaml)).toThrow(StageError);
    expect(() => parseStages(yaml)).toThrow(why);
  });
});
