/** Gives services their addresses and ports. Source: kubernetes pkg/registry/core/service/storage (alloc.go). */
import { type DeepReadonly, type FieldError, invalid } from "@bowline/api";
import type { Service, ServicePort, ServiceSpec } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { type Fields, fill, setField } from "../copy-on-write.ts";
import { FieldProblems } from "../field-problems.ts";
import { type ServiceNumbers, addressRange, isInRange, portMax, portMin } from "./service-numbers.ts";

export type ServiceSpecFields = DeepReadonly<ServiceSpec>;
type PortFields = DeepReadonly<ServicePort>;

export function specOf(service: StoredObject): ServiceSpecFields {
  return (service as unknown as DeepReadonly<Service>).spec ?? {};
}

export function needsClusterIp(spec: ServiceSpecFields): boolean {
  return spec.type !== "ExternalName";
}

export function isHeadless(spec: ServiceSpecFields): boolean {
  return spec.clusterIPs?.length === 1 && spec.clusterIPs[0] === "None";
}

/** Whether every port has to have a node port. */
export function needsNodePorts(spec: ServiceSpecFields): boolean {
  if (spec.type === "NodePort") return true;
  return spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false;
}

export function needsHealthCheckPort(spec: ServiceSpecFields): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
}

/**
 * The service with everything allocated that it needs and lacks.
 * @param before the stored one, whose numbers are its own
 * @throws StatusError 422 for what is taken or out of range
 */
export function allocate(
  service: StoredObject,
  before: ServiceSpecFields | undefined,
  numbers: ServiceNumbers,
): StoredObject {
  const problems = new FieldProblems();
  let spec = specOf(service);
  if (needsClusterIp(spec)) {
    spec = withFamilies(problems, spec);
    spec = withClusterIp(problems, spec, before, numbers);
  }
  spec = withNodePorts(problems, spec, before, numbers);
  spec = withHealthCheckPort(problems, spec, before, numbers);
  if (problems.list.length > 0) throw refusal(service, problems.list);
  return setField(service, "spec", spec);
}

function refusal(service: StoredObject, errors: readonly FieldError[]): Error {
  return invalid({ group: "", kind: "Service" }, service.metadata.name ?? "", errors);
}

/** The families of a cluster with IPv4 only; a headless service without selector is for whatever its endpoints are. */
function withFamilies(problems: FieldProblems, given: ServiceSpecFields): ServiceSpecFields {
  const open = given.clusterIPs?.[0] === "None" && Object.keys(given.selector ?? {}).length === 0;
  const spec = fill(given, { ipFamilyPolicy: open ? "RequireDualStack" : "SingleStack" });
  const families = spec.ipFamilies ?? [];
  if (spec.ipFamilyPolicy === "RequireDualStack" && open) {
    const first = families[0] ?? "IPv4";
    return families.length >= 2
      ? spec
      : setField(spec, "ipFamilies", [first, first === "IPv4" ? "IPv6" : "IPv4"]);
  }
  if (spec.ipFamilyPolicy === "RequireDualStack") {
    problems.invalid(
      "spec.ipFamilyPolicy",
      spec.ipFamilyPolicy,
      "this cluster is not configured for dual-stack services",
    );
  }
  families.forEach((family, i) => {
    if (family === "IPv6")
      problems.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster");
  });
  return families.length > 0 ? spec : setField(spec, "ipFamilies", ["IPv4"]);
}

function withClusterIp(
  problems: FieldProblems,
  spec: ServiceSpecFields,
  before: ServiceSpecFields | undefined,
  numbers: ServiceNumbers,
): ServiceSpecFields {
  if (isHeadless(spec)) return spec;
  const asked = spec.clusterIPs?.[0] ?? "";
  if (asked === "") {
    const address = numbers.takeAddress();
    if (address !== undefined) return setField(setField(spec, "clusterIP", address), "clusterIPs", [address]);
    problems.invalid("spec.clusterIPs", [""], "failed to allocate a serviceIP: range is full");
    return spec;
  }
  // others than IPv4 addresses are what validation is about
  if (before?.clusterIPs?.[0] === asked || !/^\d+\.\d+\.\d+\.\d+$/.test(asked)) return spec;
  const why = !isInRange(asked)
    ? `the provided IP (${asked}) is not in the valid range. The range of valid IPs is ${addressRange}`
    : numbers.isAddressTaken(asked)
      ? "provided IP is already allocated"
      : undefined;
  if (why !== undefined)
    problems.invalid("spec.clusterIPs", spec.clusterIPs, `failed to allocate IP ${asked}: ${why}`);
  return spec;
}

