/** Services. Source: kubernetes pkg/apis/core (v1/defaults.go, validation), pkg/registry/core/service. */
import {
  type FieldError,
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "@bowline/api";
import type { StoredObject } from "../../../store/revision.ts";
import type { Store } from "../../../store/store.ts";
import { type BuiltinRules, fieldReader } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapField, mapItems, setField } from "../copy-on-write.ts";
import {
  checkCidr,
  checkDnsLabel,
  checkIp,
  checkLabels,
  checkNonSpecialIp,
  checkOneOf,
  checkPortNumber,
  checkPortNumberOrName,
  checkQualifiedName,
  checkRequiredOneOf,
} from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import {
  type ServiceSpecFields,
  allocate,
  dropTypeDependent,
  isExternal,
  isHeadless,
  keepAllocated,
  needsHealthCheckPort,
  specOf,
} from "./service-allocation.ts";
import { checkServiceAddresses, checkServiceAddressesUpdate } from "./service-addresses.ts";
import { ServiceNumbers } from "./service-numbers.ts";

const zeroDefaults: Fields = Object.freeze({ sessionAffinity: "None", type: "ClusterIP" });
const portDefaults: Fields = Object.freeze({ protocol: "TCP" });
const clientIpConfig: Fields = Object.freeze({
  clientIP: Object.freeze({ timeoutSeconds: 10_800 }),
});

function defaultSpec(given: Fields): Fields {
  let spec = fillZero(given, zeroDefaults);
  if (spec["sessionAffinity"] === "None") spec = setField(spec, "sessionAffinityConfig", undefined);
  const timeout = (spec as { sessionAffinityConfig?: { clientIP?: Fields } }).sessionAffinityConfig
    ?.clientIP?.["timeoutSeconds"];
  if (spec["sessionAffinity"] === "ClientIP" && timeout === undefined)
    spec = setField(spec, "sessionAffinityConfig", clientIpConfig);
  spec = mapItems(spec, "ports", defaultPort);
  if (isExternal(spec as ServiceSpecFields)) spec = fillZero(spec, { externalTrafficPolicy: "Cluster" });
  if (spec["type"] !== "ExternalName") spec = fill(spec, { internalTrafficPolicy: "Cluster" });
  if (spec["type"] === "LoadBalancer") spec = fill(spec, { allocateLoadBalancerNodePorts: true });
  return spec;
}

function defaultPort(port: Fields): Fields {
  return fillZero(fillZero(port, portDefaults), { targetPort: port["port"] });
}

function defaults(object: StoredObject): StoredObject {
  const filled = setField(object, "spec", defaultSpec((object["spec"] ?? {}) as Fields));
  if ((filled["spec"] as Fields)["type"] !== "LoadBalancer") return filled;
  return mapField(filled, "status", (status: Fields) =>
    mapField(status, "loadBalancer", (balancer: Fields) =>
      mapItems(balancer, "ingress", (ingress: Fields) =>
        ingress["ip"] ? fill(ingress, { ipMode: "VIP" }) : ingress,
      ),
    ),
  );
}

/** clusterIP and clusterIPs say the same. Source: strategy.go (NormalizeClusterIPs). */
function normalized(service: StoredObject, before: ServiceSpecFields | undefined): StoredObject {
  const spec = specOf(service);
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (before === undefined) {
    if (clusterIP === "" || clusterIPs.length > 0) return service;
    return setField(service, "spec", setField(spec, "clusterIPs", [clusterIP]));
  }
  const changed = clusterIP !== (before.clusterIP ?? "");
  const listChanged = JSON.stringify(clusterIPs) !== JSON.stringify(before.clusterIPs ?? []);
  if (!changed || listChanged) return service;
  const next = clusterIP === "" ? undefined : [clusterIP];
  return setField(service, "spec", setField(spec, "clusterIPs", next));
}

function checkSpec(problems: FieldProblems, spec: ServiceSpecFields): void {
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== "ExternalName")
    problems.required("spec.ports");
  checkType(problems, spec);
  checkPorts(problems, spec);
  checkLabels(problems, "spec.selector", spec.selector);
  checkRequiredOneOf(problems, "spec.sessionAffinity", spec.sessionAffinity, ["ClientIP", "None"]);
  const timeout = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (spec.sessionAffinity === "ClientIP" && timeout !== undefined && (timeout <= 0 || timeout > 86_400)) {
    problems.invalid(
      "spec.sessionAffinityConfig.clientIP.timeoutSeconds",
      timeout,
      "must be greater than 0 and less than 86400",
    );
  }
  checkServiceAddresses(problems, spec);
  spec.externalIPs?.forEach((ip, i) => {
    if (checkIp(problems, `spec.externalIPs[${i}]`, ip))
      checkNonSpecialIp(problems, `spec.externalIPs[${i}]`, ip);
  });
  checkRequiredOneOf(problems, "spec.type", spec.type, [
    "ClusterIP",
    "ExternalName",
    "LoadBalancer",
    "NodePort",
  ]);
  checkDoublePorts(problems, spec);
  checkLoadBalancer(problems, spec);
  checkTraffic(problems, spec);
}

