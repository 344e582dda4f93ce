/** Endpoints and EndpointSlices. Source: kubernetes pkg/apis/core, pkg/apis/discovery (v1/defaults.go, validation). */
import { type DeepReadonly, type FieldError, dns1123SubdomainErrors, labelValueErrors } from "@bowline/api";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "@bowline/api/core/v1";
import type { Endpoint, EndpointSlice } from "@bowline/api/discovery/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, fillZero, mapItems, setField } from "../copy-on-write.ts";
import {
  checkDnsLabel,
  checkImmutable,
  checkIp,
  checkLabels,
  checkNonSpecialIp,
  checkPortNumber,
  checkQualifiedName,
  checkRequiredOneOf,
  same,
} from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const portDefaults: Fields = Object.freeze({ protocol: "TCP" });

function endpointsErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const subsets = (object["subsets"] ?? []) as readonly DeepReadonly<EndpointSubset>[];
  subsets.forEach((subset, i) => {
    const at = `subsets[${i}]`;
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset;
    if (addresses.length === 0 && notReadyAddresses.length === 0)
      problems.required(at, "must specify `addresses` or `notReadyAddresses`");
    addresses.forEach((address, j) => {
      checkAddress(problems, `${at}.addresses[${j}]`, address);
    });
    notReadyAddresses.forEach((address, j) => {
      checkAddress(problems, `${at}.notReadyAddresses[${j}]`, address);
    });
    ports.forEach((port, j) => {
      checkPort(problems, `${at}.ports[${j}]`, port, ports.length > 1);
    });
  });
  return problems.list;
}

function checkAddress(problems: FieldProblems, at: string, address: DeepReadonly<EndpointAddress>): void {
  checkIp(problems, `${at}.ip`, address.ip);
  if (address.hostname) checkDnsLabel(problems, `${at}.hostname`, address.hostname);
  if (address.nodeName !== undefined)
    problems.allInvalid(`${at}.nodeName`, address.nodeName, dns1123SubdomainErrors(address.nodeName));
  checkNonSpecialIp(problems, `${at}.ip`, address.ip);
}

function checkPort(
  problems: FieldProblems,
  at: string,
  port: DeepReadonly<EndpointPort>,
  requiresName: boolean,
): void {
  if (port.name) checkDnsLabel(problems, `${at}.name`, port.name);
  else if (requiresName) problems.required(`${at}.name`);
  checkPortNumber(problems, `${at}.port`, port.port ?? 0);
  checkRequiredOneOf(problems, `${at}.protocol`, port.protocol, protocols);
  if (port.appProtocol !== undefined) checkQualifiedName(problems, `${at}.appProtocol`, port.appProtocol);
}

export const endpointsRules: BuiltinRules = {
  allowCreateOnUpdate: true,
  defaults: (object) =>
    mapItems(object, "subsets", (subset: Fields) =>
      mapItems(subset, "ports", (port: Fields) => fillZero(port, portDefaults)),
    ),
  validateCreate: endpointsErrors,
  validateUpdate: endpointsErrors,
  warnings: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
};

const endpointDefaults: Fields = Object.freeze({ conditions: Object.freeze({}) });
const slicePortDefaults: Fields = Object.freeze({ name: "", protocol: "TCP" });
const addressesMax = 100;
const endpointsMax = 1000;
const portsMax = 20_000;
const hintsMax = 8;

type SliceFields = DeepReadonly<EndpointSlice>;

function sliceErrors(object: StoredObject): FieldProblems {
  const problems = new FieldProblems();
  const slice = object as unknown as SliceFields;
  checkRequiredOneOf(problems, "addressType", slice.addressType, ["FQDN", "IPv4", "IPv6"]);
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > endpointsMax) tooMany(problems, "endpoints", endpoints.length, endpointsMax);
  else
    endpoints.forEach((endpoint, i) => {
      checkEndpoint(problems, `endpoints[${i}]`, endpoint, slice.addressType);
    });
  checkSlicePorts(problems, slice.ports ?? []);
  return problems;
}

