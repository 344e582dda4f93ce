/**
 * The roles and bindings that every cluster has. Facts of Kubernetes 1.35, as `kubectl get clusterroles` shows them; those
 * of its single controllers are left out, since ours act as one user.
 */
import type { PolicyRule } from "./policy-rule.ts";

/** Verbs, API groups and resources (or URLs), each separated by blanks; a dot stands for the core group. */
type RuleText = readonly [verbs: string, groups: string, resources: string, names?: string];

export interface BootstrapClusterRole {
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** `admin`, `edit` or `view`: the role that takes these rules over. */
  readonly aggregateTo?: "admin" | "edit" | "view";
  /** True: its rules are those of the roles that name it. */
  readonly aggregates?: boolean;
}

const read = "get list watch";
const write = "create delete deletecollection patch update";
const events: RuleText = ["create patch update", ". events.k8s.io", "events"];
const reviews: readonly RuleText[] = [
  ["create", "authentication.k8s.io", "tokenreviews"],
  ["create", "authorization.k8s.io", "subjectaccessreviews"],
];

function rule([verbs, groups, resources, names]: RuleText): PolicyRule {
  return {
    verbs: verbs.split(" "),
    apiGroups: groups.split(" ").map((g) => (g === "." ? "" : g)),
    resources: resources.split(" "),
    ...(names === undefined ? {} : { resourceNames: names.split(" ") }),
  };
}

function urls(...nonResourceURLs: readonly string[]): PolicyRule {
  return { verbs: ["get"], nonResourceURLs };
}

function role(name: string, ...rules: readonly RuleText[]): BootstrapClusterRole {
  return { name, rules: rules.map(rule) };
}

const aggregateToAdmin = role(
  "system:aggregate-to-admin",
  ["create", "authorization.k8s.io", "localsubjectaccessreviews"],
  [`${write} ${read}`, "rbac.authorization.k8s.io", "rolebindings roles"],
);

