import type { Endpoints, LoadBalancerIngress, Service } from "../../builtin/core/v1.ts";
import type { EndpointSlice } from "../../builtin/discovery/v1.ts";
import type {
  IPAddress,
  Ingress,
  IngressClass,
  NetworkPolicy,
  ServiceCIDR,
} from "../../builtin/networking/v1.ts";
import type { DeepReadonly } from "../../object/object.ts";
import { ageColumn, column, nameColumn, printerOf } from "../column.ts";
import { ageSince } from "../human-duration.ts";
import type { TablePrinter } from "../table.ts";
import { labelsText, orElse, selectorColumn, selectorText, someOf } from "./text.ts";

const service: TablePrinter = printerOf<Service>(
  [
    nameColumn,
    column("Type", "string", "How the service can be reached."),
    column("Cluster-IP", "string", "Its address inside the cluster."),
    column("External-IP", "string", "Its addresses outside of the cluster."),
    column("Port(s)", "string", "Its ports, with the nodes' port if there is one."),
    ageColumn,
    selectorColumn,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.spec?.type ?? "",
    object.spec?.clusterIPs?.[0] ?? "<none>",
    externalAddresses(object),
    orElse(servicePorts(object), "<none>"),
    ageSince(object.metadata.creationTimestamp, nowMs),
    labelsText(object.spec?.selector),
  ],
);

function externalAddresses({ spec, status }: DeepReadonly<Service>): string {
  const external = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orElse(external.join(","), "<none>");
    case "LoadBalancer":
      return orElse([...loadBalancers(status?.loadBalancer?.ingress), ...external].join(","), "<pending>");
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function loadBalancers(ingress: readonly DeepReadonly<LoadBalancerIngress>[] | undefined): string[] {
  const addresses = (ingress ?? []).map(({ ip, hostname }) => orElse(ip, hostname ?? ""));
  return [...new Set(addresses.filter((address) => address !== ""))].sort();
}

function servicePorts({ spec }: DeepReadonly<Service>): string {
  const text = (port: number, nodePort: number): string =>
    nodePort > 0 ? `${port}:${nodePort}` : String(port);
  return (spec?.ports ?? []).map((p) => `${text(p.port, p.nodePort ?? 0)}/${p.protocol ?? ""}`).join(",");
}

const endpoints: TablePrinter = printerOf<Endpoints>(
  [nameColumn, column("Endpoints", "string", "Addresses and ports behind the service."), ageColumn],
  (object, nowMs) => [
    object.metadata.name ?? "",
    endpointsText(object),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

function endpointsText({ subsets }: DeepReadonly<Endpoints>): string {
  if (subsets === undefined || subsets.length === 0) return "<none>";
  const addresses = subsets.flatMap((subset) => {
    const ips = (subset.addresses ?? []).map((address) => address.ip);
    const ports = subset.ports ?? [];
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
  });
  return someOf(addresses, 3);
}

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

const endpointSlice: TablePrinter = printerOf<EndpointSlice>(
  [
    nameColumn,
    column("AddressType", "string", "The form of the addresses."),
    column("Ports", "string", "Ports of every endpoint."),
    column("Endpoints", "string", "Addresses of the endpoints."),
    ageColumn,
  ],
  (object, nowMs) => [
    object.metadata.name ?? "",
    object.addressType,
    orElse(
      someOf(
        (object.ports ?? []).map((port) => String(port.port ?? port.name ?? "*")),
        3,
      ),
      "<unset>",
    ),
    orElse(
      someOf(
        (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []),
        3,
      ),
      "<unset>",
    ),
    ageSince(object.metadata.creationTimestamp, nowMs),
  ],
);

const ingress: TablePrinter = printerOf<Ingress>(
  [
    nameColumn,
    column("Class", "string", "The class that says which controller serves it."),
    column("Hosts", "string", "Hosts that its rules are for."),
    column("Address", "string", "Addresses of the load balancer."),
    column("Ports", "string", "Ports that are open."),
    ageColumn,
  ],
  ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? "",
    spec?.ingressClassName ?? "<none>",
    hosts(spec?.rules?.map((rule) => rule.host ?? "") ?? []),
    loadBalancers(status?.loadBalancer?.ingress as Parameters<typeof loadBalancers>[0]).join(","),
    (spec?.tls?.length ?? 0) > 0 ? "80, 443" : "80",
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

/** Rules without a host are not shown, but they count once three hosts are. */
function hosts(all: readonly string[]): string {
  const shown: string[] = [];
  let more = false;
  for (const host of all) {
    if (shown.length === 3) more = true;
    else if (host !== "") shown.push(host);
  }
  if (shown.length === 0) return "*";
  return more ? `${shown.join(",")} + ${all.length - 3} more...` : shown.join(",");
}

const ingressClass: TablePrinter = printerOf<IngressClass>(
  [
    nameColumn,
    column("Controller", "string", "The controller that serves the class."),
    column("Parameters", "string", "The object that holds more configuration."),
    ageColumn,
  ],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    spec?.controller ?? "",
    ingressParameters(spec?.parameters),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

function ingressParameters(reference: NonNullable<DeepReadonly<IngressClass>["spec"]>["parameters"]): string {
  if (reference === undefined) return "<none>";
  const group = reference.apiGroup === undefined ? "" : `.${reference.apiGroup}`;
  return `${reference.kind}${group}/${reference.name}`;
}

const networkPolicy: TablePrinter = printerOf<NetworkPolicy>(
  [nameColumn, column("Pod-Selector", "string", "The pods that the policy is for."), ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    selectorText(spec?.podSelector ?? {}),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

const serviceCidr: TablePrinter = printerOf<ServiceCIDR>(
  [nameColumn, column("CIDRs", "string", "Ranges that addresses of services are taken from."), ageColumn],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    (spec?.cidrs ?? []).join(","),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

/** The age is a cell without a column, as on the real server. */
const ipAddress: TablePrinter = printerOf<IPAddress>(
  [nameColumn, column("ParentRef", "string", "The object that has the address.")],
  ({ metadata, spec }, nowMs) => [
    metadata.name ?? "",
    parentText(spec?.parentRef),
    ageSince(metadata.creationTimestamp, nowMs),
  ],
);

function parentText(parent: NonNullable<DeepReadonly<IPAddress>["spec"]>["parentRef"] | undefined): string {
  if (parent === undefined) return "<none>";
  const group = parent.group === undefined || parent.group === "" ? "" : `.${parent.group}`;
  const namespace = parent.namespace === undefined || parent.namespace === "" ? "" : `/${parent.namespace}`;
  return `${`${parent.resource}${group}`.toLowerCase()}${namespace}/${parent.name}`;
}

/** By group and kind. Source of columns and cells: kubernetes pkg/printers/internalversion (printers.go). */
export const networkPrinters: Readonly<Record<string, TablePrinter>> = {
  "/Endpoints": endpoints,
  "/Service": service,
  "discovery.k8s.io/EndpointSlice": endpointSlice,
  "networking.k8s.io/IPAddress": ipAddress,
  "networking.k8s.io/Ingress": ingress,
  "networking.k8s.io/IngressClass": ingressClass,
  "networking.k8s.io/NetworkPolicy": networkPolicy,
  "networking.k8s.io/ServiceCIDR": serviceCidr,
};
