/** How much of a quota objects use. Source: kubernetes pkg/quota/v1/evaluator/core, apiserver pkg/quota/v1/generic. */
import { type Quantity, parseQuantity } from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import { podSpec } from "./pod-fields.ts";
import { type ResourceList, podResources, resourceList } from "./resource-list.ts";

const one: Quantity = parseQuantity("1");

/** Kinds with short names of their own beside `count/KIND.GROUP`. */
const named: ReadonlySet<string> = new Set([
  "/configmaps",
  "/persistentvolumeclaims",
  "/replicationcontrollers",
  "/resourcequotas",
  "/secrets",
  "/services",
]);

/** Name under which objects of a resource are counted: `count/deployments.apps`, `count/pods`. */
export function countName(group: string, plural: string): string {
  return `count/${plural}${group === "" ? "" : `.${group}`}`;
}

/** What one object uses, by the names that quotas have for it. `kind` is `group/plural`. */
export function usageOf(kind: string, object: StoredObject): ResourceList {
  const slash = kind.indexOf("/");
  const usage = new Map([[countName(kind.slice(0, slash), kind.slice(slash + 1)), one]]);
  if (named.has(kind)) usage.set(kind.slice(1), one);
  switch (kind) {
    case "/pods":
      addPod(usage, object);
      break;
    case "/services":
      addService(usage, object);
      break;
    case "/persistentvolumeclaims":
      addClaim(usage, object);
      break;
    default:
  }
  return usage;
}

/** A pod that has ended uses nothing but its place among the objects. */
export function podHasEnded(pod: StoredObject): boolean {
  const { phase } = (pod["status"] ?? {}) as { phase?: string };
  return phase === "Failed" || phase === "Succeeded";
}

function addPod(usage: Map<string, Quantity>, pod: StoredObject): void {
  if (podHasEnded(pod)) return;
  const spec = podSpec(pod);
  usage.set("pods", one);
  for (const [name, amount] of podResources(spec, "requests")) {
    usage.set(`requests.${name}`, amount);
    if (!name.includes("/")) usage.set(name, amount);
  }
  for (const [name, amount] of podResources(spec, "limits")) usage.set(`limits.${name}`, amount);
}

function addService(usage: Map<string, Quantity>, service: StoredObject): void {
  const spec = (service["spec"] ?? {}) as {
    type?: string;
    ports?: readonly unknown[];
    allocateLoadBalancerNodePorts?: boolean;
  };
  const ports = parseQuantity(String(spec.ports?.length ?? 0));
  if (spec.type === "NodePort") usage.set("services.nodeports", ports);
  if (spec.type === "LoadBalancer") {
    usage.set("services.loadbalancers", one);
    if (spec.allocateLoadBalancerNodePorts !== false) usage.set("services.nodeports", ports);
  }
}

function addClaim(usage: Map<string, Quantity>, claim: StoredObject): void {
  const spec = (claim["spec"] ?? {}) as { storageClassName?: string; resources?: { requests?: unknown } };
  const storage = resourceList(spec.resources?.requests).get("storage");
  if (storage !== undefined) usage.set("requests.storage", storage);
  const { storageClassName: name = "" } = spec;
  if (name === "") return;
  const prefix = `${name}.storageclass.storage.k8s.io/`;
  usage.set(`${prefix}persistentvolumeclaims`, one);
  if (storage !== undefined) usage.set(`${prefix}requests.storage`, storage);
}

/** Of which kind (`group/plural`) objects must be counted for a name in a quota; undefined for a name of nothing. */
export function kindCounted(name: string): string | undefined {
  if (name.startsWith("count/")) {
    const [plural = "", ...group] = name.slice("count/".length).split(".");
    return `${group.join(".")}/${plural}`;
  }
  if (name.startsWith("services.")) return "/services";
  if (name === "requests.storage" || name.includes(".storageclass.storage.k8s.io/"))
    return "/persistentvolumeclaims";
  return named.has(`/${name}`) ? `/${name}` : "/pods";
}

/** Whether a pod is within the scopes of a quota. Source: kubernetes pkg/quota/v1/evaluator/core (pods.go podMatchesScopeFunc). */
export function podInScopes(
  pod: StoredObject,
  selector: readonly {
    readonly scopeName: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[],
): boolean {
  const spec = podSpec(pod);
  return selector.every(({ scopeName, operator = "Exists", values = [] }) => {
    switch (scopeName) {
      case "Terminating":
        return spec.activeDeadlineSeconds !== undefined && spec.activeDeadlineSeconds !== null;
      case "NotTerminating":
        return spec.activeDeadlineSeconds === undefined || spec.activeDeadlineSeconds === null;
      case "BestEffort":
        return isBestEffort(pod);
      case "NotBestEffort":
        return !isBestEffort(pod);
      case "PriorityClass": {
        const name = spec.priorityClassName ?? "";
        if (operator === "In") return values.includes(name);
        if (operator === "NotIn") return !values.includes(name);
        return (name !== "") === (operator === "Exists");
      }
      case "CrossNamespacePodAffinity":
        return JSON.stringify(spec.affinity ?? {}).includes('"namespace');
      default:
        return false;
    }
  });
}

function isBestEffort(pod: StoredObject): boolean {
  const spec = podSpec(pod);
  const amounts = [...podResources(spec, "requests").keys(), ...podResources(spec, "limits").keys()];
  return !amounts.some((name) => name === "cpu" || name === "memory");
}
