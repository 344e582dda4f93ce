/** NetworkPolicies. Source: kubernetes pkg/apis/networking (v1/defaults.go, validation). */
import type { DeepReadonly, FieldError } from "@bowline/api";
import type {
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "@bowline/api/networking/v1";
import type { StoredObject } from "../../../store/revision.ts";
import type { BuiltinRules } from "../builtin-rules.ts";
import { type Fields, fill, mapItems, setField } from "../copy-on-write.ts";
import {
  checkCidr,
  checkLabelSelector,
  checkOneOf,
  checkPortNumber,
  portNameErrors,
} from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { isStrictSubnet } from "./subnet.ts";

type SpecFields = DeepReadonly<NetworkPolicySpec>;

const protocols = ["TCP", "UDP", "SCTP"];
const portDefault: Fields = Object.freeze({ protocol: "TCP" });
const specParts: Fields = Object.freeze({ podSelector: Object.freeze({}) });

function defaultSpec(given: Fields): Fields {
  const defaultRule = (rule: Fields): Fields =>
    mapItems(rule, "ports", (port: Fields) => fill(port, portDefault));
  let spec = fill(given, specParts);
  spec = mapItems(mapItems(spec, "ingress", defaultRule), "egress", defaultRule);
  if (((spec["policyTypes"] ?? []) as readonly string[]).length > 0) return spec;
  const egress = ((spec["egress"] ?? []) as readonly unknown[]).length > 0;
  return setField(spec, "policyTypes", egress ? ["Ingress", "Egress"] : ["Ingress"]);
}

function errorsOf(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const spec = (object as unknown as DeepReadonly<NetworkPolicy>).spec ?? ({} as SpecFields);
  checkLabelSelector(problems, "spec.podSelector", spec.podSelector as never);
  spec.ingress?.forEach(({ ports = [], from = [] }, i) => {
    checkRule(problems, `spec.ingress[${i}]`, { ports, peers: from, name: "from" });
  });
  spec.egress?.forEach(({ ports = [], to = [] }, i) => {
    checkRule(problems, `spec.egress[${i}]`, { ports, peers: to, name: "to" });
  });
  const types = spec.policyTypes ?? [];
  if (types.length > 2)
    problems.invalid("spec.policyTypes", types, "may not specify more than two policyTypes");
  else
    types.forEach((type, i) => {
      checkOneOf(problems, `spec.policyTypes[${i}]`, type, ["Ingress", "Egress"]);
    });
  return problems.list;
}

function checkRule(
  problems: FieldProblems,
  at: string,
  rule: {
    readonly ports: readonly DeepReadonly<NetworkPolicyPort>[];
    readonly peers: readonly DeepReadonly<NetworkPolicyPeer>[];
    readonly name: string;
  },
): void {
  rule.ports.forEach((port, i) => {
    checkPort(problems, `${at}.ports[${i}]`, port);
  });
  rule.peers.forEach((peer, i) => {
    checkPeer(problems, `${at}.${rule.name}[${i}]`, peer);
  });
}

function checkPort(problems: FieldProblems, at: string, entry: DeepReadonly<NetworkPolicyPort>): void {
  const { protocol, endPort } = entry;
  const port = entry.port as number | string | undefined;
  checkOneOf(problems, `${at}.protocol`, protocol, protocols);
  if (typeof port === "number") {
    checkPortNumber(problems, `${at}.port`, port);
    if (endPort === undefined) return;
    if (endPort < port) problems.invalid(`${at}.endPort`, port, "must be greater than or equal to `port`");
    checkPortNumber(problems, `${at}.endPort`, endPort);
    return;
  }
  if (endPort !== undefined) {
    const why = port === undefined ? "not specified" : "non-numeric";
    problems.invalid(`${at}.endPort`, endPort, `may not be specified when \`port\` is ${why}`);
  }
  if (port !== undefined) problems.allInvalid(`${at}.port`, port, portNameErrors(port));
}

function checkPeer(problems: FieldProblems, at: string, peer: DeepReadonly<NetworkPolicyPeer>): void {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  checkLabelSelector(problems, `${at}.podSelector`, podSelector as never);
  checkLabelSelector(problems, `${at}.namespaceSelector`, namespaceSelector as never);
  if (ipBlock !== undefined) checkIpBlock(problems, `${at}.ipBlock`, ipBlock);
  const others = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock === undefined && !others) problems.required(at, "must specify a peer");
  else if (ipBlock !== undefined && others)
    problems.forbidden(at, "may not specify both ipBlock and another peer");
}

function checkIpBlock(
  problems: FieldProblems,
  at: string,
  { cidr, except = [] }: { readonly cidr: string; readonly except?: readonly string[] },
): void {
  if (!cidr) return problems.required(`${at}.cidr`);
  if (!checkCidr(problems, `${at}.cidr`, cidr)) return;
  except.forEach((inner, i) => {
    if (checkCidr(problems, `${at}.except[${i}]`, inner) && !isStrictSubnet(inner, cidr))
      problems.invalid(`${at}.except[${i}]`, inner, "must be a strict subset of `cidr`");
  });
}

export const networkPolicyRules: BuiltinRules = {
  generation: true,
  defaults: (object) => setField(object, "spec", defaultSpec((object["spec"] ?? {}) as Fields)),
  validateCreate: errorsOf,
  validateUpdate: errorsOf,
};
