/** Amounts of resources by name: `{cpu: 100m, memory: 64Mi}`. */
import { type Quantity, addQuantities, compareQuantities, parseQuantity, quantityText } from "@bowline/api";
import type { AnyContainer, Spec } from "./pod-fields.ts";

export type ResourceList = ReadonlyMap<string, Quantity>;

export const emptyList: ResourceList = new Map();

/** A list as objects have it; what is no quantity is left out. */
export function resourceList(value: unknown): ResourceList {
  const list = new Map<string, Quantity>();
  for (const [name, amount] of Object.entries((value ?? {}) as Record<string, string | number>)) {
    try {
      list.set(name, parseQuantity(amount));
    } catch {
      // validation says so
    }
  }
  return list;
}

export function plainList(list: ResourceList): Record<string, string> {
  return Object.fromEntries([...list].map(([name, amount]) => [name, quantityText(amount)]));
}

export function addLists(a: ResourceList, b: ResourceList): ResourceList {
  return joined(a, b, addQuantities);
}

/** The larger of each amount. */
export function maxLists(a: ResourceList, b: ResourceList): ResourceList {
  return joined(a, b, (x, y) => (compareQuantities(x, y) >= 0 ? x : y));
}

function joined(
  a: ResourceList,
  b: ResourceList,
  join: (x: Quantity, y: Quantity) => Quantity,
): ResourceList {
  const list = new Map(a);
  for (const [name, amount] of b) {
    const known = list.get(name);
    list.set(name, known === undefined ? amount : join(known, amount));
  }
  return list;
}

/**
 * What a pod asks for or may use at most: the sum of its containers, or more where an init container needs more alone.
 * Init containers that go on running count as containers. Source: k8s.io/component-helpers resource (helpers.go).
 */
export function podResources(spec: Spec, kind: "requests" | "limits"): ResourceList {
  const of = (container: AnyContainer): ResourceList => resourceList(container.resources?.[kind]);
  let total = spec.containers.reduce<ResourceList>((sum, c) => addLists(sum, of(c)), emptyList);
  let sidecars = emptyList;
  let initial = emptyList;
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") {
      sidecars = addLists(sidecars, of(container));
      total = addLists(total, of(container));
      initial = maxLists(initial, sidecars);
    } else {
      initial = maxLists(initial, addLists(sidecars, of(container)));
    }
  }
  return addLists(maxLists(total, initial), resourceList(spec.overhead));
}
