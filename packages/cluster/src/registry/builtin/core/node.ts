/** Nodes. Source: kubernetes pkg/apis/core/validation (ValidateNode), pkg/registry/core/node. */
import { type DeepReadonly, type FieldError, labelValueErrors } from "@bowline/api";
import type { Node, Taint } from "@bowline/api/core/v1";
import type { StoredObject } from "../../../store/revision.ts";
import { type BuiltinRules, booleanReader } from "../builtin-rules.ts";
import { type Fields, fill, mapField, setField } from "../copy-on-write.ts";
import { checkCidr, checkOneOf, checkQualifiedName, same } from "../field-checks.ts";
import { FieldProblems } from "../field-problems.ts";
import { type ResourceList, checkResourceQuantity } from "../pod/resources.ts";
import { taintEffects } from "../pod/scheduling.ts";

const asNode = (object: StoredObject): DeepReadonly<Node> => object as unknown as DeepReadonly<Node>;

function checkTaints(problems: FieldProblems, taints: readonly DeepReadonly<Taint>[]): void {
  const seen = new Set<string>();
  taints.forEach((taint, i) => {
    // the real server reports them under metadata
    const at = `metadata.taints[${i}]`;
    checkQualifiedName(problems, `${at}.key`, taint.key);
    const errors = labelValueErrors(taint.value ?? "");
    if (errors.length > 0) problems.invalid(`${at}.value`, taint.value, errors.join(";"));
    if (!taint.effect) problems.required(`${at}.effect`);
    else checkOneOf(problems, `${at}.effect`, taint.effect, taintEffects);
    const key = `${taint.effect} ${taint.key}`;
    if (seen.has(key)) {
      const shown = {
        Key: taint.key,
        Value: taint.value ?? "",
        Effect: taint.effect,
        TimeAdded: taint.timeAdded ?? null,
      };
      problems.duplicate(at, shown, "taints must be unique by key and effect pair");
    }
    seen.add(key);
  });
}

function checkCapacity(problems: FieldProblems, node: DeepReadonly<Node>): void {
  for (const field of ["capacity", "allocatable"] as const) {
    const list = (node.status?.[field] ?? {}) as ResourceList;
    for (const name in list)
      checkResourceQuantity(problems, `status.${field}.${name}`, name, list[name] ?? "");
  }
}

function createErrors(object: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const node = asNode(object);
  checkTaints(problems, node.spec?.taints ?? []);
  checkCapacity(problems, node);
  node.spec?.podCIDRs?.forEach((cidr, i) => {
    checkCidr(problems, `spec.podCIDRs[${i}]`, cidr);
  });
  return problems.list;
}

function updateErrors(object: StoredObject, old: StoredObject): FieldError[] {
  const problems = new FieldProblems();
  const now = asNode(object);
  const before = asNode(old);
  checkCapacity(problems, now);
  now.status?.addresses?.forEach((address, i, all) => {
    if (all.findIndex((a) => same(a, address)) < i)
      problems.duplicate(`status.addresses[${i}]`, { Type: address.type, Address: address.address });
  });
  const cidrs = before.spec?.podCIDRs ?? [];
  if (cidrs.length > 0 && !same(cidrs, now.spec?.podCIDRs))
    problems.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  const provider = before.spec?.providerID ?? "";
  if (provider !== "" && provider !== now.spec?.providerID) {
    problems.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  }
  checkTaints(problems, now.spec?.taints ?? []);
  return problems.list;
}

/** What Go writes of a node that nobody has reported on. */
const nodeDefaults: Fields = Object.freeze({ spec: Object.freeze({}), status: Object.freeze({}) });
const statusDefaults: Fields = Object.freeze({
  daemonEndpoints: Object.freeze({ kubeletEndpoint: Object.freeze({ Port: 0 }) }),
  nodeInfo: Object.freeze({}),
});
const infoDefaults: Fields = Object.freeze({
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  kubeletVersion: "",
  kubeProxyVersion: "",
  operatingSystem: "",
  architecture: "",
});

/** Allocatable is all that there is, unless something is set apart. */
function defaultStatus(given: Fields): Fields {
  const status = mapField(fill(given, statusDefaults), "nodeInfo", (info: Fields) =>
    fill(info, infoDefaults),
  );
  return status["capacity"] === undefined ? status : fill(status, { allocatable: status["capacity"] });
}

/** `podCIDR` is the first of `podCIDRs`. Source: pkg/apis/core/v1/conversion.go. */
function defaultSpec(spec: Fields): Fields {
  const { podCIDR, podCIDRs } = spec as { podCIDR?: string; podCIDRs?: readonly string[] };
  if (podCIDR && !podCIDRs?.length) return setField(spec, "podCIDRs", [podCIDR]);
  const [first] = podCIDRs ?? [];
  return first === undefined ? spec : setField(spec, "podCIDR", first);
}

export const nodeRules: BuiltinRules = {
  keepsStatusOnCreate: true,
  defaults: (object) =>
    mapField(mapField(fill(object, nodeDefaults), "status", defaultStatus), "spec", defaultSpec),
  validateCreate: createErrors,
  validateUpdate: updateErrors,
  validateStatusUpdate: updateErrors,
  fields: { "spec.unschedulable": booleanReader("spec", "unschedulable") },
};
