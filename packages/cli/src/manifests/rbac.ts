/** ServiceAccount, roles and bindings of an operator. */
import { type Permission, operatorPermissions } from "@bowline/runtime";
import {
  type DeploymentModel,
  type Manifest,
  admissionsOf,
  conversionsOf,
  hasWebhooks,
  labelsOf,
  nameOf,
} from "./model.ts";

const rbac = "rbac.authorization.k8s.io";

/** A manifest and the name of the file that it is kept in. */
export interface NamedManifest {
  readonly file: string;
  readonly manifest: Manifest;
}

/** In the order in which they are applied. */
export function rbacManifests(model: DeploymentModel): NamedManifest[] {
  return [
    { file: "service_account.yaml", manifest: serviceAccount(model) },
    ...roleWithBinding(model, {
      file: "role",
      binding: "role_binding",
      name: "manager-role",
      rules: managerRules(model),
      namespaced: model.namespaced,
    }),
    ...roleWithBinding(model, {
      file: "leader_election_role",
      binding: "leader_election_role_binding",
      name: "leader-election-role",
      rules: leaderElectionRules,
      namespaced: true,
    }),
    ...webhookRoles(model),
    ...roleWithBinding(model, {
      file: "metrics_auth_role",
      binding: "metrics_auth_role_binding",
      name: "metrics-auth-role",
      rules: metricsAuthRules,
      namespaced: false,
    }),
    { file: "metrics_reader_role.yaml", manifest: role(model, "metrics-reader", metricsReaderRules, false) },
    ...userRoles(model),
  ];
}

/** What the manager may do while it works. */
export function managerRules(model: DeploymentModel): Permission[] {
  return operatorPermissions(model.operator);
}

const leaderElectionRules: Permission[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get", "patch", "update"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];

const metricsAuthRules: Permission[] = [
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
];

const metricsReaderRules: Permission[] = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];

/** Without cert-manager the manager keeps its certificate in a Secret and tells the API server whom to call. */
function webhookRoles(model: DeploymentModel): NamedManifest[] {
  const { operator } = model;
  if (!hasWebhooks(operator) || model.certManager) return [];
  const secrets: Permission[] = [
    { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
    {
      apiGroups: [""],
      resources: ["secrets"],
      verbs: ["get", "update"],
      resourceNames: [`${operator.name}-webhook-certificate`],
    },
  ];
  const configurations: Permission[] = [
    ...configurationRules(model, "mutatingwebhookconfigurations", "mutating"),
    ...configurationRules(model, "validatingwebhookconfigurations", "validating"),
    ...conversionsOf(operator).map((conversion) => ({
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions"],
      verbs: ["get", "patch"],
      resourceNames: [`${conversion.kind.plural}.${conversion.kind.group}`],
    })),
  ];
  return [
    ...roleWithBinding(model, {
      file: "webhook_certificate_role",
      binding: "webhook_certificate_role_binding",
      name: "webhook-certificate-role",
      rules: secrets,
      namespaced: true,
    }),
    ...roleWithBinding(model, {
      file: "webhook_registration_role",
      binding: "webhook_registration_role_binding",
      name: "webhook-registration-role",
      rules: configurations,
      namespaced: false,
    }),
  ];
}

function configurationRules(
  model: DeploymentModel,
  resource: string,
  kind: "mutating" | "validating",
): Permission[] {
  const field = kind === "mutating" ? "mutatePath" : "validatePath";
  if (!admissionsOf(model.operator).some((webhook) => webhook[field] !== undefined)) return [];
  const group = { apiGroups: ["admissionregistration.k8s.io"], resources: [resource] };
  return [
    { ...group, verbs: ["create"] },
    { ...group, verbs: ["get", "patch"], resourceNames: [`${model.operator.name}-${kind}`] },
  ];
}

/** Roles for people: to be bound by whoever runs the cluster. */
function userRoles(model: DeploymentModel): NamedManifest[] {
  const kinds = model.operator.kinds
    .map((kind) => ("versions" in kind ? kind.versions[0] : kind))
    .filter((kind) => kind !== undefined);
  return kinds.flatMap((kind) =>
    (["admin", "editor", "viewer"] as const).map((who) => {
      const name = `${kind.kind.toLowerCase()}-${who}-role`;
      const verbs = {
        admin: ["*"],
        editor: ["create", "delete", "get", "list", "patch", "update", "watch"],
        viewer: ["get", "list", "watch"],
      }[who];
      const rules = [
        { apiGroups: [kind.group], resources: [kind.plural], verbs },
        { apiGroups: [kind.group], resources: [`${kind.plural}/status`], verbs: ["get"] },
      ];
      return {
        file: `${kind.kind.toLowerCase()}_${who}_role.yaml`,
        manifest: role(model, name, rules, false),
      };
    }),
  );
}

function serviceAccount(model: DeploymentModel): Manifest {
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: {
      name: nameOf(model, "controller-manager"),
      namespace: model.namespace,
      labels: labelsOf(model),
    },
  };
}

function roleWithBinding(
  model: DeploymentModel,
  parts: { file: string; binding: string; name: string; rules: Permission[]; namespaced: boolean },
): NamedManifest[] {
  const { file, binding, name, rules, namespaced } = parts;
  const bindingName = name.replace(/-role$/, "-rolebinding");
  return [
    { file: `${file}.yaml`, manifest: role(model, name, rules, namespaced) },
    {
      file: `${binding}.yaml`,
      manifest: {
        apiVersion: `${rbac}/v1`,
        kind: namespaced ? "RoleBinding" : "ClusterRoleBinding",
        metadata: metadata(model, bindingName, namespaced),
        roleRef: { apiGroup: rbac, kind: namespaced ? "Role" : "ClusterRole", name: nameOf(model, name) },
        subjects: [
          { kind: "ServiceAccount", name: nameOf(model, "controller-manager"), namespace: model.namespace },
        ],
      },
    },
  ];
}

function role(
  model: DeploymentModel,
  name: string,
  rules: readonly Permission[],
  namespaced: boolean,
): Manifest {
  return {
    apiVersion: `${rbac}/v1`,
    kind: namespaced ? "Role" : "ClusterRole",
    metadata: metadata(model, name, namespaced),
    rules,
  };
}

function metadata(model: DeploymentModel, name: string, namespaced: boolean): Manifest["metadata"] {
  return {
    name: nameOf(model, name),
    ...(namespaced ? { namespace: model.namespace } : {}),
    labels: labelsOf(model),
  };
}
