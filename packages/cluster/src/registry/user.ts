/** Who sends a request. Source: authentication/v1 UserInfo. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The administrator that the cluster's own kubeconfig speaks as. */
export const adminUser: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Who sends a request without credentials. */
export const anonymousUser: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };
