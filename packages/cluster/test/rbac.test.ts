import { type Status, type StatusError, isForbidden } from "@bowline/api";
import type { ApiRequest, Transport } from "@bowline/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../src/cluster.ts";
import type { UserInfo } from "../src/registry/user.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

describe("RBAC", () => {
  let cluster: Cluster;
  let admin: Transport;

  beforeEach(async () => {
    cluster = await createCluster({ controllers: false });
    admin = cluster.transport();
  });
  afterEach(() => cluster.close());

  const as = (name: string, ...groups: string[]): Transport => cluster.transport({ user: { name, groups } });
  const get = (path: string, query: Record<string, string> = {}): ApiRequest => ({
    method: "GET",
    path,
    query,
  });
  const post = (path: string, body: object): ApiRequest => ({ method: "POST", path, body });
  const errorOf = async (promise: Promise<unknown>): Promise<Status> =>
    promise.then(
      () => expect.fail("the request was allowed"),
      (error: StatusError) => error.status,
    );
  const allowed = async (promise: Promise<unknown>): Promise<boolean> =>
    promise.then(
      () => true,
      (error: unknown) => !isForbidden(error),
    );

  const role = (kind: string, name: string, rules: object[], more: object = {}): object => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: { name },
    rules,
    ...more,
  });
  const binding = (
    kind: string,
    name: string,
    roleKind: string,
    roleName: string,
    subjects: object[],
  ): object => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind,
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name: roleName },
    subjects,
  });
  const user = (name: string): object => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });

  /** A ClusterRole with these rules, bound to a user. */
  async function grant(name: string, ...rules: object[]): Promise<void> {
    await admin.request(post(`${rbac}/clusterroles`, role("ClusterRole", `of-${name}`, rules)));
    const body = binding("ClusterRoleBinding", `of-${name}`, "ClusterRole", `of-${name}`, [user(name)]);
    await admin.request(post(`${rbac}/clusterrolebindings`, body));
  }

  it.each([
    [
      get("/api/v1/namespaces/default/pods"),
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
      { kind: "pods" },
    ],
    [
      get("/apis/apps/v1/namespaces/default/deployments/web/status"),
      'deployments.apps "web" is forbidden: User "bob" cannot get resource "deployments/status" in API group "apps" in the namespace "default"',
      { name: "web", group: "apps", kind: "deployments" },
    ],
    [
      { method: "DELETE", path: "/api/v1/nodes/n1" } as const,
      'nodes "n1" is forbidden: User "bob" cannot delete resource "nodes" in API group "" at the cluster scope',
      { name: "n1", kind: "nodes" },
    ],
    [
      get("/apis/example.com/v1/namespaces/a/things"),
      'things.example.com is forbidden: User "bob" cannot list resource "things" in API group "example.com" in the namespace "a"',
      { group: "example.com", kind: "things" },
    ],
    [get("/metrics"), 'forbidden: User "bob" cannot get path "/metrics"', {}],
  ])("says in full who may not do what: %#", async (request, message, details) => {
    expect(await errorOf(as("bob").request(request))).toMatchObject({
      message,
      details,
      reason: "Forbidden",
      code: 403,
    });
  });

  it.each(["/api", "/apis", "/version", "/openapi/v2", "/healthz", "/apis/apps/v1"])(
    "lets every known user read %s",
    async (path) => {
      expect(await allowed(as("bob").request(get(path)))).toBe(true);
    },
  );

  it("lets the anonymous read version and health and nothing else", async () => {
    const nobody = as("system:anonymous", "system:unauthenticated");
    expect(await allowed(nobody.request(get("/version")))).toBe(true);
    expect(await allowed(nobody.request(get("/readyz")))).toBe(true);
    expect(await allowed(nobody.request(get("/api")))).toBe(false);
    expect(await allowed(nobody.request(get("/api/v1/namespaces")))).toBe(false);
  });

  const rules: [string, object, ApiRequest, boolean][] = [
    [
      "verb",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
      get("/api/v1/namespaces/a/pods"),
      false,
    ],
    [
      "any verb",
      { verbs: ["*"], apiGroups: [""], resources: ["pods"] },
      get("/api/v1/namespaces/a/pods"),
      true,
    ],
    ["group", { verbs: ["list"], apiGroups: ["apps"], resources: ["pods"] }, get("/api/v1/pods"), false],
    ["any group", { verbs: ["list"], apiGroups: ["*"], resources: ["pods"] }, get("/api/v1/pods"), true],
    [
      "subresource not meant",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"] },
      get("/api/v1/namespaces/a/pods/p/log"),
      false,
    ],
    [
      "subresource",
      { verbs: ["get"], apiGroups: [""], resources: ["pods/log"] },
      get("/api/v1/namespaces/a/pods/p/log"),
      true,
    ],
    [
      "subresource of all",
      { verbs: ["get"], apiGroups: [""], resources: ["*/log"] },
      get("/api/v1/namespaces/a/pods/p/log"),
      true,
    ],
    [
      "star covers subresources",
      { verbs: ["get"], apiGroups: [""], resources: ["*"] },
      get("/api/v1/namespaces/a/pods/p/log"),
      true,
    ],
    [
      "name",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
      get("/api/v1/namespaces/a/pods/p"),
      true,
    ],
    [
      "other name",
      { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["q"] },
      get("/api/v1/namespaces/a/pods/p"),
      false,
    ],
    [
      "names do not allow lists",
      { verbs: ["list"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
      get("/api/v1/namespaces/a/pods"),
      false,
    ],
    [
      "names allow lists of that name",
      { verbs: ["list"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] },
      get("/api/v1/namespaces/a/pods", { fieldSelector: "metadata.name=p" }),
      true,
    ],
    ["path", { verbs: ["get"], nonResourceURLs: ["/metrics"] }, get("/metrics"), true],
    ["path prefix", { verbs: ["get"], nonResourceURLs: ["/debug/*"] }, get("/debug/pprof"), true],
    ["path is not a prefix", { verbs: ["get"], nonResourceURLs: ["/debug"] }, get("/debug/pprof"), false],
  ];
  it.each(rules)("judges a rule: %s", async (_name, rule, request, expected) => {
    await grant("bob", rule);
    expect(await allowed(as("bob").request(request))).toBe(expected);
  });

  it.each([
    [
      "an apply",
      "configmaps",
      {
        method: "PATCH",
        path: "/api/v1/namespaces/default/configmaps/new",
        headers: { "content-type": "application/apply-patch+yaml" },
        query: { fieldManager: "bob" },
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } },
      },
    ],
    [
      "an update",
      "limitranges",
      {
        method: "PUT",
        path: "/api/v1/namespaces/default/limitranges/new",
        body: { apiVersion: "v1", kind: "LimitRange", metadata: { name: "new" }, spec: { limits: [] } },
      },
    ],
  ] as const)("wants the permission to create for %s that creates", async (_what, resource, request) => {
    const change = { apiGroups: [""], resources: [resource], verbs: ["patch", "update"] };
    await grant("bob", change);
    const { code, message } = await errorOf(as("bob").request(request));
    expect([code, message]).toEqual([
      403,
      `${resource} "new" is forbidden: User "bob" cannot create resource "${resource}" in API group "" in the namespace "default"`,
    ]);
    await grant("ann", { ...change, verbs: [...change.verbs, "create"] });
    expect((await as("ann").request(request)).status).toBe(201);
    // what is there already needs no more than the change itself
    expect((await as("bob").request(request)).status).toBe(200);
  });

  it("keeps a RoleBinding to its namespace, for roles of both kinds and service accounts", async () => {
    await admin.request(post("/api/v1/namespaces", { metadata: { name: "team" } }));
    const list = [{ verbs: ["list"], apiGroups: [""], resources: ["pods"] }];
    await admin.request(post(`${rbac}/namespaces/team/roles`, role("Role", "reader", list)));
    const account = { kind: "ServiceAccount", name: "robot", namespace: "default" };
    const group = { apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: "devs" };
    const body = binding("RoleBinding", "readers", "Role", "reader", [user("bob"), account]);
    await admin.request(post(`${rbac}/namespaces/team/rolebindings`, body));
    const viewers = binding("RoleBinding", "viewers", "ClusterRole", "view", [group]);
    await admin.request(post(`${rbac}/namespaces/team/rolebindings`, viewers));
    for (const transport of [as("bob"), as("system:serviceaccount:default:robot"), as("ann", "devs")]) {
      expect(await allowed(transport.request(get("/api/v1/namespaces/team/pods")))).toBe(true);
      expect(await allowed(transport.request(get("/api/v1/namespaces/default/pods")))).toBe(false);
      expect(await allowed(transport.request(get("/api/v1/pods")))).toBe(false);
    }
    expect(await allowed(as("ann", "devs").request(get("/api/v1/namespaces/team/secrets")))).toBe(false);
  });

  it("follows every change of roles and bindings at once", async () => {
    const bob = as("bob");
    const pods = get("/api/v1/pods");
    expect(await allowed(bob.request(pods))).toBe(false);
    await grant("bob", { verbs: ["list"], apiGroups: [""], resources: ["pods"] });
    expect(await allowed(bob.request(pods))).toBe(true);
    await admin.request({
      method: "PUT",
      path: `${rbac}/clusterroles/of-bob`,
      body: role("ClusterRole", "of-bob", []),
    });
    expect(await allowed(bob.request(pods))).toBe(false);
    const rule = { verbs: ["list"], apiGroups: ["*"], resources: ["*"] };
    await admin.request({
      method: "PUT",
      path: `${rbac}/clusterroles/of-bob`,
      body: role("ClusterRole", "of-bob", [rule]),
    });
    expect(await allowed(bob.request(pods))).toBe(true);
    await admin.request({ method: "DELETE", path: `${rbac}/clusterrolebindings/of-bob` });
    expect(await allowed(bob.request(pods))).toBe(false);
  });

  it("names a bound role that does not exist", async () => {
    const body = binding("ClusterRoleBinding", "dangling", "ClusterRole", "gone", [user("bob")]);
    await admin.request(post(`${rbac}/clusterrolebindings`, body));
    expect((await errorOf(as("bob").request(get("/api/v1/pods")))).message).toBe(
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    );
  });

  it("aggregates roles by their labels, also into edit and admin", async () => {
    const rule = { verbs: ["get", "list"], apiGroups: ["example.com"], resources: ["things"] };
    const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    await admin.request(
      post(
        `${rbac}/clusterroles`,
        role("ClusterRole", "view-things", [rule], { metadata: { name: "view-things", labels } }),
      ),
    );
    await Promise.resolve();
    for (const name of ["view", "edit", "admin"]) {
      const { body } = await admin.request<{ rules: object[] }>(get(`${rbac}/clusterroles/${name}`));
      expect(body.rules).toContainEqual(rule);
    }
    await admin.request({ method: "DELETE", path: `${rbac}/clusterroles/view-things` });
    await Promise.resolve();
    const { body } = await admin.request<{ rules: object[] }>(get(`${rbac}/clusterroles/admin`));
    expect(body.rules).not.toContainEqual(rule);
    expect(body.rules.length).toBeGreaterThan(20);
  });

  describe("escalation", () => {
    const writeRoles = {
      verbs: ["create", "update", "patch"],
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
    };
    const readPods = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
    const bob: UserInfo = { name: "bob", groups: [] };

    it("lets nobody write a role with more than they have, and says what is missing", async () => {
      await grant("bob", writeRoles, readPods);
      const transport = cluster.transport({ user: bob });
      await transport.request(post(`${rbac}/clusterroles`, role("ClusterRole", "fine", [readPods])));
      const more = { verbs: ["get", "delete", "watch"], apiGroups: [""], resources: ["pods", "secrets"] };
      const error = await errorOf(
        transport.request(post(`${rbac}/clusterroles`, role("ClusterRole", "more", [more]))),
      );
      expect(error).toMatchObject({
        code: 403,
        details: { name: "more", group: "rbac.authorization.k8s.io", kind: "clusterroles" },
      });
      expect(error.message).toBe(
        'clusterroles.rbac.authorization.k8s.io "more" is forbidden: user "bob" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
          '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}\n' +
          '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "watch"]}',
      );
      const put = {
        method: "PUT",
        path: `${rbac}/clusterroles/fine`,
        body: role("ClusterRole", "fine", [more]),
      } as const;
      expect((await errorOf(transport.request(put))).code).toBe(403);
    });

    it("takes the verbs escalate and bind as permission", async () => {
      await grant("bob", writeRoles, {
        verbs: ["escalate", "bind"],
        apiGroups: ["rbac.authorization.k8s.io"],
        resources: ["clusterroles"],
        resourceNames: ["more", "edit"],
      });
      const transport = cluster.transport({ user: bob });
      // the name of a create is not known when it is judged
      const create = post(`${rbac}/clusterroles`, role("ClusterRole", "more", [readPods]));
      expect(await allowed(transport.request(create))).toBe(false);
      await admin.request(post(`${rbac}/clusterroles`, role("ClusterRole", "more", [])));
      const body = role("ClusterRole", "more", [readPods]);
      const update = { method: "PUT", path: `${rbac}/clusterroles/more`, body } as const;
      expect(await allowed(transport.request(update))).toBe(true);
      const edit = binding("ClusterRoleBinding", "b", "ClusterRole", "edit", [user("bob")]);
      expect(await allowed(transport.request(post(`${rbac}/clusterrolebindings`, edit)))).toBe(true);
      const rest = binding("ClusterRoleBinding", "c", "ClusterRole", "cluster-admin", [user("bob")]);
      expect((await errorOf(transport.request(post(`${rbac}/clusterrolebindings`, rest)))).message).toContain(
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
      );
    });

    it("lets a binding be written by who holds all of its role, and finds a role that is missing", async () => {
      await grant("bob", writeRoles, readPods);
      await admin.request(post(`${rbac}/clusterroles`, role("ClusterRole", "pods", [readPods])));
      const transport = cluster.transport({ user: bob });
      const fine = binding("RoleBinding", "a", "ClusterRole", "pods", [user("eve")]);
      expect(await allowed(transport.request(post(`${rbac}/namespaces/default/rolebindings`, fine)))).toBe(
        true,
      );
      const missing = binding("RoleBinding", "b", "Role", "none", [user("eve")]);
      expect(
        await errorOf(transport.request(post(`${rbac}/namespaces/default/rolebindings`, missing))),
      ).toMatchObject({
        code: 404,
        message: 'roles.rbac.authorization.k8s.io "none" not found',
      });
    });

    it("needs everything for a role that gathers rules", async () => {
      await grant("bob", writeRoles, readPods);
      const gathering = role("ClusterRole", "gather", [], {
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
      });
      expect((await errorOf(as("bob").request(post(`${rbac}/clusterroles`, gathering)))).code).toBe(403);
    });
  });

  it("can be switched off", async () => {
    const open = await createCluster({ controllers: false, authorization: "AlwaysAllow" });
    const bob = open.transport({ user: { name: "bob", groups: [] } });
    await expect(bob.request(get("/api/v1/pods"))).resolves.toMatchObject({ status: 200 });
    await open.close();
  });
});