function withNodePorts(
  problems: FieldProblems,
  spec: ServiceSpecFields,
  before: ServiceSpecFields | undefined,
  numbers: ServiceNumbers,
): ServiceSpecFields {
  const explicit = spec.ports?.some((port) => (port.nodePort ?? 0) !== 0) === true;
  if (!needsNodePorts(spec) && !(explicit && spec.type === "LoadBalancer")) return spec;
  const own = new Set(before?.ports?.map((port) => port.nodePort ?? 0));
  // one number serves both protocols of a port
  const shared = new Map<number, { port: number; protocols: Set<string> }>();
  const ports = spec.ports?.map((port, i) => {
    const nodePort = port.nodePort ?? 0;
    if (nodePort !== 0) {
      checkPort(problems, `spec.ports[${i}].nodePort`, nodePort, own.has(nodePort), numbers);
      noteShared(shared, port, nodePort);
      return port;
    }
    if (!needsNodePorts(spec)) return port;
    const twin = shared.get(port.port);
    const taken =
      twin !== undefined && !twin.protocols.has(port.protocol ?? "") ? twin.port : numbers.takePort();
    if (taken === undefined) {
      problems.invalid(`spec.ports[${i}].nodePort`, 0, "failed to allocate a nodePort: range is full");
      return port;
    }
    noteShared(shared, port, taken);
    return { ...port, nodePort: taken };
  });
  return ports?.every((port, i) => port === spec.ports?.[i]) ? spec : setField(spec, "ports", ports);
}

function noteShared(
  shared: Map<number, { port: number; protocols: Set<string> }>,
  port: PortFields,
  nodePort: number,
): void {
  const known = shared.get(port.port);
  if (known === undefined)
    shared.set(port.port, { port: nodePort, protocols: new Set([port.protocol ?? ""]) });
  else known.protocols.add(port.protocol ?? "");
}

function checkPort(
  problems: FieldProblems,
  field: string,
  port: number,
  isOwn: boolean,
  numbers: ServiceNumbers,
): void {
  if (isOwn) return;
  if (port < portMin || port > portMax) {
    problems.invalid(
      field,
      port,
      `provided port is not in the valid range. The range of valid ports is ${portMin}-${portMax}`,
    );
  } else if (numbers.isPortTaken(port)) problems.invalid(field, port, "provided port is already allocated");
}

function withHealthCheckPort(
  problems: FieldProblems,
  spec: ServiceSpecFields,
  before: ServiceSpecFields | undefined,
  numbers: ServiceNumbers,
): ServiceSpecFields {
  if (!needsHealthCheckPort(spec)) return spec;
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) return setField(spec, "healthCheckNodePort", numbers.takePort());
  checkPort(problems, "spec.healthCheckNodePort", asked, before?.healthCheckNodePort === asked, numbers);
  return spec;
}

/** An update that leaves out what was allocated keeps it. */
export function keepAllocated(service: StoredObject, before: ServiceSpecFields): StoredObject {
  let spec = specOf(service);
  if (needsClusterIp(before) && needsClusterIp(spec)) {
    if (!spec.clusterIP && (spec.clusterIPs?.length ?? 0) === 0) {
      spec = setField(setField(spec, "clusterIP", before.clusterIP), "clusterIPs", before.clusterIPs);
    }
    for (const field of ["ipFamilies", "ipFamilyPolicy"] as const)
      if (spec[field] === undefined) spec = setField(spec, field, before[field]);
  }
  if (needsNodePorts(before) && needsNodePorts(spec)) {
    const known = new Map(before.ports?.map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
    const used = new Set(spec.ports?.map((port) => port.nodePort ?? 0));
    const ports = spec.ports?.map((port) => {
      const kept = known.get(`${port.protocol}/${port.port}`);
      return (port.nodePort ?? 0) === 0 && kept !== undefined && !used.has(kept)
        ? { ...port, nodePort: kept }
        : port;
    });
    if (ports?.some((port, i) => port !== spec.ports?.[i])) spec = setField(spec, "ports", ports);
  }
  if (needsHealthCheckPort(before) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort)
    spec = setField(spec, "healthCheckNodePort", before.healthCheckNodePort);
  return setField(service, "spec", spec);
}

/** A change of the type drops what only the old type had, where the client left it as it was. */
export function dropTypeDependent(service: StoredObject, before: ServiceSpecFields): StoredObject {
  let spec: Fields = specOf(service) as Fields;
  const now = specOf(service);
  const drop = (field: keyof ServiceSpecFields): void => {
    if (JSON.stringify(now[field]) === JSON.stringify(before[field])) spec = setField(spec, field, undefined);
  };
  if (needsClusterIp(before) && !needsClusterIp(now))
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) drop(field);
  if (canHaveNodePorts(before) && !canHaveNodePorts(now) && sameNodePorts(before, now)) {
    const ports = now.ports?.map((port) => setField(port, "nodePort", undefined));
    spec = setField(spec, "ports", ports);
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(now)) drop("healthCheckNodePort");
  if (before.type === "LoadBalancer" && now.type !== "LoadBalancer")
    for (const field of ["allocateLoadBalancerNodePorts", "loadBalancerClass"] as const) drop(field);
  if (isExternal(before) && !isExternal(now)) drop("externalTrafficPolicy");
  return setField(service, "spec", spec);
}

function canHaveNodePorts(spec: ServiceSpecFields): boolean {
  return spec.type === "NodePort" || spec.type === "LoadBalancer";
}

/** Whether traffic from outside of the cluster reaches it. */
export function isExternal(spec: ServiceSpecFields): boolean {
  return canHaveNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs?.length ?? 0) > 0);
}

function sameNodePorts(before: ServiceSpecFields, now: ServiceSpecFields): boolean {
  const all = new Set(before.ports?.map((port) => port.nodePort ?? 0));
  return now.ports?.every((port) => (port.nodePort ?? 0) === 0 || all.has(port.nodePort ?? 0)) !== false;
}