function tooMany(problems: FieldProblems, field: string, count: number, max: number): void {
  problems.add([{ type: "TooMany", field, badValue: count, detail: `must have at most ${max} items` }]);
}

function checkEndpoint(
  problems: FieldProblems,
  at: string,
  endpoint: DeepReadonly<Endpoint>,
  addressType: string,
): void {
  const { addresses = [], nodeName, hostname, hints, deprecatedTopology } = endpoint;
  if (addresses.length === 0) problems.required(`${at}.addresses`, "must contain at least 1 address");
  else if (addresses.length > addressesMax)
    tooMany(problems, `${at}.addresses`, addresses.length, addressesMax);
  addresses.forEach((address, i) => {
    const field = `${at}.addresses[${i}]`;
    if (addressType === "FQDN") {
      problems.allInvalid(field, address, dns1123SubdomainErrors(address));
      return;
    }
    if (addressType !== "IPv4" && addressType !== "IPv6") return;
    if (!checkIp(problems, field, address)) return;
    const family = address.includes(":") ? "IPv6" : "IPv4";
    if (family !== addressType)
      problems.invalid(`${at}.addresses`, address, `must be an ${addressType} address`);
    checkNonSpecialIp(problems, field, address);
  });
  if (nodeName !== undefined)
    problems.allInvalid(`${at}.nodeName`, nodeName, dns1123SubdomainErrors(nodeName));
  checkLabels(problems, `${at}.deprecatedTopology`, deprecatedTopology);
  if (hostname !== undefined) checkDnsLabel(problems, `${at}.hostname`, hostname);
  const zones = hints?.forZones ?? [];
  if (zones.length > hintsMax) tooMany(problems, `${at}.hints.forZones`, zones.length, hintsMax);
  zones.forEach(({ name }, i) => {
    const field = `${at}.hints.forZones[${i}].name`;
    if (zones.findIndex((zone) => zone.name === name) < i) problems.duplicate(field, name);
    problems.allInvalid(field, name, labelValueErrors(name));
  });
}

function checkSlicePorts(problems: FieldProblems, ports: NonNullable<SliceFields["ports"]>): void {
  if (ports.length > portsMax) return tooMany(problems, "ports", ports.length, portsMax);
  const names = new Set<string>();
  ports.forEach(({ name = "", protocol, appProtocol }, i) => {
    if (name !== "") checkDnsLabel(problems, `ports[${i}].name`, name);
    if (names.has(name)) problems.duplicate(`ports[${i}].name`, name);
    names.add(name);
    checkRequiredOneOf(problems, `ports[${i}].protocol`, protocol, protocols);
    if (appProtocol !== undefined) checkQualifiedName(problems, `ports[${i}].appProtocol`, appProtocol);
  });
}

export const endpointSliceRules: BuiltinRules = {
  generation: (object, old) =>
    !same(object["endpoints"], old["endpoints"]) ||
    !same(object["ports"], old["ports"]) ||
    !same(object.metadata.labels, old.metadata.labels),
  defaults: (object) =>
    mapItems(
      mapItems(object, "ports", (port: Fields) => fill(port, slicePortDefaults)),
      "endpoints",
      (endpoint: Fields) => fill(endpoint, endpointDefaults),
    ),
  // an old field that v1 only shows
  prepareForCreate: (object) =>
    mapItems(object, "endpoints", (endpoint: Fields) => setField(endpoint, "deprecatedTopology", undefined)),
  validateCreate: (object) => sliceErrors(object).list,
  warnings: (object) =>
    object["addressType"] === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [],
  validateUpdate(object, old) {
    const problems = sliceErrors(object);
    checkImmutable(problems, "addressType", object["addressType"], old["addressType"]);
    return problems.list;
  },
};
