import { encodeYaml } from "@bowline/api";
import type { KeyPair } from "@bowline/runtime";
import type { ClusterCertificates } from "./cluster-certificates.ts";

/** Name of the cluster, user and context in kubeconfigs. */
const contextName = "bowline";

/** A kubeconfig of one user, with everything inside. It is a secret: write it for its user only (mode 0600). */
export function kubeconfigOf(options: {
  readonly url: string;
  readonly token: string;
  readonly certificates: ClusterCertificates | undefined;
  /** The user's certificate. Default: the administrator's. */
  readonly client?: KeyPair | undefined;
}): string {
  const { url, token, certificates } = options;
  const client = options.client ?? certificates?.admin;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return encodeYaml({
    apiVersion: "v1",
    kind: "Config",
    "current-context": contextName,
    clusters: [
      {
        name: contextName,
        cluster: {
          server: url,
          ...(certificates && {
            "certificate-authority-data": base64(certificates.authority.certificatePem),
          }),
        },
      },
    ],
    users: [
      {
        name: contextName,
        user: client
          ? {
              "client-certificate-data": base64(client.certificatePem),
              "client-key-data": base64(client.keyPem),
            }
          : { token },
      },
    ],
    contexts: [
      { name: contextName, context: { cluster: contextName, user: contextName, namespace: "default" } },
    ],
  });
}
