/** Defaults and bounds of resources, by LimitRanges of the namespace. Source: kubernetes plugin/pkg/admission/limitranger. */
import { type Quantity, compareQuantities, quantityMilliValue, quantityText } from "@bowline/api";
import type { AdmissionPlugin, AdmissionRequest } from "../../../registry/admission.ts";
import { withMetadata } from "../../../registry/metadata.ts";
import type { Bucket } from "../../../store/bucket.ts";
import type { StoredObject } from "../../../store/revision.ts";
import { type AnyContainer, isPod, objectOf, podSpec, withSpec } from "./pod-fields.ts";
import { type ResourceList, plainList, podResources, resourceList } from "./resource-list.ts";
import { refusal } from "./refusal.ts";

const annotation = "kubernetes.io/limit-ranger";

interface LimitFields {
  readonly type: string;
  readonly max?: unknown;
  readonly min?: unknown;
  readonly default?: unknown;
  readonly defaultRequest?: unknown;
  readonly maxLimitRequestRatio?: unknown;
}

interface Limit {
  readonly type: string;
  readonly max: ResourceList;
  readonly min: ResourceList;
  readonly defaultLimit: ResourceList;
  readonly defaultRequest: ResourceList;
  readonly ratio: ResourceList;
}

export function limitRanger(ranges: Bucket): AdmissionPlugin {
  return {
    name: "LimitRanger",
    mutate(request) {
      const object = objectOf(request);
      if (!isPod(request) || request.operation !== "CREATE") return object;
      return limitsOf(ranges, request.namespace).reduce(withDefaults, object);
    },
    validate(request) {
      const { object, operation, subresource, resource } = request;
      if (object === undefined || subresource !== "") return;
      const claim = resource.api.group === "" && resource.api.plural === "persistentvolumeclaims";
      // resources of a pod that exists do not change here
      if (!claim && (!isPod(request) || operation !== "CREATE")) return;
      for (const limits of limitsOf(ranges, request.namespace)) {
        const problems = claim ? claimProblems(object, limits) : podProblems(object, limits);
        if (problems.length > 0) refuse(request, problems);
      }
    },
  };
}

function refuse(request: AdmissionRequest, problems: readonly string[]): never {
  const text = problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`;
  throw refusal(request, text);
}

/** The limits of each LimitRange of a namespace. */
function limitsOf(ranges: Bucket, namespace: string): readonly (readonly Limit[])[] {
  return ranges.list(`${namespace}/`).map(({ object }) => {
    const { limits = [] } = (object["spec"] ?? {}) as { limits?: readonly LimitFields[] };
    return limits.map(limitOf);
  });
}

/** Defaults follow from the bounds where they are not given. Source: kubernetes pkg/apis/core/v1 (defaults.go). */
function limitOf(fields: LimitFields): Limit {
  const max = resourceList(fields.max);
  const min = resourceList(fields.min);
  const isContainer = fields.type === "Container";
  const over = (a: ResourceList, b: ResourceList): ResourceList => new Map([...b, ...a]);
  const defaultLimit = isContainer ? over(resourceList(fields.default), max) : resourceList(fields.default);
  const request = resourceList(fields.defaultRequest);
  return {
    type: fields.type,
    max,
    min,
    defaultLimit,
    defaultRequest: isContainer ? over(request, over(defaultLimit, min)) : request,
    ratio: resourceList(fields.maxLimitRequestRatio),
  };
}

function withDefaults(pod: StoredObject, limits: readonly Limit[]): StoredObject {
  const containerLimits = limits.filter((limit) => limit.type === "Container");
  const requests = containerLimits.reduce<ResourceList>(
    (all, l) => new Map([...all, ...l.defaultRequest]),
    new Map(),
  );
  const maxima = containerLimits.reduce<ResourceList>(
    (all, l) => new Map([...all, ...l.defaultLimit]),
    new Map(),
  );
  const notes: string[] = [];
  const fill = (container: AnyContainer, what: string): AnyContainer => {
    const own = container.resources ?? {};
    const set = (kind: "requests" | "limits", defaults: ResourceList): object | undefined => {
      const added = [...defaults].filter(([name]) => own[kind]?.[name] === undefined);
      if (added.length === 0) return own[kind];
      const names = added.map(([name]) => name).sort();
      notes.push(
        `${names.join(", ")} ${kind === "requests" ? "request" : "limit"} for ${what} ${container.name}`,
      );
      return { ...own[kind], ...plainList(new Map(added)) };
    };
    const limitsSet = set("limits", maxima);
    const requestsSet = set("requests", requests);
    if (limitsSet === own.limits && requestsSet === own.requests) return container;
    return { ...container, resources: { ...own, limits: limitsSet, requests: requestsSet } } as AnyContainer;
  };
  const spec = podSpec(pod);
  const containers = spec.containers.map((c) => fill(c, "container"));
  const initContainers = spec.initContainers?.map((c) => fill(c, "init container"));
  if (notes.length === 0) return pod;
  const filled = withSpec(pod, { containers, ...(initContainers === undefined ? {} : { initContainers }) });
  const annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${notes.join("; ")}`,
  };
  return withMetadata(filled, { annotations });
}

