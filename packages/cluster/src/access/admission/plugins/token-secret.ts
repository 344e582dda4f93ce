/**
 * Secrets of the type that holds a service account's token are filled in as they are made; the real server's controller does
 * it a moment later. Source: kubernetes pkg/controller/serviceaccount (tokens_controller.go).
 */
import type { AdmissionPlugin } from "../../../registry/admission.ts";
import { withMetadata } from "../../../registry/metadata.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import type { ServiceAccountTokens } from "../../service-account-tokens.ts";
import { objectOf } from "./pod-fields.ts";

const accountName = "kubernetes.io/service-account.name";
const accountUid = "kubernetes.io/service-account.uid";

export function tokenSecret(
  accounts: Bucket,
  configMaps: Bucket,
  tokens: ServiceAccountTokens,
): AdmissionPlugin {
  return {
    name: "ServiceAccountTokenSecret",
    mutate(request) {
      const secret = objectOf(request);
      const { resource, operation, namespace, name: secretName } = request;
      if (resource.api.plural !== "secrets" || resource.api.group !== "" || operation !== "CREATE")
        return secret;
      if (secret["type"] !== "kubernetes.io/service-account-token") return secret;
      const name = secret.metadata.annotations?.[accountName] ?? "";
      const uid = accounts.get(`${namespace}/${name}`)?.object.metadata.uid;
      const data = (secret["data"] ?? {}) as Readonly<Record<string, string>>;
      if (uid === undefined || data["token"] !== undefined || secretName === "") return secret;
      const authority = configMaps.get(`${namespace}/kube-root-ca.crt`)?.object["data"] as
        | Record<string, string>
        | undefined;
      const base64 = (text: string): string => Buffer.from(text).toString("base64");
      const filled = {
        ...data,
        ...(authority?.["ca.crt"] === undefined ? {} : { "ca.crt": base64(authority["ca.crt"]) }),
        namespace: base64(namespace),
        token: base64(tokens.issueForSecret({ namespace, name, uid }, secretName)),
      };
      const annotations = { ...secret.metadata.annotations, [accountUid]: uid };
      return withMetadata({ ...secret, data: filled } as StoredObject, { annotations });
    },
  };
}
