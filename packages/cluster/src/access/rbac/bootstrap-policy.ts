/** Puts the roles and bindings that every cluster has into its store. Source: kubernetes pkg/registry/rbac/rest (storage_rbac.go). */
import { deepFreeze } from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { Bucket } from "../../store/bucket.ts";
import type { StoredObject } from "../../store/revision.ts";
import type { Store } from "../../store/store.ts";
import { bootstrapClusterRoleBindings, bootstrapClusterRoles } from "./bootstrap-cluster-roles.ts";

const apiGroup = "rbac.authorization.k8s.io";
const apiVersion = `${apiGroup}/v1`;

/** Parts that all clusters of a process share, frozen once. */
const annotations = deepFreeze({ "rbac.authorization.kubernetes.io/autoupdate": "true" });
const labels = deepFreeze({ "kubernetes.io/bootstrapping": "rbac-defaults" });

interface Body {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Without names of one cluster: made on first need and shared by the clusters of a process. */
let bodies: { readonly roles: readonly Body[]; readonly bindings: readonly Body[] } | undefined;

function aggregationLabel(role: string): string {
  return `${apiGroup}/aggregate-to-${role}`;
}

function makeBodies(): NonNullable<typeof bodies> {
  const roles = bootstrapClusterRoles.map(({ name, rules, aggregates, aggregateTo }): Body => {
    const selectors = [{ matchLabels: { [aggregationLabel(name)]: "true" } }];
    return {
      name,
      labels: aggregateTo === undefined ? labels : { ...labels, [aggregationLabel(aggregateTo)]: "true" },
      rest: { ...(aggregates ? { aggregationRule: { clusterRoleSelectors: selectors } } : {}), rules },
    };
  });
  const bindings = bootstrapClusterRoleBindings.map(({ name, groups = [], users = [] }): Body => {
    const subjects = [
      ...groups.map((group) => ({ apiGroup, kind: "Group", name: group })),
      ...users.map((user) => ({ apiGroup, kind: "User", name: user })),
    ];
    const roleRef = { apiGroup, kind: "ClusterRole", name };
    return {
      name,
      labels,
      rest:
        name === "system:kube-dns"
          ? { roleRef, subjects: [{ kind: "ServiceAccount", name: "kube-dns", namespace: "kube-system" }] }
          : { roleRef, subjects },
    };
  });
  return deepFreeze({ roles, bindings }) as NonNullable<typeof bodies>;
}

/** Creates what is missing, straight in the store: some 40 objects that share all but their metadata. */
export function bootstrapPolicy(store: Store, ports: { now: () => number; uuid: () => string }): void {
  bodies ??= makeBodies();
  const creationTimestamp = rfc3339(ports.now());
  const put = (bucket: Bucket, kind: string, body: Body): void => {
    if (bucket.get(body.name) !== undefined) return;
    bucket.put(body.name, undefined, (resourceVersion) => {
      const metadata = Object.freeze({
        annotations,
        creationTimestamp,
        labels: body.labels,
        name: body.name,
        resourceVersion,
        uid: ports.uuid(),
      });
      return Object.freeze({ apiVersion, kind, metadata, ...body.rest }) as unknown as StoredObject;
    });
  };
  const roles = store.bucket(`${apiGroup}/clusterroles`);
  const bindings = store.bucket(`${apiGroup}/clusterrolebindings`);
  for (const body of bodies.roles) put(roles, "ClusterRole", body);
  for (const body of bodies.bindings) put(bindings, "ClusterRoleBinding", body);
}
