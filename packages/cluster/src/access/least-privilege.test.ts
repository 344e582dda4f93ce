import { describe, expect, it } from "vitest";
import { comparePermissions, leastPrivilege } from "./least-privilege.ts";
import type { RecordedRequest } from "./request-recorder.ts";

/** `verb group/resource[/subresource] [namespace[/name]]`, or `verb /path`. */
function seen(text: string): RecordedRequest {
  const [verb = "", what = "", where = ""] = text.split(" ");
  const plain = {
    verb,
    group: "",
    resource: "",
    subresource: "",
    namespace: "",
    name: "",
    path: "",
    allowed: true,
  };
  if (what.startsWith("/") && what !== "/" && !/^\/[a-z]+(\/(status|scale|log))?$/.test(what))
    return { ...plain, isResource: false, path: what };
  const [group = "", resource = "", subresource = ""] = what.split("/");
  const [namespace = "", name = ""] = where.split("/");
  return { ...plain, isResource: true, group, resource, subresource, namespace, name };
}

describe("leastPrivilege", () => {
  it("merges verbs of a resource and resources of the same verbs", () => {
    const requests = [
      "get apps/deployments a/x",
      "watch apps/deployments a",
      "get apps/replicasets a/x",
      "list apps/replicasets b",
      "watch apps/replicasets b",
      "patch /pods/status a/p",
    ];
    expect(leastPrivilege(requests.map(seen))).toEqual({
      clusterRules: [
        { apiGroups: [""], resources: ["pods/status"], verbs: ["patch"] },
        { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["get", "list", "watch"] },
      ],
      namespaceRules: {},
    });
  });

  it("leaves out what everybody may do", () => {
    const requests = [
      "get /apis/apps/v1",
      "get /openapi/v3",
      "create authorization.k8s.io/selfsubjectaccessreviews",
      "get /metrics/x",
    ];
    expect(leastPrivilege(requests.map(seen)).clusterRules).toEqual([
      { nonResourceURLs: ["/metrics/x"], verbs: ["get"] },
    ]);
  });

  it("makes a Role of what is only done in one namespace", () => {
    const requests = [
      "list apps/deployments",
      "list apps/deployments a",
      "get /secrets a/s",
      "get /nodes /n",
    ];
    expect(leastPrivilege(requests.map(seen), { scope: "namespaces" })).toEqual({
      clusterRules: [
        { apiGroups: [""], resources: ["nodes"], verbs: ["get"] },
        { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list"] },
      ],
      namespaceRules: { a: [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }] },
    });
  });

  it("can limit access to the names that were seen", () => {
    const requests = ["update coordination.k8s.io/leases a/lock", "create coordination.k8s.io/leases a"];
    expect(leastPrivilege(requests.map(seen), { resourceNames: true }).clusterRules).toEqual([
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
      {
        apiGroups: ["coordination.k8s.io"],
        resources: ["leases"],
        resourceNames: ["lock"],
        verbs: ["update"],
      },
    ]);
  });
});

describe("comparePermissions", () => {
  const pods = { apiGroups: [""], resources: ["pods"] };
  it.each([
    ["the same", [{ ...pods, verbs: ["get"] }], [{ ...pods, verbs: ["get"] }], [], []],
    [
      "too little",
      [{ ...pods, verbs: ["get", "list"] }],
      [{ ...pods, verbs: ["get"] }],
      [{ ...pods, verbs: ["list"] }],
      [],
    ],
    [
      "too much",
      [{ ...pods, verbs: ["get"] }],
      [{ apiGroups: [""], resources: ["pods", "secrets"], verbs: ["get", "delete"] }],
      [],
      [
        { ...pods, verbs: ["delete"] },
        { apiGroups: [""], resources: ["secrets"], verbs: ["get", "delete"] },
      ],
    ],
    [
      "a wildcard",
      [{ ...pods, verbs: ["get"] }],
      [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }],
      [],
      [],
    ],
    [
      "finalizers",
      [],
      [{ apiGroups: ["apps"], resources: ["deployments/finalizers"], verbs: ["update"] }],
      [],
      [],
    ],
    [
      "a name that is too narrow",
      [{ ...pods, verbs: ["get"] }],
      [{ ...pods, resourceNames: ["a"], verbs: ["get"] }],
      [{ ...pods, verbs: ["get"] }],
      [{ ...pods, resourceNames: ["a"], verbs: ["get"] }],
    ],
  ])("compares %s", (_name, needed, declared, missing, unused) => {
    expect(comparePermissions(needed, declared)).toEqual({ missing, unused });
  });
});