function checkType(problems: FieldProblems, spec: ServiceSpecFields): void {
  const { type } = spec;
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    problems.invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${type} services`);
  }
  if (type !== "ExternalName") return;
  for (const field of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const) {
    if ((spec[field]?.length ?? 0) > 0)
      problems.forbidden(`spec.${field}`, "may not be set for ExternalName services");
  }
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  if (name === "") problems.required("spec.externalName");
  else problems.allInvalid("spec.externalName", name, dns1123SubdomainErrors(name));
}

function checkPorts(problems: FieldProblems, spec: ServiceSpecFields): void {
  const ports = spec.ports ?? [];
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const at = `spec.ports[${i}]`;
    const { name = "" } = port;
    if (name === "") {
      if (ports.length > 1) problems.required(`${at}.name`);
    } else {
      checkDnsLabel(problems, `${at}.name`, name);
      if (names.has(name)) problems.duplicate(`${at}.name`, name);
      names.add(name);
    }
    checkPortNumber(problems, `${at}.port`, port.port ?? 0);
    checkRequiredOneOf(problems, `${at}.protocol`, port.protocol, ["SCTP", "TCP", "UDP"]);
    checkPortNumberOrName(problems, `${at}.targetPort`, port.targetPort as number | string | undefined);
    if (port.appProtocol !== undefined) checkQualifiedName(problems, `${at}.appProtocol`, port.appProtocol);
  });
}

function checkDoublePorts(problems: FieldProblems, spec: ServiceSpecFields): void {
  const nodePorts = new Set<string>();
  const ports = new Set<string>();
  const list = spec.ports ?? [];
  if (spec.type === "ClusterIP") {
    list.forEach((port, i) => {
      if (port.nodePort)
        problems.forbidden(`spec.ports[${i}].nodePort`, "may not be used when `type` is 'ClusterIP'");
    });
  }
  list.forEach(({ protocol, nodePort = 0 }, i) => {
    if (nodePort === 0) return;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) problems.duplicate(`spec.ports[${i}].nodePort`, nodePort);
    nodePorts.add(key);
  });
  list.forEach(({ protocol, port }, i) => {
    const key = `${protocol}/${port}`;
    if (ports.has(key)) {
      // as the server's internal type has it
      const shown = {
        Name: "",
        Protocol: protocol,
        AppProtocol: null,
        Port: port,
        TargetPort: 0,
        NodePort: 0,
      };
      problems.duplicate(`spec.ports[${i}]`, shown);
    }
    ports.add(key);
  });
}

const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

function checkLoadBalancer(problems: FieldProblems, spec: ServiceSpecFields): void {
  const ranges = spec.loadBalancerSourceRanges ?? [];
  if (ranges.length > 0 && spec.type !== "LoadBalancer")
    problems.forbidden("spec.LoadBalancerSourceRanges", onlyLoadBalancer);
  ranges.forEach((range, i) => {
    checkCidr(problems, `spec.LoadBalancerSourceRanges[${i}]`, range.trim());
  });
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== "LoadBalancer")
    problems.forbidden("spec.allocateLoadBalancerNodePorts", onlyLoadBalancer);
  if (spec.loadBalancerClass === undefined) return;
  if (spec.type !== "LoadBalancer") problems.forbidden("spec.loadBalancerClass", onlyLoadBalancer);
  else
    problems.allInvalid(
      "spec.loadBalancerClass",
      spec.loadBalancerClass,
      qualifiedNameErrors(spec.loadBalancerClass),
    );
}

function checkTraffic(problems: FieldProblems, spec: ServiceSpecFields): void {
  const { externalTrafficPolicy = "", healthCheckNodePort = 0 } = spec;
  if (isExternal(spec))
    checkRequiredOneOf(problems, "spec.externalTrafficPolicy", externalTrafficPolicy, ["Cluster", "Local"]);
  else if (externalTrafficPolicy !== "") {
    problems.invalid(
      "spec.externalTrafficPolicy",
      externalTrafficPolicy,
      "may only be set for externally-accessible services",
    );
  }
  if (!needsHealthCheckPort(spec)) {
    if (healthCheckNodePort !== 0) {
      problems.invalid(
        "spec.healthCheckNodePort",
        healthCheckNodePort,
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      );
    }
  } else if (healthCheckNodePort === 0) problems.required("spec.healthCheckNodePort");
  else checkPortNumber(problems, "spec.healthCheckNodePort", healthCheckNodePort);
  checkOneOf(problems, "spec.internalTrafficPolicy", spec.internalTrafficPolicy, ["Cluster", "Local"]);
  checkOneOf(problems, "spec.trafficDistribution", spec.trafficDistribution, [
    "PreferClose",
    "PreferSameZone",
    "PreferSameNode",
  ]);
}

function checkRangesAnnotation(problems: FieldProblems, service: StoredObject): void {
  const value = service.metadata.annotations?.[rangesAnnotation];
  const spec = specOf(service);
  if (value === undefined || (spec.loadBalancerSourceRanges?.length ?? 0) > 0) return;
  const field = `metadata.annotations[${rangesAnnotation}]`;
  if (spec.type !== "LoadBalancer") problems.forbidden(field, onlyLoadBalancer);
  if (value.trim() === "") return;
  for (const range of value.split(",")) checkCidr(problems, field, range.trim());
}

function errorsOf(service: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  checkSpec(problems, specOf(service));
  checkRangesAnnotation(problems, service);
  return problems;
}

function updateErrors(service: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const now = specOf(service);
  const before = specOf(old);
  checkServiceAddressesUpdate(problems, now, before);
  if (
    now.type === "LoadBalancer" &&
    before.type === "LoadBalancer" &&
    now.loadBalancerClass !== before.loadBalancerClass
  )
    problems.invalid("spec.loadBalancerClass", now.loadBalancerClass ?? null, "may not change once set");
  if (
    needsHealthCheckPort(before) &&
    needsHealthCheckPort(now) &&
    now.healthCheckNodePort !== before.healthCheckNodePort
  )
    problems.forbidden("spec.healthCheckNodePort", "field is immutable");
  problems.add(errorsOf(service).list);
  return problems.list;
}

interface Ingress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
}

function statusErrors(service: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const status = service["status"] as { loadBalancer?: { ingress?: readonly Ingress[] } } | undefined;
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (ingress.length > 0 && specOf(service).type !== "LoadBalancer")
    problems.forbidden("status.loadBalancer.ingress", "may only be used when `spec.type` is 'LoadBalancer'");
  else
    ingress.forEach((one, i) => {
      checkIngress(problems, `status.loadBalancer.ingress[${i}]`, one);
    });
  return problems.list;
}

function checkIngress(
  problems: FieldProblems,
  at: string,
  { ip = "", hostname = "", ipMode }: Ingress,
): void {
  if (ip !== "") checkIp(problems, `${at}.ip`, ip);
  if (ipMode === undefined) {
    if (ip !== "") problems.required(`${at}.ipMode`, "must be specified when `ip` is set");
  } else if (ip === "") problems.forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
  else checkOneOf(problems, `${at}.ipMode`, ipMode, ["Proxy", "VIP"]);
  if (hostname !== "") problems.allInvalid(`${at}.hostname`, hostname, dns1123SubdomainErrors(hostname));
}

function warnings(service: StoredObject): string[] {
  const spec = specOf(service);
  const out: string[] = [];
  if (spec.type === "ExternalName" && (spec.externalIPs?.length ?? 0) > 0)
    out.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    out.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return out;
}

/** @param store whose services hold the addresses and ports that new ones cannot have */
export function serviceRules(store: Store): BuiltinRules {
  let known: ServiceNumbers | undefined;
  const numbers = (): ServiceNumbers => {
    known ??= new ServiceNumbers(store);
    return known;
  };
  return {
    name: dns1035LabelErrors,
    allowCreateOnUpdate: true,
    initialStatus: { loadBalancer: {} },
    defaults,
    prepareForCreate: (service) => allocate(normalized(service, undefined), undefined, numbers()),
    prepareForUpdate(service, old) {
      const before = specOf(old);
      const kept = keepAllocated(normalized(service, before), before);
      return allocate(dropTypeDependent(kept, before), before, numbers());
    },
    validateCreate: (service) => errorsOf(service).list,
    validateUpdate: updateErrors,
    validateStatusUpdate: statusErrors,
    warnings,
    fields: { "spec.clusterIP": fieldReader("spec", "clusterIP"), "spec.type": fieldReader("spec", "type") },
  };
}
