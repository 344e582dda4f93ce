/** Endpoints of Services, the older form. Source: kubernetes pkg/controller/endpoint (endpoints_controller.go). */
import { jsonEqual } from "@bowline/api";
import { Endpoints, Pod, Service } from "@bowline/api/core/v1";
import { rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
  watch,
} from "@bowline/runtime";
import { keyOf, managerName } from "../control-plane.ts";
import { type PodState, isPodReady, isPodTerminating } from "../pods/pod-state.ts";
import { SelectorIndex, plainSelector } from "../selector-index.ts";
import { type ResolvedPort, type ServiceState, isReachable, portsOn } from "./service-ports.ts";

type Context = ReconcileContext<Service>;

/** More addresses than this are left out, and the object says so. */
const addressesMax = 1000;
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";
const overCapacity = "endpoints.kubernetes.io/over-capacity";

export function endpointsController(): ControllerDefinition {
  const selectors = new SelectorIndex();
  return defineController(Service, {
    name: "endpoint-controller",
    fieldManager: managerName,
    concurrency: 5,
    watches: [
      watch(Pod, (pod) => selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels), {
        predicates: [changed((pod) => [pod.metadata.labels, pod.metadata.deletionTimestamp, pod.status])],
      }),
      watch(
        Endpoints,
        ({ metadata }) => ({ namespace: metadata.namespace ?? "", name: metadata.name ?? "" }),
        {
          predicates: [({ type }) => type === "deleted"],
        },
      ),
    ],
    async gone(request, ctx) {
      selectors.forget(request);
      await ctx.delete(Endpoints, request);
    },
    async reconcile(service, ctx) {
      const { selector, type } = service.spec ?? {};
      if (selector === undefined || type === "ExternalName") return selectors.forget(keyOf(service));
      const matcher = selectors.note(keyOf(service), plainSelector(selector));
      const isUnready = service.spec?.publishNotReadyAddresses === true;
      const pods = await ctx.list(Pod, {
        namespace: service.metadata.namespace ?? "",
        filter: (pod) =>
          isReachable(pod) && matcher.matches(pod.metadata.labels) && (isUnready || !isPodTerminating(pod)),
      });
      await write(service, pods, ctx);
    },
  });
}

async function write(service: ServiceState, pods: readonly PodState[], ctx: Context): Promise<void> {
  const subsets = subsetsOf(service, pods.slice(0, addressesMax));
  const isHeadless = service.spec?.clusterIP === "None";
  const labels = {
    ...service.metadata.labels,
    "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    ...(isHeadless ? { "service.kubernetes.io/headless": "" } : {}),
  };
  const key = keyOf(service);
  const found = await ctx.get(Endpoints, key);
  const isSame =
    found !== undefined &&
    jsonEqual(found.subsets ?? [], subsets) &&
    jsonEqual(found.metadata.labels, labels);
  if (isSame) return;
  const annotations = {
    [triggerTime]: rfc3339(ctx.clock.now()),
    ...(pods.length > addressesMax ? { [overCapacity]: "truncated" } : {}),
  };
  if (found === undefined)
    await ctx.create(Endpoints, { metadata: { ...key, labels, annotations }, subsets } as never, {
      owner: false,
    });
  else
    await ctx.patch(Endpoints, key, {
      metadata: { labels, annotations },
      subsets: subsets.length > 0 ? subsets : null,
    } as never);
}

interface Subset {
  addresses?: object[];
  notReadyAddresses?: object[];
  ports?: readonly ResolvedPort[];
}

/** Addresses by the ports that they serve. */
function subsetsOf(service: ServiceState, pods: readonly PodState[]): Subset[] {
  const byPorts = new Map<string, Subset>();
  for (const pod of pods) {
    const ports = portsOn(service, pod);
    if (ports.length === 0 && (service.spec?.ports?.length ?? 0) > 0) continue;
    const key = JSON.stringify(ports);
    let subset = byPorts.get(key);
    if (subset === undefined) byPorts.set(key, (subset = ports.length > 0 ? { ports } : {}));
    const isUp = service.spec?.publishNotReadyAddresses === true || isPodReady(pod);
    const list = isUp ? (subset.addresses ??= []) : (subset.notReadyAddresses ??= []);
    list.push(addressOf(service, pod));
  }
  return Array.from(byPorts.values(), ({ addresses, notReadyAddresses, ports }) => ({
    ...(addresses === undefined ? {} : { addresses }),
    ...(notReadyAddresses === undefined ? {} : { notReadyAddresses }),
    ...(ports === undefined
      ? {}
      : { ports: ports.map(({ name, ...port }) => (name === "" ? port : { name, ...port })) }),
  })) as Subset[];
}

function addressOf(service: ServiceState, pod: PodState): object {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  return {
    ip: pod.status?.podIP ?? "",
    ...(hostname !== undefined && subdomain === service.metadata.name ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
  };
}
