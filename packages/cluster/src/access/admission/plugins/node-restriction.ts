/**
 * What the user of a node may write: its own node, lease and pods, and nothing that would draw work to it.
 * Source: kubernetes plugin/pkg/admission/noderestriction.
 */
import type { DeepReadonly } from "@bowline/api";
import type { Node, Pod } from "@bowline/api/core/v1";
import { readSigningRequest } from "@bowline/runtime";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { same } from "../../../registry/builtin/field-checks.ts";
import { refusal } from "./refusal.ts";

const userPrefix = "system:node:";
const nodesGroup = "system:nodes";
const mirrorAnnotation = "kubernetes.io/config.mirror";

interface Stores {
  readonly pods: Bucket;
  readonly nodes: Bucket;
}

type Check = (request: AdmissionRequest, node: string, stores: Stores) => string | undefined;

export function nodeRestriction(stores: Stores): AdmissionPlugin {
  return {
    name: "NodeRestriction",
    validate(request) {
      const { user, resource } = request;
      if (!user.name.startsWith(userPrefix) || !user.groups.includes(nodesGroup)) return;
      const node = user.name.slice(userPrefix.length);
      const { group, plural } = resource.api;
      const why =
        node === ""
          ? `could not determine node from user ${JSON.stringify(user.name)}`
          : checks[`${group}/${plural}`]?.(request, node, stores);
      if (why !== undefined) throw refusal(request, why);
    },
  };
}

const checks: Readonly<Record<string, Check>> = {
  "/pods": podProblem,
  "/nodes": nodeProblem,
  "/persistentvolumeclaims": ({ subresource }) =>
    subresource === "status" ? undefined : "may only update PVC status",
  "/serviceaccounts": tokenProblem,
  "coordination.k8s.io/leases"({ namespace, name, object }, node) {
    if (namespace !== "kube-node-lease")
      return 'can only access leases in the "kube-node-lease" system namespace';
    return (object?.metadata.name ?? name) === node
      ? undefined
      : "can only access node lease with the same name as the requesting node";
  },
  "storage.k8s.io/csinodes": ({ name, object }, node) =>
    (object?.metadata.name ?? name) === node
      ? undefined
      : "can only access CSINode with the same name as the requesting node",
  "certificates.k8s.io/certificatesigningrequests": requestProblem,
};

const asPod = (object: StoredObject | undefined): DeepReadonly<Pod> =>
  (object ?? { metadata: {} }) as unknown as DeepReadonly<Pod>;

