/** EndpointSlices of Services. Source: k8s.io/endpointslice (reconciler.go, utils.go), pkg/controller/endpointslice. */
import { type DeepReadonly, jsonEqual } from "@bowline/api";
import { Node, Pod, Service } from "@bowline/api/core/v1";
import { EndpointSlice } from "@bowline/api/discovery/v1";
import { rfc3339 } from "@bowline/client";
import {
  type ControllerDefinition,
  type ReconcileContext,
  changed,
  defineController,
  watch,
} from "@bowline/runtime";
import { byAge, keyOf, managerName } from "../control-plane.ts";
import { type PodState, isPodReady, isPodTerminating } from "../pods/pod-state.ts";
import { SelectorIndex, plainSelector } from "../selector-index.ts";
import { type ResolvedPort, type ServiceState, isReachable, portsOn } from "./service-ports.ts";

type Slice = DeepReadonly<EndpointSlice>;
type Endpoint = NonNullable<Slice["endpoints"]>[number];
type Context = ReconcileContext<Service>;

/** Endpoints in one slice at most. */
const endpointsMax = 100;
const managedBy = "endpointslice-controller.k8s.io";
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

/** Endpoints of pods that serve the same ports. */
interface Group {
  readonly ports: readonly ResolvedPort[];
  readonly endpoints: Endpoint[];
}

export function endpointSliceController(): ControllerDefinition {
  const selectors = new SelectorIndex();
  return defineController(Service, {
    name: "endpointslice-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [EndpointSlice],
    watches: [
      watch(Pod, (pod) => selectors.matching(pod.metadata.namespace ?? "", pod.metadata.labels), {
        predicates: [
          changed((pod) => [
            pod.metadata.labels,
            pod.metadata.deletionTimestamp,
            pod.status,
            pod.spec?.nodeName,
          ]),
        ],
      }),
    ],
    gone: (request) => selectors.forget(request),
    async reconcile(service, ctx) {
      const { selector, type } = service.spec ?? {};
      // without a selector the endpoints are somebody else's
      if (selector === undefined || type === "ExternalName") return selectors.forget(keyOf(service));
      const matcher = selectors.note(keyOf(service), plainSelector(selector));
      const pods = await ctx.list(Pod, {
        namespace: service.metadata.namespace ?? "",
        filter: (pod) => isReachable(pod) && matcher.matches(pod.metadata.labels),
      });
      const groups = await groupsOf(service, pods, ctx);
      const slices = (await ctx.owned(EndpointSlice)).filter(
        (slice) => slice.metadata.deletionTimestamp === undefined,
      );
      await reconcileSlices(service, groups, [...slices].sort(byAge), ctx);
    },
  });
}

async function groupsOf(service: ServiceState, pods: readonly PodState[], ctx: Context): Promise<Group[]> {
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    const ports = portsOn(service, pod);
    const key = JSON.stringify(ports);
    let group = groups.get(key);
    if (group === undefined) groups.set(key, (group = { ports, endpoints: [] }));
    group.endpoints.push(await endpointOf(service, pod, ctx));
  }
  // a Service without pods has one empty slice, which says that there is nothing
  return groups.size === 0 ? [{ ports: [], endpoints: [] }] : [...groups.values()];
}

async function endpointOf(service: ServiceState, pod: PodState, ctx: Context): Promise<Endpoint> {
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const serving = isPodReady(pod);
  const terminating = isPodTerminating(pod);
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const nodeName = pod.spec?.nodeName;
  const node = nodeName === undefined ? undefined : await ctx.get(Node, { name: nodeName });
  const zone = node?.metadata.labels?.["topology.kubernetes.io/zone"];
  const { hostname, subdomain } = pod.spec ?? {};
  const isNamed = hostname !== undefined && subdomain === service.metadata.name;
  return {
    addresses: [pod.status?.podIP ?? ""],
    conditions: { ready, serving, terminating },
    ...hintsOf(service, { ready, nodeName, zone }),
    ...(isNamed ? { hostname } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: "Pod", name, namespace, uid },
    ...(zone === undefined ? {} : { zone }),
  };
}

