import { isForbidden } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { comparePermissions, leastPrivilege } from "../src/access/least-privilege.ts";
import { createCluster } from "../src/cluster.ts";

describe("Recorded requests", () => {
  it("give a role under which the same requests pass, and without one of its rules do not", async () => {
    const cluster = await createCluster({ controllers: false });
    const admin = cluster.transport();
    const work = cluster.transport({ userAgent: "my-operator/1.0" });
    const recording = cluster.recordRequests({ userAgent: "my-operator" });
    const steps = [
      { method: "GET", path: "/api/v1/namespaces/default/configmaps" },
      { method: "POST", path: "/api/v1/namespaces/default/configmaps", body: { metadata: { name: "x" } } },
      { method: "GET", path: "/apis/apps/v1/deployments" },
      { method: "DELETE", path: "/api/v1/namespaces/default/configmaps/x" },
    ] as const;
    for (const step of steps) await work.request(step);
    await admin.request({ method: "GET", path: "/api/v1/secrets" });
    recording.stop();
    await work.request({ method: "GET", path: "/api/v1/nodes" });

    const { clusterRules } = leastPrivilege(recording.requests);
    expect(clusterRules).toEqual([
      { apiGroups: [""], resources: ["configmaps"], verbs: ["list", "create", "delete"] },
      { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
    ]);

    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const put = (rules: object): Promise<unknown> =>
      admin.request({
        method: "PUT",
        path: `${rbac}/clusterroles/op`,
        body: { metadata: { name: "op" }, rules },
      });
    await admin.request({
      method: "POST",
      path: `${rbac}/clusterroles`,
      body: { metadata: { name: "op" }, rules: clusterRules },
    });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "op" };
    const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "op" }];
    const body = { metadata: { name: "op" }, roleRef, subjects };
    await admin.request({ method: "POST", path: `${rbac}/clusterrolebindings`, body });
    const operator = cluster.transport({ user: { name: "op", groups: [] } });
    for (const step of steps) await operator.request(step);
    await put(clusterRules.slice(0, 1));
    const [, , third] = steps;
    await expect(operator.request(third)).rejects.toSatisfy(isForbidden);

    const again = cluster.recordRequests({ user: "op" });
    await operator.request(third).catch(() => {});
    expect(comparePermissions(leastPrivilege(again.requests).clusterRules, clusterRules.slice(0, 1))).toEqual(
      {
        missing: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] }],
        unused: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list", "create", "delete"] }],
      },
    );
    await cluster.close();
  });
});
