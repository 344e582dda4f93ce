/** What pods ask for and nodes have. Source: kubernetes pkg/api/v1/resource (helpers.go PodRequests), scheduler framework (types.go). */
import { type DeepReadonly, parseQuantity, quantityMilliValue, quantityNumber } from "@bowline/api";
import type { Container, Pod } from "@bowline/api/core/v1";

/** Amounts by resource: `cpu` in thousandths, everything else in units (bytes). */
export type Amounts = ReadonlyMap<string, number>;

type Quantities = Readonly<Record<string, string | number>> | undefined;

const parsed = new Map<string, number>();

/** One amount; the texts of quantities repeat, and are parsed once. */
function amount(resource: string, text: string | number): number {
  const key = `${resource === "cpu" ? "m" : "u"}${text}`;
  let value = parsed.get(key);
  if (value === undefined) {
    const quantity = parseQuantity(text);
    value = resource === "cpu" ? Number(quantityMilliValue(quantity)) : quantityNumber(quantity);
    if (parsed.size > 10_000) parsed.clear();
    parsed.set(key, value);
  }
  return value;
}

export function amountsOf(quantities: Quantities): Map<string, number> {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, amount(name, text)]));
}

function add(to: Map<string, number>, more: Amounts): void {
  for (const [name, value] of more) to.set(name, (to.get(name) ?? 0) + value);
}

function raise(to: Map<string, number>, other: Amounts): void {
  for (const [name, value] of other) to.set(name, Math.max(to.get(name) ?? 0, value));
}

const requests = (container: DeepReadonly<Container>): Map<string, number> =>
  amountsOf(container.resources?.requests as Quantities);

const cache = new WeakMap<object, Amounts>();

/** What a pod takes of its node: the sum of its containers, or the largest that an init container needs beside the sidecars. */
export function podRequests(pod: DeepReadonly<Pod>): Amounts {
  const { spec } = pod;
  if (spec === undefined) return new Map();
  const known = cache.get(spec);
  if (known !== undefined) return known;
  const total = new Map<string, number>();
  for (const container of spec.containers) add(total, requests(container));
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of spec.initContainers ?? []) {
    const own = requests(container);
    if (container.restartPolicy === "Always") add(sidecars, own);
    const atOnce = new Map(sidecars);
    if (container.restartPolicy !== "Always") add(atOnce, own);
    raise(peak, atOnce);
  }
  add(total, sidecars);
  raise(total, peak);
  add(total, amountsOf(spec.overhead as Quantities));
  cache.set(spec, total);
  return total;
}