const aggregateToEdit = role(
  "system:aggregate-to-edit",
  [read, ".", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"],
  ["impersonate", ".", "serviceaccounts"],
  [write, ".", "pods pods/attach pods/exec pods/portforward pods/proxy"],
  ["create", ".", "pods/eviction"],
  [
    write,
    ".",
    "configmaps events persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy",
  ],
  ["create", ".", "serviceaccounts/token"],
  [
    write,
    "apps",
    "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale",
  ],
  [write, "autoscaling", "horizontalpodautoscalers"],
  [write, "batch", "cronjobs jobs"],
  [
    write,
    "extensions",
    "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale",
  ],
  [write, "policy", "poddisruptionbudgets"],
  [write, "networking.k8s.io", "ingresses networkpolicies"],
  [`${write} ${read}`, "coordination.k8s.io", "leases"],
);

const aggregateToView = role(
  "system:aggregate-to-view",
  [
    read,
    ".",
    "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status",
  ],
  [
    read,
    ".",
    "bindings events limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status",
  ],
  [read, ".", "namespaces"],
  [read, "discovery.k8s.io", "endpointslices"],
  [
    read,
    "apps",
    "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
  ],
  [read, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"],
  [read, "batch", "cronjobs cronjobs/status jobs jobs/status"],
  [
    read,
    "extensions",
    "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
  ],
  [read, "policy", "poddisruptionbudgets poddisruptionbudgets/status"],
  [read, "networking.k8s.io", "ingresses ingresses/status networkpolicies"],
);

const systemNode = role(
  "system:node",
  ["create", "authentication.k8s.io", "tokenreviews"],
  ["create", "authorization.k8s.io", "localsubjectaccessreviews subjectaccessreviews"],
  [read, ".", "services"],
  ["create get list watch", ".", "nodes"],
  ["patch update", ".", "nodes/status"],
  ["patch update", ".", "nodes"],
  events,
  [read, ".", "pods"],
  ["create delete", ".", "pods"],
  ["patch update", ".", "pods/status"],
  ["create", ".", "pods/eviction"],
  [read, ".", "configmaps secrets"],
  ["get", ".", "persistentvolumeclaims persistentvolumes"],
  ["get", ".", "endpoints"],
  ["create get list watch", "certificates.k8s.io", "certificatesigningrequests"],
  ["create delete get patch update", "coordination.k8s.io", "leases"],
  ["get", "storage.k8s.io", "volumeattachments"],
  ["create", ".", "serviceaccounts/token"],
  ["get patch update", ".", "persistentvolumeclaims/status"],
  [read, "storage.k8s.io", "csidrivers"],
  ["create delete get patch update", "storage.k8s.io", "csinodes"],
  [read, "node.k8s.io", "runtimeclasses"],
);

/** What all nodes may do alike; the node authorizer narrows it for single kinds. */
export const systemNodeRules: BootstrapClusterRole["rules"] = systemNode.rules;

const scheduler = role(
  "system:kube-scheduler",
  events,
  ["create", "coordination.k8s.io", "leases"],
  ["get update", "coordination.k8s.io", "leases", "kube-scheduler"],
  [read, ".", "nodes"],
  ["delete get list watch", ".", "pods"],
  ["create", ".", "bindings pods/binding"],
  ["patch update", ".", "pods/status"],
  [read, ".", "replicationcontrollers services"],
  [read, "apps extensions", "replicasets"],
  [read, "apps", "statefulsets"],
  [read, "policy", "poddisruptionbudgets"],
  [read, ".", "persistentvolumeclaims persistentvolumes"],
  ...reviews,
  [read, "storage.k8s.io", "csinodes"],
  [read, ".", "namespaces"],
  [read, "storage.k8s.io", "csidrivers"],
  [read, "storage.k8s.io", "csistoragecapacities"],
);

const controllerManager = role(
  "system:kube-controller-manager",
  events,
  ["create", "coordination.k8s.io", "leases"],
  ["get update", "coordination.k8s.io", "leases", "kube-controller-manager"],
  ["create", ".", "secrets serviceaccounts"],
  ["delete", ".", "secrets"],
  ["get", ".", "configmaps namespaces secrets serviceaccounts"],
  ["update", ".", "secrets serviceaccounts"],
  ...reviews,
  ["list watch", "*", "*"],
  ["create", ".", "serviceaccounts/token"],
);

function approver(name: string, signer: string): BootstrapClusterRole {
  return role(`system:certificates.k8s.io:${name}`, ["approve", "certificates.k8s.io", "signers", signer]);
}

function requester(name: string): BootstrapClusterRole {
  const resource = `certificatesigningrequests/${name}`;
  return role(`system:certificates.k8s.io:certificatesigningrequests:${name}`, [
    "create",
    "certificates.k8s.io",
    resource,
  ]);
}

const view: BootstrapClusterRole = {
  name: "view",
  aggregates: true,
  aggregateTo: "edit",
  rules: aggregateToView.rules,
};
const edit: BootstrapClusterRole = {
  name: "edit",
  aggregates: true,
  aggregateTo: "admin",
  rules: [...aggregateToEdit.rules, ...view.rules],
};
const admin: BootstrapClusterRole = {
  name: "admin",
  aggregates: true,
  rules: [...aggregateToAdmin.rules, ...edit.rules],
};

/** Every bootstrap ClusterRole; rules of aggregated ones are filled in already. */
export const bootstrapClusterRoles: readonly BootstrapClusterRole[] = [
  admin,
  {
    name: "cluster-admin",
    rules: [rule(["*", "*", "*"]), { verbs: ["*"], nonResourceURLs: ["*"] }],
  },
  edit,
  { ...aggregateToAdmin, aggregateTo: "admin" },
  { ...aggregateToEdit, aggregateTo: "edit" },
  { ...aggregateToView, aggregateTo: "view" },
  role("system:auth-delegator", ...reviews),
  role(
    "system:basic-user",
    ["create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"],
    ["create", "authentication.k8s.io", "selfsubjectreviews"],
  ),
  requester("nodeclient"),
  requester("selfnodeclient"),
  approver("kube-apiserver-client-approver", "kubernetes.io/kube-apiserver-client"),
  approver("kube-apiserver-client-kubelet-approver", "kubernetes.io/kube-apiserver-client-kubelet"),
  approver("kubelet-serving-approver", "kubernetes.io/kubelet-serving"),
  approver("legacy-unknown-approver", "kubernetes.io/legacy-unknown"),
  {
    name: "system:discovery",
    rules: [
      urls(
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
      ),
    ],
  },
  role("system:kube-aggregator", [read, ".", "endpoints services"]),
  controllerManager,
  role("system:kube-dns", ["list watch", ".", "endpoints services"]),
  scheduler,
  role(
    "system:kubelet-api-admin",
    [read, ".", "nodes"],
    ["proxy", ".", "nodes"],
    ["*", ".", "nodes/log nodes/metrics nodes/proxy nodes/stats"],
  ),
  {
    name: "system:monitoring",
    rules: [
      urls(
        "/healthz",
        "/healthz/*",
        "/livez",
        "/livez/*",
        "/metrics",
        "/metrics/slis",
        "/readyz",
        "/readyz/*",
      ),
    ],
  },
  systemNode,
  role("system:node-bootstrapper", [
    "create get list watch",
    "certificates.k8s.io",
    "certificatesigningrequests",
  ]),
  role("system:node-problem-detector", ["get", ".", "nodes"], ["patch", ".", "nodes/status"], events),
  role("system:node-proxier", ["list watch", ".", "endpoints services"], [read, ".", "nodes"], events, [
    "list watch",
    "discovery.k8s.io",
    "endpointslices",
  ]),
  role(
    "system:persistent-volume-provisioner",
    ["create delete get list watch", ".", "persistentvolumes"],
    ["get list update watch", ".", "persistentvolumeclaims"],
    [read, "storage.k8s.io", "storageclasses"],
    ["watch", ".", "events"],
    events,
  ),
  {
    name: "system:public-info-viewer",
    rules: [urls("/healthz", "/livez", "/readyz", "/version", "/version/")],
  },
  {
    name: "system:service-account-issuer-discovery",
    rules: [urls("/.well-known/openid-configuration", "/openid/v1/jwks")],
  },
  role(
    "system:volume-scheduler",
    ["get list patch update watch", ".", "persistentvolumes"],
    [read, "storage.k8s.io", "storageclasses"],
    ["get list patch update watch", ".", "persistentvolumeclaims"],
  ),
  view,
];

/** Bootstrap ClusterRoleBindings: role of the same name, to groups and users. */
export const bootstrapClusterRoleBindings: readonly {
  readonly name: string;
  readonly groups?: readonly string[];
  readonly users?: readonly string[];
}[] = [
  { name: "cluster-admin", groups: ["system:masters"] },
  { name: "system:basic-user", groups: ["system:authenticated"] },
  { name: "system:discovery", groups: ["system:authenticated"] },
  { name: "system:kube-controller-manager", users: ["system:kube-controller-manager"] },
  { name: "system:kube-dns", users: [] },
  { name: "system:kube-scheduler", users: ["system:kube-scheduler"] },
  { name: "system:monitoring", groups: ["system:monitoring"] },
  // bound to nobody: the node authorizer lets each node see only its own objects
  { name: "system:node", users: [] },
  { name: "system:node-proxier", users: ["system:kube-proxy"] },
  { name: "system:public-info-viewer", groups: ["system:authenticated", "system:unauthenticated"] },
  { name: "system:service-account-issuer-discovery", groups: ["system:serviceaccounts"] },
  { name: "system:volume-scheduler", users: ["system:kube-scheduler"] },
];
