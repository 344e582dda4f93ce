/**
 * `metrics.k8s.io/v1beta1`: what nodes and pods use, as the metrics server of a real cluster says it. Nothing is stored.
 * Source: kubernetes-sigs/metrics-server pkg/api, k8s.io/metrics pkg/apis/metrics.
 */
import {
  type ApiResource,
  type DeepReadonly,
  badRequest,
  methodNotSupported,
  notFound,
  parseFieldSelector,
  parseLabelSelector,
} from "@bowline/api";
import { rfc3339 } from "@bowline/client";
import type { Clock } from "@bowline/client";
import type { StoredObject } from "../store/revision.ts";
import type { Store } from "../store/store.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServerRequest, ServerResponse } from "./request.ts";

/** Where usage is known. */
export interface UsageSource {
  /** Undefined: nothing is known (yet). */
  usage(
    pod: DeepReadonly<StoredObject>,
    container: string,
  ): { readonly cpuMilli: number; readonly memoryBytes: number } | undefined;
}

const group = "metrics.k8s.io";
const version = "v1beta1";
const apiVersion = `${group}/${version}`;
/** What a measurement covers. */
const window = "15s";

function metricsResource(kind: string, plural: string, namespaced: boolean): ApiResource {
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    singular: "",
    listKind: `${kind}List`,
    verbs: ["get", "list"],
    shortNames: [],
    categories: [],
    subresources: [],
  };
}

/** What discovery says of them. */
export const metricsResources: readonly ApiResource[] = [
  metricsResource("NodeMetrics", "nodes", false),
  metricsResource("PodMetrics", "pods", true),
];

interface Ports {
  readonly store: Store;
  readonly clock: Clock;
  metrics(): UsageSource | undefined;
}

/** The answer to a request of the group; undefined while nobody measures, and for what it does not have. */
export function answerMetrics(
  request: ServerRequest,
  info: RequestInfo,
  ports: Ports,
): ServerResponse | undefined {
  const source = ports.metrics();
  if (source === undefined || info.group !== group || info.version !== version || info.subresource !== "")
    return undefined;
  const resource = { group, resource: info.resource };
  const measure = info.resource === "pods" ? podMetrics : info.resource === "nodes" ? nodeMetrics : undefined;
  if (measure === undefined) return undefined;
  if (info.verb !== "get" && info.verb !== "list") throw methodNotSupported(resource, info.verb);
  const prefix = info.resource === "pods" && info.namespace !== "" ? `${info.namespace}/` : "";
  const bucket = ports.store.bucket(`/${info.resource}`);
  const measured = (object: StoredObject): object | undefined => measure(object, ports, source);
  if (info.verb === "get") {
    const found = bucket.get(`${prefix}${info.name}`)?.object;
    const object = found === undefined ? undefined : measured(found);
    if (object === undefined) throw notFound(resource, info.name);
    return answer(object);
  }
  const isWanted = selected(request.query);
  const objects = bucket.list(prefix).map(({ object }) => object);
  const items = objects.filter(isWanted).flatMap((object) => measured(object) ?? []);
  const kind = info.resource === "pods" ? "PodMetricsList" : "NodeMetricsList";
  return answer({ kind, apiVersion, metadata: {}, items });
}

function answer(object: object): ServerResponse {
  return { kind: "object", status: 200, headers: { "content-type": "application/json" }, object };
}

/** @throws StatusError 400 for selectors that are none */
function selected(query: URLSearchParams): (object: StoredObject) => boolean {
  try {
    const labels = parseLabelSelector(query.get("labelSelector") ?? "");
    const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
    return ({ metadata }) =>
      labels.matches(metadata.labels) &&
      fields.matches((field) => (metadata as Readonly<Record<string, unknown>>)[field.slice(9)] as string);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

interface PodShape extends StoredObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly { readonly name: string }[];
  };
}

type Measure = (object: StoredObject, ports: Ports, source: UsageSource) => object | undefined;

/** Undefined for a pod that does not run. */
const podMetrics: Measure = (object, { clock }, source) => {
  const { spec } = object as PodShape;
  const containers = (spec?.containers ?? []).flatMap(({ name }) => {
    const usage = source.usage(object, name);
    return usage === undefined ? [] : [{ name, usage: quantities(usage) }];
  });
  if (containers.length === 0) return undefined;
  return { ...head("PodMetrics", object, clock), containers };
};

/** A node uses what its pods use. */
const nodeMetrics: Measure = (object, { store, clock }, source) => {
  const { name } = object.metadata;
  const total = { cpuMilli: 0, memoryBytes: 0 };
  for (const { object: pod } of store.bucket("/pods").list("")) {
    const { spec } = pod as PodShape;
    if (spec?.nodeName !== name) continue;
    for (const container of spec?.containers ?? []) {
      const usage = source.usage(pod, container.name);
      total.cpuMilli += usage?.cpuMilli ?? 0;
      total.memoryBytes += usage?.memoryBytes ?? 0;
    }
  }
  return { ...head("NodeMetrics", object, clock), usage: quantities(total) };
};

function head(kind: string, { metadata }: StoredObject, clock: Clock): object {
  const { name, namespace, labels } = metadata;
  const now = rfc3339(clock.now());
  return {
    kind,
    apiVersion,
    metadata: {
      name,
      ...(namespace === undefined || namespace === "" ? {} : { namespace }),
      creationTimestamp: now,
      ...(labels === undefined ? {} : { labels }),
    },
    timestamp: now,
    window,
  };
}

function quantities(usage: { readonly cpuMilli: number; readonly memoryBytes: number }): object {
  return { cpu: `${Math.round(usage.cpuMilli)}m`, memory: `${Math.round(usage.memoryBytes / 1024)}Ki` };
}
