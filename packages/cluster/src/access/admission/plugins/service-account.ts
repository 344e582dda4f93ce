/** Every pod runs as a service account and gets its token. Source: kubernetes plugin/pkg/admission/serviceaccount. */
import { generatedName } from "@bowline/api";
import type { Random } from "@bowline/client";
import type { AdmissionPlugin } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { type AnyContainer, isPod, objectOf, podSpec, withSpec } from "./pod-fields.ts";
import { refusal } from "./refusal.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const volumePrefix = "kube-api-access-";
/** Seconds; the odd seven tell these tokens from those that somebody asked for. */
const expirationSeconds = 3607;

interface ServiceAccount {
  readonly automountServiceAccountToken?: boolean;
  readonly imagePullSecrets?: readonly unknown[];
}

export function serviceAccount(
  accounts: Bucket,
  { random, isActive }: { readonly random: Random; readonly isActive: () => boolean },
): AdmissionPlugin {
  return {
    name: "ServiceAccount",
    mutate(request) {
      const pod = objectOf(request);
      if (!isPod(request) || request.operation !== "CREATE" || !isActive()) return pod;
      // a mirror of a pod that a node runs by itself has no account
      if (pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined) return pod;
      const { serviceAccountName = "" } = podSpec(pod);
      const name = serviceAccountName === "" ? "default" : serviceAccountName;
      const account = accounts.get(`${request.namespace}/${name}`)?.object as ServiceAccount | undefined;
      // the default account comes with the namespace, a moment later
      if (account === undefined && name !== "default") {
        const why = `error looking up service account ${request.namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
        throw refusal(request, why);
      }
      return withAccount(pod, { name, account: account ?? {}, random });
    },
  };
}

function withAccount(
  pod: StoredObject,
  given: { readonly name: string; readonly account: ServiceAccount; readonly random: Random },
): StoredObject {
  const { name, account, random } = given;
  const spec = podSpec(pod);
  const named = withSpec(pod, {
    serviceAccountName: name,
    serviceAccount: name,
    ...((spec.imagePullSecrets ?? []).length === 0 && (account.imagePullSecrets ?? []).length > 0
      ? { imagePullSecrets: account.imagePullSecrets }
      : {}),
  });
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  return automount ? withToken(named, random) : named;
}

/** The pod with a projected volume of token, authority and namespace, mounted in every container that has none there. */
function withToken(pod: StoredObject, random: Random): StoredObject {
  const spec = podSpec(pod);
  const existing = (spec.volumes ?? []).find((volume) => volume.name.startsWith(volumePrefix));
  const name = existing?.name ?? generatedName(volumePrefix, random);
  let mounted = false;
  const withMount = (container: AnyContainer): AnyContainer => {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) return container;
    mounted = true;
    return { ...container, volumeMounts: [...mounts, { mountPath, name, readOnly: true }] } as AnyContainer;
  };
  const initContainers = spec.initContainers?.map(withMount);
  const containers = spec.containers.map(withMount);
  if (!mounted) return pod;
  return withSpec(pod, {
    containers,
    ...(initContainers === undefined ? {} : { initContainers }),
    ...(existing === undefined ? { volumes: [...(spec.volumes ?? []), tokenVolume(name)] } : {}),
  });
}

function tokenVolume(name: string): object {
  const namespaceFile = {
    fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" },
    path: "namespace",
  };
  return {
    name,
    projected: {
      defaultMode: 420,
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { items: [{ key: "ca.crt", path: "ca.crt" }], name: "kube-root-ca.crt" } },
        { downwardAPI: { items: [namespaceFile] } },
      ],
    },
  };
}
