/** Adopting and letting go of objects by labels. Source: kubernetes pkg/controller/controller_ref_manager.go. */
import {
  type AnyKind,
  type DeepReadonly,
  type KindOf,
  type KubeObject,
  type LabelMatcher,
  controllerOf,
} from "@bowline/api";
import { isNotFound } from "@bowline/api";
import type { ReconcileContext } from "@bowline/runtime";
import { keyOf } from "./control-plane.ts";

const orphanIndex = "without-controller";

export interface ClaimOptions {
  readonly selector: LabelMatcher;
  /** More that an orphan must fulfil to be taken in. */
  readonly canAdopt?: (object: DeepReadonly<KubeObject>) => boolean;
}

/**
 * The objects of a kind that belong to the object under reconcile: those that it controls and that match, and orphans that
 * match, which are adopted. Those that it controls and that do not match any more are let go.
 */
export async function claim<K extends AnyKind>(
  kind: K,
  owner: DeepReadonly<KubeObject>,
  ctx: ReconcileContext<never>,
  options: ClaimOptions,
): Promise<DeepReadonly<KindOf<K>>[]> {
  const claimed: DeepReadonly<KindOf<K>>[] = [];
  for (const object of await ctx.owned(kind)) {
    if (options.selector.matches(object.metadata.labels)) claimed.push(object);
    else if (object.metadata.deletionTimestamp === undefined) await release(kind, object, owner, ctx);
  }
  for (const orphan of await orphansIn(kind, owner.metadata.namespace ?? "", ctx)) {
    const fits = options.selector.matches(orphan.metadata.labels) && options.canAdopt?.(orphan) !== false;
    if (!fits || orphan.metadata.deletionTimestamp !== undefined) continue;
    const adopted = await adopt(kind, orphan, owner, ctx);
    if (adopted !== undefined) claimed.push(adopted as DeepReadonly<KindOf<K>>);
  }
  return claimed;
}

function orphansIn<K extends AnyKind>(
  kind: K,
  namespace: string,
  ctx: ReconcileContext<never>,
): Promise<readonly DeepReadonly<KindOf<K>>[]> {
  ctx.cache.addIndex(kind, orphanIndex, (object) =>
    controllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : [],
  );
  return ctx.list(kind, { index: { name: orphanIndex, value: namespace } });
}

async function adopt(
  kind: AnyKind,
  object: DeepReadonly<KubeObject>,
  owner: DeepReadonly<KubeObject>,
  ctx: ReconcileContext<never>,
): Promise<DeepReadonly<KubeObject> | undefined> {
  // the cache may not know yet that the owner is going: what it adopts now would go with it
  const live = await ctx.client.find(owner, keyOf(owner), { signal: ctx.signal });
  if (live?.metadata.uid !== owner.metadata.uid || live?.metadata.deletionTimestamp !== undefined)
    return undefined;
  const reference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? "",
    uid: owner.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
  return changeOwners(kind, object, [...(object.metadata.ownerReferences ?? []), reference], ctx);
}

async function release(
  kind: AnyKind,
  object: DeepReadonly<KubeObject>,
  owner: DeepReadonly<KubeObject>,
  ctx: ReconcileContext<never>,
): Promise<void> {
  const rest = object.metadata.ownerReferences?.filter(({ uid }) => uid !== owner.metadata.uid) ?? [];
  await changeOwners(kind, object, rest, ctx);
}

/** Undefined when the object is gone. The version makes sure that nobody else changed its owners meanwhile. */
async function changeOwners(
  kind: AnyKind,
  object: DeepReadonly<KubeObject>,
  ownerReferences: readonly object[],
  ctx: ReconcileContext<never>,
): Promise<DeepReadonly<KubeObject> | undefined> {
  const { uid, resourceVersion } = object.metadata;
  const merge = { metadata: { uid, ownerReferences: ownerReferences.length > 0 ? ownerReferences : null } };
  try {
    const answer = await ctx.client.patch(
      kind,
      keyOf(object),
      { merge: merge as never },
      { resourceVersion, signal: ctx.signal },
    );
    return answer as DeepReadonly<KubeObject>;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
