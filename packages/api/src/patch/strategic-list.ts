import { goValueText } from "../codec/go-text.ts";
import { type Value, type ValueList, isList, isObject } from "./json-value.ts";
import { StrategicPatchError, hasDirective, isDeletion, mergeKeyOf } from "./strategic-directive.ts";

/**
 * What the items of lists are: one kind for all, and no lists.
 * @throws StrategicPatchError otherwise, also when there are no items at all
 */
export function itemKindOf(...lists: readonly ValueList[]): "object" | "scalar" {
  let kind: string | undefined;
  for (const item of lists.flat() as ValueList) {
    const itemKind = isObject(item) ? "object" : isList(item) ? "list" : item === null ? "null" : typeof item;
    if (kind === undefined && itemKind === "list")
      throw new StrategicPatchError("lists of lists are not supported", 422);
    if (kind !== undefined && kind !== itemKind) {
      throw new StrategicPatchError(`list element types are not identical: ${goValueText(lists)}`);
    }
    kind = itemKind;
  }
  if (kind === undefined) throw new StrategicPatchError("no elements in any of the given slices");
  return kind === "object" ? "object" : "scalar";
}

/** Tells which item of a list is meant: the merge key of objects, scalars themselves. */
export type Identity = (item: Value) => Value;

export function identityOf(kind: "object" | "scalar", mergeKey: string): Identity {
  return kind === "object" ? (item) => mergeKeyOf(item, mergeKey) : (item) => item;
}

/** The scalars of both lists, each once. */
export function mergeScalars(original: ValueList, patch: ValueList): ValueList {
  return [...new Set([...original, ...patch])];
}

/** The list without the given scalars; the same list when it has none of them. */
export function withoutScalars(list: ValueList, remove: ValueList): ValueList {
  const gone = new Set(remove);
  const rest = list.filter((item) => !gone.has(item));
  return rest.length === list.length ? list : rest;
}

/**
 * Puts a merged list in order: items that `wanted` names in its order, the others where `present` had them, and in between
 * as far as `present` knows both neighbours. Items marked for deletion go last.
 */
export function orderItems(
  merged: ValueList,
  wanted: ValueList,
  present: ValueList,
  identity: Identity,
): ValueList {
  const wantedAt = positionsOf(wanted, identity);
  const presentAt = positionsOf(present, identity);
  const named = merged.filter((item) => wantedAt.has(identity(item)));
  const others = merged.filter((item) => !wantedAt.has(identity(item)));
  return interleave(
    sortBy(others, presentAt, identity),
    sortBy(named, wantedAt, identity),
    presentAt,
    identity,
  );
}

/** The items in the order of `positions`, deletions last. */
export function sortBy(
  items: ValueList,
  positions: ReadonlyMap<Value, number>,
  identity: Identity,
): ValueList {
  const at = (item: Value): number => positions.get(identity(item)) ?? 0;
  const [kept, deleted] = [items.filter((item) => !deletes(item)), items.filter(deletes)];
  return [...kept.sort((a, b) => at(a) - at(b)), ...deleted];
}

/** Where each identity occurs first. */
export function positionsOf(list: ValueList, identity: Identity): ReadonlyMap<Value, number> {
  const positions = new Map<Value, number>();
  list.forEach((item, i) => {
    const key = identity(item);
    if (!positions.has(key)) positions.set(key, i);
  });
  return positions;
}

function deletes(item: Value): boolean {
  return isObject(item) && isDeletion(item);
}

/** Inserts each of `left` into `right` before the first item that stands behind it in `positions`. */
function interleave(
  left: ValueList,
  right: ValueList,
  positions: ReadonlyMap<Value, number>,
  identity: Identity,
): ValueList {
  const result: Value[] = [];
  let i = 0;
  for (const item of right) {
    const at = positions.get(identity(item));
    while (i < left.length && at !== undefined) {
      const next = left[i] as Value;
      const nextAt = positions.get(identity(next));
      if (nextAt === undefined || nextAt >= at) break;
      result.push(next);
      i++;
    }
    result.push(item);
  }
  return [...result, ...left.slice(i)];
}

/**
 * Checks that the items of a patch come in the order that `$setElementOrder` gives, and that it names all of them.
 * Deletions do not count.
 */
export function checkOrder(patch: ValueList, order: ValueList, mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const identity = identityOf(mergeKey === "" ? "scalar" : "object", mergeKey);
  const items = mergeKey === "" ? patch : patch.filter((item) => !isDeletion(item));
  let at = 0;
  let orderAt = 0;
  while (at < items.length && orderAt < order.length) {
    const item = items[at] as Value;
    if (hasDirective(item)) at++;
    else {
      if (identity(item) === identity(order[orderAt] as Value)) at++;
      orderAt++;
    }
  }
  if (at >= items.length) return;
  throw new StrategicPatchError(
    `The order in patch list:\n${goValueText(patch)}\n doesn't match $setElementOrder list:\n${goValueText(order)}\n`,
  );
}