const closeDistributions: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"]);

/** Whose traffic an endpoint should get. Source: k8s.io/endpointslice/trafficdist. */
function hintsOf(
  { spec }: ServiceState,
  at: { readonly ready: boolean; readonly nodeName: string | undefined; readonly zone: string | undefined },
): Pick<Endpoint, "hints"> {
  const { trafficDistribution = "" } = spec ?? {};
  if (!at.ready || !closeDistributions.has(trafficDistribution)) return {};
  const isSameNode = trafficDistribution === "PreferSameNode" && at.nodeName !== undefined;
  const hints = {
    ...(at.zone === undefined ? {} : { forZones: [{ name: at.zone }] }),
    ...(isSameNode ? { forNodes: [{ name: at.nodeName ?? "" }] } : {}),
  };
  return Object.keys(hints).length === 0 ? {} : { hints };
}

/** Endpoints stay in their slices; new ones fill slices that have room. */
async function reconcileSlices(
  service: ServiceState,
  groups: readonly Group[],
  slices: readonly Slice[],
  ctx: Context,
): Promise<void> {
  const unused = new Set(slices);
  for (const group of groups) {
    const own = slices.filter((slice) => unused.has(slice) && jsonEqual(slice.ports ?? [], group.ports));
    const left = new Map(group.endpoints.map((endpoint) => [endpoint.targetRef?.uid, endpoint]));
    const plans = own.map((slice) => ({ slice: slice as Slice | undefined, endpoints: keep(slice, left) }));
    for (const endpoint of left.values()) {
      let plan = plans.find(({ endpoints }) => endpoints.length < endpointsMax);
      if (plan === undefined) plans.push((plan = { slice: undefined, endpoints: [] }));
      plan.endpoints.push(endpoint);
    }
    if (plans.length === 0) plans.push({ slice: undefined, endpoints: [] });
    const isNeeded = ({ endpoints }: { readonly endpoints: readonly Endpoint[] }, i: number): boolean =>
      endpoints.length > 0 || (i === 0 && group.endpoints.length === 0);
    for (const plan of plans.filter(isNeeded)) {
      if (plan.slice !== undefined) unused.delete(plan.slice);
      await writeSlice(service, group.ports, plan, ctx);
    }
  }
  for (const slice of unused) await ctx.delete(slice);
}

/** Takes the endpoints of a slice that are still wanted out of `left`, in their new state. */
function keep(slice: Slice, left: Map<string | undefined, Endpoint>): Endpoint[] {
  return (slice.endpoints ?? []).flatMap(({ targetRef }) => {
    const endpoint = left.get(targetRef?.uid);
    left.delete(targetRef?.uid);
    return endpoint === undefined ? [] : [endpoint];
  });
}

async function writeSlice(
  service: ServiceState,
  ports: readonly ResolvedPort[],
  { slice, endpoints }: { readonly slice: Slice | undefined; readonly endpoints: readonly Endpoint[] },
  ctx: Context,
): Promise<void> {
  const isHeadless = service.spec?.clusterIP === "None";
  const labels = {
    ...service.metadata.labels,
    "endpointslice.kubernetes.io/managed-by": managedBy,
    "kubernetes.io/service-name": service.metadata.name ?? "",
    ...(isHeadless ? { "service.kubernetes.io/headless": "" } : {}),
  };
  const annotations = { [triggerTime]: rfc3339(ctx.clock.now()) };
  if (slice === undefined) {
    const metadata = {
      generateName: `${service.metadata.name}-`,
      namespace: service.metadata.namespace ?? "",
      labels,
      annotations,
    };
    await ctx.create(EndpointSlice, {
      metadata,
      addressType: "IPv4",
      endpoints: [...endpoints],
      ports: [...ports],
    } as never);
    return;
  }
  if (jsonEqual(slice.endpoints ?? [], endpoints) && jsonEqual(slice.metadata.labels, labels)) return;
  await ctx.patch(EndpointSlice, keyOf(slice), {
    metadata: { labels, annotations },
    endpoints: [...endpoints],
  } as never);
}
