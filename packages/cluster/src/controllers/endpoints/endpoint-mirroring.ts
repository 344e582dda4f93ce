/**
 * EndpointSlices of Endpoints that somebody writes by hand, or that an operator writes, for a Service without a selector.
 * Source: kubernetes pkg/controller/endpointslicemirroring (reconciler.go, endpointset.go, utils.go).
 */
import { isIP } from "node:net";
import { type DeepReadonly, jsonEqual } from "@bowline/api";
import { Endpoints, Service } from "@bowline/api/core/v1";
import { EndpointSlice } from "@bowline/api/discovery/v1";
import { type ControllerDefinition, type ReconcileContext, defineController, watch } from "@bowline/runtime";
import { ComponentEvents } from "../component-events.ts";
import { byAge, keyOf, managerName } from "../control-plane.ts";

type EndpointsObject = DeepReadonly<Endpoints>;
type Subset = NonNullable<EndpointsObject["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];
type Slice = DeepReadonly<EndpointSlice>;
type Endpoint = NonNullable<Slice["endpoints"]>[number];
type Context = ReconcileContext<Endpoints>;

/** Addresses of one subset that are mirrored at most. */
const addressesMax = 1000;
const managedBy = "endpointslicemirroring-controller.k8s.io";
const managedByLabel = "endpointslice.kubernetes.io/managed-by";
const skipLabel = "endpointslice.kubernetes.io/skip-mirror";
const leaderAnnotation = "control-plane.alpha.kubernetes.io/leader";
const unmirroredAnnotations: ReadonlySet<string> = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

/** What one slice should have. */
interface Wanted {
  readonly addressType: "IPv4" | "IPv6";
  readonly ports: readonly object[];
  readonly endpoints: Endpoint[];
}

export function endpointMirroringController(): ControllerDefinition {
  const events = new ComponentEvents("endpointslice-mirroring-controller");
  return defineController(Endpoints, {
    name: "endpointslice-mirroring-controller",
    fieldManager: managerName,
    concurrency: 5,
    owns: [EndpointSlice],
    watches: [watch(Service, (service) => keyOf(service))],
    async reconcile(endpoints, ctx) {
      const service = await ctx.get(Service, keyOf(endpoints));
      const isMirrored =
        service !== undefined &&
        service.spec?.selector === undefined &&
        endpoints.metadata.labels?.[skipLabel] !== "true" &&
        endpoints.metadata.annotations?.[leaderAnnotation] === undefined;
      const wanted = isMirrored ? slicesOf(endpoints, ctx, events) : [];
      const slices = (await ctx.owned(EndpointSlice)).filter(
        ({ metadata }) =>
          metadata.deletionTimestamp === undefined && metadata.labels?.[managedByLabel] === managedBy,
      );
      await write(endpoints, wanted, [...slices].sort(byAge), ctx);
    },
  });
}

/** A slice for the addresses of one family that serve the same ports. */
function slicesOf(endpoints: EndpointsObject, ctx: Context, events: ComponentEvents): Wanted[] {
  const wanted = new Map<string, Wanted>();
  let invalidCount = 0;
  let skippedCount = 0;
  for (const subset of endpoints.subsets ?? []) {
    const ports = (subset.ports ?? []).map(({ name = "", ...port }) => ({ name, ...port }));
    const all = [
      ...(subset.addresses ?? []).map((address) => ({ address, isReady: true })),
      ...(subset.notReadyAddresses ?? []).map((address) => ({ address, isReady: false })),
    ];
    const valid = all.filter(({ address }) => isIP(address.ip) !== 0);
    invalidCount += all.length - valid.length;
    skippedCount += Math.max(0, valid.length - addressesMax);
    for (const { address, isReady } of valid.slice(0, addressesMax)) {
      const addressType = isIP(address.ip) === 6 ? "IPv6" : "IPv4";
      const key = JSON.stringify([addressType, ports]);
      const slice = wanted.get(key) ?? { addressType, ports, endpoints: [] };
      wanted.set(key, slice);
      slice.endpoints.push(endpointOf(address, isReady));
    }
  }
  if (invalidCount > 0) {
    const message = `Skipped ${invalidCount} invalid IP addresses when mirroring to EndpointSlices`;
    events.record(ctx, endpoints, { type: "Warning", reason: "InvalidIPAddress", message });
  }
  if (skippedCount > 0) {
    const message = `A max of ${addressesMax} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skippedCount + invalidCount} addresses were skipped`;
    events.record(ctx, endpoints, { type: "Warning", reason: "TooManyAddressesToMirror", message });
  }
  return [...wanted.values()];
}

function endpointOf({ ip, hostname, nodeName, targetRef }: Address, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined || hostname === "" ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}

async function write(
  endpoints: EndpointsObject,
  wanted: readonly Wanted[],
  slices: readonly Slice[],
  ctx: Context,
): Promise<void> {
  const { name = "", namespace = "", labels: own, annotations: said = {} } = endpoints.metadata;
  const labels = { ...own, "kubernetes.io/service-name": name, [managedByLabel]: managedBy };
  const annotations = Object.fromEntries(
    Object.entries(said).filter(([key]) => !unmirroredAnnotations.has(key)),
  );
  const unused = new Set(slices);
  for (const { addressType, ports, endpoints: list } of wanted) {
    const slice = [...unused].find(
      (one) => one.addressType === addressType && jsonEqual(one.ports ?? [], ports as never),
    );
    if (slice === undefined) {
      const metadata = { generateName: `${name}-`, namespace, labels, annotations };
      await ctx.create(EndpointSlice, { metadata, addressType, ports, endpoints: list } as never);
      continue;
    }
    unused.delete(slice);
    const isSame =
      jsonEqual(slice.endpoints ?? [], list) &&
      jsonEqual(slice.metadata.labels ?? {}, labels) &&
      jsonEqual(slice.metadata.annotations ?? {}, annotations);
    if (!isSame)
      await ctx.patch(EndpointSlice, keyOf(slice), {
        metadata: { labels, annotations },
        endpoints: list,
      } as never);
  }
  for (const slice of unused) await ctx.delete(slice);
}
