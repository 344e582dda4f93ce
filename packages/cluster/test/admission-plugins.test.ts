import type { Status, StatusError } from "@bowline/api";
import type { Transport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";

interface Body {
  readonly metadata: { readonly annotations?: Record<string, string>; readonly finalizers?: string[] };
  readonly spec: Record<string, unknown> & { readonly containers: Record<string, unknown>[] };
  readonly status: Record<string, unknown>;
}

describe("Admission plug-ins", () => {
  let cluster: Cluster;
  let admin: Transport;

  beforeEach(async () => {
    cluster = await createCluster({
      controllers: false,
      admission: {
        enable: ["ServiceAccount", "StorageObjectInUseProtection", "OwnerReferencesPermissionEnforcement"],
      },
    });
    admin = cluster.transport();
  });
  afterEach(() => cluster.close());

  const post = async (path: string, body: object, by = admin): Promise<Body> =>
    (await by.request<Body>({ method: "POST", path, body })).body;
  const get = async (path: string): Promise<Body> =>
    (await admin.request<Body>({ method: "GET", path })).body;
  const errorOf = (promise: Promise<unknown>): Promise<Status> =>
    promise.then(
      () => expect.fail("the request was allowed"),
      (error: StatusError) => error.status,
    );
  const inDefault = (plural: string, group = "/api/v1"): string => `${group}/namespaces/default/${plural}`;
  const pods = inDefault("pods");
  const pod = (name: string, spec: object = {}): object => ({
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const withResources = (name: string, resources: object): object =>
    pod(name, { containers: [{ name: "c", image: "i", resources }] });

  describe("ServiceAccount", () => {
    it("names the account and mounts its token", async () => {
      const created = await post(pods, pod("p", { initContainers: [{ name: "i", image: "i" }] }));
      const [volume] = created.spec["volumes"] as { name: string }[];
      expect(created.spec).toMatchObject({ serviceAccountName: "default", serviceAccount: "default" });
      expect(volume).toEqual({
        name: expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/),
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
            { configMap: { items: [{ key: "ca.crt", path: "ca.crt" }], name: "kube-root-ca.crt" } },
            {
              downwardAPI: {
                items: [
                  { fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" }, path: "namespace" },
                ],
              },
            },
          ],
        },
      });
      const mount = {
        mountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
        name: volume?.name,
        readOnly: true,
      };
      const [init] = created.spec["initContainers"] as Record<string, unknown>[];
      expect([init?.["volumeMounts"], created.spec.containers[0]?.["volumeMounts"]]).toEqual([
        [mount],
        [mount],
      ]);
    });

    it("mounts none where the pod or the account does not want it, and passes pull secrets on", async () => {
      await post(inDefault("serviceaccounts"), {
        metadata: { name: "quiet" },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: "registry" }],
      });
      const created = await post(pods, pod("p", { serviceAccountName: "quiet" }));
      expect(created.spec).not.toHaveProperty("volumes");
      expect(created.spec["imagePullSecrets"]).toEqual([{ name: "registry" }]);
      const own = await post(pods, pod("q", { automountServiceAccountToken: false }));
      expect(own.spec).not.toHaveProperty("volumes");
    });

    it("refuses an account that does not exist", async () => {
      expect((await errorOf(post(pods, pod("p", { serviceAccountName: "gone" })))).message).toBe(
        'pods "p" is forbidden: error looking up service account default/gone: serviceaccount "gone" not found',
      );
    });

    it("names the beginning of a name that is yet to be generated", async () => {
      const spec = { containers: [{ name: "c", image: "i" }], serviceAccountName: "gone" };
      expect((await errorOf(post(pods, { metadata: { generateName: "web-" }, spec }))).message).toMatch(
        /^pods "web-" is forbidden: error looking up service account /,
      );
      expect((await errorOf(post(pods, { metadata: {}, spec }))).message).toMatch(
        /^pods "Unknown" is forbidden: error looking up service account /,
      );
    });
  });

  describe("LimitRanger", () => {
    const limit = (limits: object[]): Promise<Body> =>
      post(inDefault("limitranges"), { metadata: { name: "l" }, spec: { limits } });

    it("fills in what containers leave out", async () => {
      await limit([
        {
          type: "Container",
          default: { cpu: "500m" },
          defaultRequest: { cpu: "100m", memory: "64Mi" },
          max: { memory: "1Gi" },
        },
      ]);
      const created = await post(pods, withResources("p", { requests: { cpu: "50m" } }));
      expect(created.spec.containers[0]?.["resources"]).toEqual({
        limits: { cpu: "500m", memory: "1Gi" },
        requests: { cpu: "50m", memory: "64Mi" },
      });
      expect(created.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
        "LimitRanger plugin set: cpu, memory limit for container c; memory request for container c",
      );
    });

    it.each([
      [
        { type: "Container", max: { cpu: "1" } },
        { limits: { cpu: "2" } },
        "maximum cpu usage per Container is 1, but limit is 2",
      ],
      [
        { type: "Container", min: { cpu: "100m" } },
        { requests: { cpu: "50m" }, limits: { cpu: "1" } },
        "minimum cpu usage per Container is 100m, but request is 50m",
      ],
      [
        { type: "Pod", min: { memory: "1Gi" } },
        {},
        "minimum memory usage per Pod is 1Gi.  No request is specified",
      ],
      [
        { type: "Pod", max: { memory: "1Gi" } },
        {},
        "maximum memory usage per Pod is 1Gi.  No limit is specified",
      ],
      [
        { type: "Container", maxLimitRequestRatio: { cpu: "2" } },
        { requests: { cpu: "1" }, limits: { cpu: "3" } },
        "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
      ],
      [
        { type: "Container", max: { cpu: "1", memory: "1Gi" } },
        { limits: { cpu: "2", memory: "2Gi" } },
        "[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]",
      ],
    ])("refuses what is out of bounds: %j %j", async (range, resources, why) => {
      await limit([range]);
      expect((await errorOf(post(pods, withResources("p", resources)))).message).toBe(
        `pods "p" is forbidden: ${why}`,
      );
    });

    it("bounds claims too", async () => {
      await limit([{ type: "PersistentVolumeClaim", max: { storage: "1Gi" }, min: { storage: "1Mi" } }]);
      const claim = {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } },
      };
      expect((await errorOf(post(inDefault("persistentvolumeclaims"), claim))).message).toBe(
        'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
      );
    });
  });

  describe("PodSecurity", () => {
    const label = (labels: Record<string, string>): Promise<{ warnings: readonly string[] }> => {
      const named = Object.fromEntries(
        Object.entries(labels).map(([k, v]) => [`pod-security.kubernetes.io/${k}`, v]),
      );
      return admin.request({
        method: "PATCH",
        path: "/api/v1/namespaces/default",
        headers: { "content-type": "application/merge-patch+json" },
        body: { metadata: { labels: named } },
      });
    };
    const bad = pod("p", {
      hostNetwork: true,
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: { privileged: true },
          ports: [{ containerPort: 80, hostPort: 80 }],
        },
      ],
    });
    const good = pod("p", {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name: "c",
          image: "i",
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    });

    it("refuses what the level of the namespace does not allow", async () => {
      await label({ enforce: "baseline" });
      expect(await errorOf(post(pods, bad))).toMatchObject({
        code: 403,
        message:
          'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), hostPort (container "c" uses hostPort 80), privileged (container "c" must not set securityContext.privileged=true)',
      });
      await label({ enforce: "restricted", "enforce-version": "v1.30" });
      expect((await errorOf(post(pods, pod("p")))).message).toBe(
        'pods "p" is forbidden: violates PodSecurity "restricted:v1.30": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
      );
      await post(pods, good);
    });

    it("warns of pods and of what makes pods", async () => {
      await label({ warn: "baseline" });
      const warned =
        'would violate PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)';
      const spec = { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] };
      const { warnings } = await admin.request({ method: "POST", path: pods, body: pod("p", spec) });
      expect(warnings).toEqual([warned]);
      const labels = { app: "a" };
      const deployment = {
        metadata: { name: "d" },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      };
      const created = await admin.request({
        method: "POST",
        path: inDefault("deployments", "/apis/apps/v1"),
        body: deployment,
      });
      expect(created.warnings).toEqual([warned]);
    });

    it("tells which pods a stricter level would not have allowed", async () => {
      await post(pods, bad);
      await post(pods, { ...(bad as { spec: object }), metadata: { name: "q" } });
      const { warnings } = await label({ enforce: "baseline" });
      expect(warnings).toEqual([
        'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
        "p (and 1 other pod): host namespaces, hostPort, privileged",
      ]);
    });
  });

  describe("Priority", () => {
    const classes = "/apis/scheduling.k8s.io/v1/priorityclasses";

    it("takes the value of the class, or of the default class", async () => {
      const critical = await post(pods, pod("a", { priorityClassName: "system-node-critical" }));
      expect(critical.spec).toMatchObject({
        priority: 2_000_001_000,
        preemptionPolicy: "PreemptLowerPriority",
      });
      expect((await post(pods, pod("b"))).spec).toMatchObject({ priority: 0 });
      await post(classes, {
        metadata: { name: "usual" },
        value: 7,
        globalDefault: true,
        preemptionPolicy: "Never",
      });
      expect((await post(pods, pod("c"))).spec).toMatchObject({
        priority: 7,
        priorityClassName: "usual",
        preemptionPolicy: "Never",
      });
    });

    it.each([
      [{ priorityClassName: "none" }, "no PriorityClass with name none was found"],
      [
        { priority: 5 },
        "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name",
      ],
    ])("refuses %j", async (spec, why) => {
      expect((await errorOf(post(pods, pod("p", spec)))).message).toBe(`pods "p" is forbidden: ${why}`);
    });

    it("allows one default class", async () => {
      await post(classes, { metadata: { name: "one" }, value: 1, globalDefault: true });
      expect(
        (await errorOf(post(classes, { metadata: { name: "two" }, value: 1, globalDefault: true }))).message,
      ).toBe(
        'priorityclasses.scheduling.k8s.io "two" is forbidden: PriorityClass one is already marked as default. Only one default can exist',
      );
    });
  });

  it("DefaultTolerationSeconds keeps pods on lost nodes for five minutes", async () => {
    const own = { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" };
    const created = await post(pods, pod("p", { tolerations: [own] }));
    expect(created.spec["tolerations"]).toEqual([
      own,
      {
        effect: "NoExecute",
        key: "node.kubernetes.io/not-ready",
        operator: "Exists",
        tolerationSeconds: 300,
      },
    ]);
  });

  it("RuntimeClass adds overhead and node selector of the class", async () => {
    await post("/apis/node.k8s.io/v1/runtimeclasses", {
      metadata: { name: "vm" },
      handler: "vm",
      overhead: { podFixed: { cpu: "100m" } },
      scheduling: { nodeSelector: { vm: "yes" } },
    });
    const created = await post(pods, pod("p", { runtimeClassName: "vm" }));
    expect(created.spec).toMatchObject({ overhead: { cpu: "100m" }, nodeSelector: { vm: "yes" } });
    expect((await errorOf(post(pods, pod("q", { runtimeClassName: "none" })))).message).toBe(
      'pods "q" is forbidden: pod rejected: RuntimeClass "none" not found',
    );
  });

  it("DefaultStorageClass and StorageObjectInUseProtection complete claims", async () => {
    const storage = (name: string): object => ({
      metadata: { name, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "x",
    });
    await post("/apis/storage.k8s.io/v1/storageclasses", storage("b"));
    await post("/apis/storage.k8s.io/v1/storageclasses", storage("a"));
    const claim = (name: string, more: object = {}): object => ({
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...more },
    });
    const created = await post(inDefault("persistentvolumeclaims"), claim("c"));
    expect(created.spec["storageClassName"]).toBe("a");
    expect(created.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    const without = await post(inDefault("persistentvolumeclaims"), claim("d", { storageClassName: "" }));
    expect(without.spec["storageClassName"]).toBe("");
  });

  it("DefaultIngressClass completes ingresses that name no class in either way", async () => {
    const group = "/apis/networking.k8s.io/v1";
    const annotations = { "ingressclass.kubernetes.io/is-default-class": "true" };
    const ingress = async (name: string, metadata: object = {}, spec: object = {}): Promise<unknown> => {
      const backend = { service: { name: "s", port: { number: 80 } } };
      const body = { metadata: { name, ...metadata }, spec: { defaultBackend: backend, ...spec } };
      return (await post(inDefault("ingresses", group), body)).spec["ingressClassName"];
    };
    expect(await ingress("before")).toBeUndefined();
    for (const name of ["b", "a"])
      await post(`${group}/ingressclasses`, {
        metadata: { name, annotations },
        spec: { controller: "x.y/z" },
      });
    await post(`${group}/ingressclasses`, { metadata: { name: "0" }, spec: { controller: "x.y/z" } });
    expect(await ingress("after")).toBe("a");
    expect(await ingress("named", {}, { ingressClassName: "b" })).toBe("b");
    const old = { annotations: { "kubernetes.io/ingress.class": "nginx" } };
    expect(await ingress("old", old)).toBeUndefined();
  });

  describe("ResourceQuota", () => {
    const quota = (hard: object, more: object = {}): Promise<Body> =>
      post(inDefault("resourcequotas"), { metadata: { name: "q" }, spec: { hard, ...more } });

    it("refuses what would use too much, and keeps what is used", async () => {
      await quota({ pods: "2", "requests.cpu": "1", "count/configmaps": "1" });
      await post(pods, withResources("a", { requests: { cpu: "600m" } }));
      expect(await errorOf(post(pods, withResources("b", { requests: { cpu: "500m" } })))).toMatchObject({
        code: 403,
        message:
          'pods "b" is forbidden: exceeded quota: q, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1',
      });
      await post(pods, withResources("b", { requests: { cpu: "400m" } }));
      const path = inDefault("resourcequotas/q");
      expect((await get(path)).status).toEqual({
        hard: { pods: "2", "requests.cpu": "1", "count/configmaps": "1" },
        used: { pods: "2", "requests.cpu": "1", "count/configmaps": "0" },
      });
      await admin.request({ method: "DELETE", path: `${pods}/a`, query: { gracePeriodSeconds: "0" } });
      expect((await get(path)).status).toMatchObject({ used: { pods: "1", "requests.cpu": "400m" } });
      await post(inDefault("configmaps"), { metadata: { name: "one" } });
      expect((await errorOf(post(inDefault("configmaps"), { metadata: { name: "two" } }))).message).toBe(
        'configmaps "two" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
      );
    });

    it("is never exceeded by requests at the same time", async () => {
      await quota({ "count/configmaps": "3" });
      const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
      const results = await Promise.allSettled(
        names.map((name) => post(inDefault("configmaps"), { metadata: { name } })),
      );
      expect(results.filter((r) => r.status === "fulfilled")).toHaveLength(3);
    });

    it("gives a place back that a refused request had", async () => {
      await quota({ "count/configmaps": "1" });
      const dry = {
        method: "POST",
        path: inDefault("configmaps"),
        body: { metadata: { name: "a" } },
        query: { dryRun: "All" },
      } as const;
      await admin.request(dry);
      await post(inDefault("configmaps"), { metadata: { name: "a" } });
    });

    it("wants every container to say what it needs of a limited amount", async () => {
      await quota({ "limits.memory": "1Gi", cpu: "1" });
      expect((await errorOf(post(pods, pod("p")))).message).toBe(
        'pods "p" is forbidden: failed quota: q: must specify cpu for: c; limits.memory for: c',
      );
    });

    it("counts only pods in its scopes", async () => {
      await quota({ pods: "0" }, { scopes: ["BestEffort"] });
      await post(pods, withResources("a", { requests: { cpu: "1" } }));
      expect((await errorOf(post(pods, pod("b")))).message).toContain("exceeded quota: q, requested: pods=1");
    });
  });

  it("OwnerReferencesPermissionEnforcement wants permissions on the owner", async () => {
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "bob" }];
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "bob" };
    const rules = [{ verbs: ["create"], apiGroups: [""], resources: ["configmaps"] }];
    await post(`${rbac}/clusterroles`, { metadata: { name: "bob" }, rules });
    await post(`${rbac}/clusterrolebindings`, { metadata: { name: "bob" }, roleRef, subjects });
    const owner = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "d",
      uid: "1",
      blockOwnerDeletion: true,
    };
    const owned = (name: string, reference: object): object => ({
      metadata: { name, ownerReferences: [reference] },
    });
    const bob = cluster.transport({ user: { name: "bob", groups: [] } });
    expect((await errorOf(post(inDefault("configmaps"), owned("a", owner), bob))).message).toBe(
      'configmaps "a" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
    );
    const { blockOwnerDeletion: _b, ...plain } = owner;
    await post(inDefault("configmaps"), owned("b", plain), bob);
  });
});