function podProblem(request: AdmissionRequest, node: string, stores: Stores): string | undefined {
  const { subresource, operation, object, oldObject, namespace, name } = request;
  const shown = JSON.stringify(node);
  if (subresource === "status") {
    if (asPod(oldObject).spec?.nodeName !== node)
      return `node ${shown} can only update pod status for pods with spec.nodeName set to itself`;
    return same(object?.metadata.labels, oldObject?.metadata.labels)
      ? undefined
      : `node ${shown} cannot update labels through pod status`;
  }
  if (subresource === "eviction") {
    const pod = asPod(stores.pods.get(`${namespace}/${name}`)?.object);
    return pod.spec?.nodeName === node
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`;
  }
  if (subresource !== "")
    return `unexpected pod subresource ${JSON.stringify(subresource)}, only 'status' and 'eviction' are allowed`;
  if (operation === "CREATE") return mirrorPodProblem(asPod(object), node, stores);
  if (operation === "DELETE") {
    return asPod(oldObject).spec?.nodeName === node
      ? undefined
      : `node ${shown} can only delete pods with spec.nodeName set to itself`;
  }
  return `unexpected operation ${JSON.stringify(operation)}, node ${shown} can only create and delete mirror pods`;
}

function mirrorPodProblem(pod: DeepReadonly<Pod>, node: string, stores: Stores): string | undefined {
  const shown = JSON.stringify(node);
  if (pod.metadata.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have ${JSON.stringify(mirrorAnnotation)} annotation, node ${shown} can only create mirror pods`;
  if (pod.spec?.nodeName !== node)
    return `node ${shown} can only create pods with spec.nodeName set to itself`;
  const [owner, ...more] = pod.metadata.ownerReferences ?? [];
  if (more.length > 0)
    return `node ${shown} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `node ${shown} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node ${shown} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `node ${shown} must not set blockOwnerDeletion on an owner reference`;
  const uid = stores.nodes.get(node)?.object.metadata.uid;
  return uid === owner.uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

const asNode = (object: StoredObject | undefined): DeepReadonly<Node> =>
  (object ?? { metadata: {} }) as unknown as DeepReadonly<Node>;

function nodeProblem(request: AdmissionRequest, node: string): string | undefined {
  const { name, operation } = request;
  const shown = JSON.stringify(node);
  if (name !== node) return `node ${shown} is not allowed to modify node ${JSON.stringify(name)}`;
  const now = asNode(request.object);
  const before = asNode(request.oldObject);
  if (operation === "CREATE") {
    const labels = forbiddenLabels(now.metadata.labels, {});
    return labels === "" ? undefined : `node ${shown} is not allowed to set the following labels: ${labels}`;
  }
  if (operation !== "UPDATE") return undefined;
  if (!same(now.spec?.taints, before.spec?.taints)) return `node ${shown} is not allowed to modify taints`;
  if (!same(now.metadata.ownerReferences, before.metadata.ownerReferences))
    return `node ${shown} is not allowed to modify ownerReferences`;
  const labels = forbiddenLabels(now.metadata.labels, before.metadata.labels);
  return labels === "" ? undefined : `is not allowed to modify labels: ${labels}`;
}

type Labels = Readonly<Record<string, string>>;

/** Labels of Kubernetes that a kubelet sets itself. Source: k8s.io/kubelet pkg/apis/well_known_labels.go. */
const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);

/** The changed labels that a node may not change, sorted. */
function forbiddenLabels(now: Labels = {}, before: Labels = {}): string {
  const keys = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...keys]
    .filter((key) => now[key] !== before[key] && isForbidden(key))
    .sort()
    .join(", ");
}

function isForbidden(label: string): boolean {
  const domain = label.includes("/") ? (label.split("/")[0] ?? "") : "";
  const isIn = (parent: string): boolean => domain === parent || domain.endsWith(`.${parent}`);
  if (isIn("node-restriction.kubernetes.io")) return true;
  if (!isIn("kubernetes.io") && !isIn("k8s.io")) return false;
  return !kubeletLabels.has(label) && !isIn("kubelet.kubernetes.io") && !isIn("node.kubernetes.io");
}

/** Tokens are for the service accounts of pods on the node. */
function tokenProblem(request: AdmissionRequest, node: string, stores: Stores): string | undefined {
  if (request.operation !== "CREATE" || request.subresource !== "token") return undefined;
  const { boundObjectRef: reference } = (request.object?.["spec"] ?? {}) as {
    boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
  };
  if (reference?.kind !== "Pod" || reference.apiVersion !== "v1")
    return "node requested token not bound to a pod";
  if (!reference.uid) return "node requested token with a pod binding without a uid";
  const pod = stores.pods.get(`${request.namespace}/${reference.name}`)?.object;
  if (pod === undefined) return `pods ${JSON.stringify(reference.name)} not found`;
  if (pod.metadata.uid !== reference.uid) {
    return `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  }
  return asPod(pod).spec?.nodeName === node
    ? undefined
    : "node requested token bound to a pod scheduled on a different node";
}

/** A node asks for its own certificates. */
function requestProblem({ object, operation }: AdmissionRequest, node: string): string | undefined {
  if (operation !== "CREATE") return undefined;
  const { signerName = "", request: pem = "" } = (object?.["spec"] ?? {}) as {
    signerName?: string;
    request?: string;
  };
  if (!/^kubernetes\.io\/(kubelet-serving|kube-apiserver-client-kubelet)$/.test(signerName)) return undefined;
  try {
    const { commonName } = readSigningRequest(Buffer.from(pem, "base64").toString()).subject;
    if (commonName === `${userPrefix}${node}`) return undefined;
  } catch (error) {
    return `unable to parse csr: ${(error as Error).message}`;
  }
  return `can only create a node CSR with CN=${userPrefix}${node}`;
}