/** What is used of one kind of thing. */
interface Usage {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

function podProblems(pod: StoredObject, limits: readonly Limit[]): string[] {
  const spec = podSpec(pod);
  const usageOf = (c: AnyContainer): Usage => ({
    requests: resourceList(c.resources?.requests),
    limits: resourceList(c.resources?.limits),
  });
  return limits.flatMap((limit) => {
    if (limit.type === "Container") {
      return [...spec.containers, ...(spec.initContainers ?? [])].flatMap((c) => problems(limit, usageOf(c)));
    }
    if (limit.type !== "Pod") return [];
    const pod = { requests: podResources(spec, "requests"), limits: podResources(spec, "limits") };
    return problems(limit, pod);
  });
}

function claimProblems(claim: StoredObject, limits: readonly Limit[]): string[] {
  const { resources } = (claim["spec"] ?? {}) as { resources?: { requests?: unknown } };
  const requests = resourceList(resources?.requests);
  return limits
    .filter((limit) => limit.type === "PersistentVolumeClaim")
    .flatMap((limit) => [
      ...[...limit.min].flatMap(([name, bound]) =>
        belowMin({ name, bound, type: limit.type }, requests.get(name), undefined),
      ),
      ...[...limit.max].flatMap(([name, bound]) => {
        const request = requests.get(name);
        const head = `maximum ${name} usage per ${limit.type} is ${quantityText(bound)}`;
        if (request === undefined) return [`${head}.  No request is specified`];
        return compareQuantities(request, bound) > 0
          ? [`${head}, but request is ${quantityText(request)}`]
          : [];
      }),
    ]);
}

interface Bound {
  readonly name: string;
  readonly bound: Quantity;
  readonly type: string;
}

function problems(limit: Limit, { requests, limits }: Usage): string[] {
  const { type } = limit;
  const each = (list: ResourceList, check: typeof belowMin): string[] =>
    [...list].flatMap(([name, bound]) => check({ name, bound, type }, requests.get(name), limits.get(name)));
  return [...each(limit.min, belowMin), ...each(limit.max, aboveMax), ...each(limit.ratio, aboveRatio)];
}

function belowMin(
  { name, bound, type }: Bound,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string[] {
  const head = `minimum ${name} usage per ${type} is ${quantityText(bound)}`;
  if (request === undefined) return [`${head}.  No request is specified`];
  if (compareQuantities(request, bound) < 0) return [`${head}, but request is ${quantityText(request)}`];
  if (limit !== undefined && compareQuantities(limit, bound) < 0)
    return [`${head}, but limit is ${quantityText(limit)}`];
  return [];
}

function aboveMax(
  { name, bound, type }: Bound,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string[] {
  const head = `maximum ${name} usage per ${type} is ${quantityText(bound)}`;
  if (limit === undefined) return [`${head}.  No limit is specified`];
  if (compareQuantities(limit, bound) > 0) return [`${head}, but limit is ${quantityText(limit)}`];
  if (request !== undefined && compareQuantities(request, bound) > 0)
    return [`${head}, but request is ${quantityText(request)}`];
  return [];
}

function aboveRatio(
  { name, bound, type }: Bound,
  request: Quantity | undefined,
  limit: Quantity | undefined,
): string[] {
  const head = `${name} max limit to request ratio per ${type} is ${quantityText(bound)}`;
  if (request === undefined || quantityMilliValue(request) === 0n)
    return [`${head}, but no request is specified or request is 0`];
  if (limit === undefined || quantityMilliValue(limit) === 0n)
    return [`${head}, but no limit is specified or limit is 0`];
  const ratio = Number(quantityMilliValue(limit)) / Number(quantityMilliValue(request));
  const boundNumber = Number(quantityMilliValue(bound)) / 1000;
  return ratio > boundNumber ? [`${head}, but provided ratio is ${ratio.toFixed(6)}`] : [];
}
