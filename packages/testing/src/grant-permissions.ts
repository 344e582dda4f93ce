import { ServiceAccount } from "@bowline/api/core/v1";
import { ClusterRole, ClusterRoleBinding } from "@bowline/api/rbac/v1";
import type { Client } from "@bowline/client";
import { type UserInfo, serviceAccountUser } from "@bowline/cluster";
import type { Permission } from "@bowline/runtime";

const namespace = "default";

/**
 * Makes a service account that may do what a list of permissions says and nothing else, as `deploy` does for an operator.
 * @returns the user to make requests as
 */
export async function grantPermissions(
  client: Client,
  name: string,
  permissions: readonly Permission[],
): Promise<UserInfo> {
  const options = { fieldManager: "bowline", force: true };
  const account = await client.apply(ServiceAccount, { metadata: { name, namespace } }, options);
  await client.apply(ClusterRole, { metadata: { name }, rules: permissions as never }, options);
  await client.apply(
    ClusterRoleBinding,
    {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
    options,
  );
  return serviceAccountUser(namespace, name, account.metadata.uid);
}
