/** Numbered states of a pod template. Source: kubernetes pkg/controller/history (controller_history.go). */
import {
  type DeepReadonly,
  type KubeObject,
  type LabelMatcher,
  isAlreadyExists,
  jsonEqual,
} from "@bowline/api";
import { ControllerRevision } from "@bowline/api/apps/v1";
import type { ReconcileContext } from "@bowline/runtime";
import { claim } from "./claim.ts";
import { byAge, keyOf } from "./control-plane.ts";
import { templateHash } from "./template-hash.ts";

export type Revision = DeepReadonly<ControllerRevision>;

/** An object whose templates are numbered. */
export interface Revisioned extends KubeObject {
  readonly spec?: {
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
    readonly revisionHistoryLimit?: number;
  };
}

export interface Revisions {
  /** Oldest number first; the last is that of today's template. */
  readonly all: readonly Revision[];
  readonly update: Revision;
  readonly collisionCount: number;
}

const hashLabel = "controller.kubernetes.io/hash";

/** The revisions of an object, with one of today's template as the newest, which is made when it is missing. */
export async function ensureRevisions(
  owner: DeepReadonly<Revisioned>,
  ctx: ReconcileContext<never>,
  given: { readonly selector: LabelMatcher; readonly collisionCount: number },
): Promise<Revisions> {
  const all = (await claim(ControllerRevision, owner, ctx, { selector: given.selector })).sort(
    (a, b) => a.revision - b.revision || byAge(a, b),
  );
  const data = { spec: { template: { ...owner.spec?.template, $patch: "replace" } } };
  const { collisionCount } = given;
  const next = (all.at(-1)?.revision ?? 0) + 1;
  const same = all.findLast((revision) => jsonEqual(revision.data, data));
  if (same === undefined) {
    const made = await create(owner, ctx, { data, revision: next, collisionCount });
    return { all: [...all, made.revision], update: made.revision, collisionCount: made.collisionCount };
  }
  if (same === all.at(-1)) return { all, update: same, collisionCount };
  // an earlier template is back: its revision becomes the newest
  const update = await ctx.patch(ControllerRevision, keyOf(same), { revision: next });
  return { all: [...all.filter((revision) => revision !== same), update], update, collisionCount };
}

async function create(
  owner: DeepReadonly<Revisioned>,
  ctx: ReconcileContext<never>,
  given: { readonly data: object; readonly revision: number; readonly collisionCount: number },
): Promise<{ revision: Revision; collisionCount: number }> {
  let { collisionCount } = given;
  for (;;) {
    const hash = templateHash(given.data, collisionCount);
    const metadata = {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace ?? "",
      labels: { ...owner.spec?.template?.metadata?.labels, [hashLabel]: hash },
    };
    try {
      const revision = await ctx.create(ControllerRevision, {
        metadata,
        data: given.data as never,
        revision: given.revision,
      });
      return { revision, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const taken = await ctx.client.get(ControllerRevision, metadata, { signal: ctx.signal });
      if (jsonEqual(taken.data, given.data)) return { revision: taken, collisionCount };
      collisionCount++;
    }
  }
}

/** The short text that tells a revision's pods. */
export function hashOf(revision: Revision): string {
  return revision.metadata.labels?.[hashLabel] ?? "";
}

/** Deletes the oldest revisions that nothing uses, beyond the history limit. */
export async function truncateHistory(
  owner: DeepReadonly<Revisioned>,
  ctx: ReconcileContext<never>,
  given: { readonly all: readonly Revision[]; readonly isLive: (revision: Revision) => boolean },
): Promise<void> {
  const unused = given.all.filter((revision) => !given.isLive(revision));
  const surplus = unused.length - (owner.spec?.revisionHistoryLimit ?? 10);
  for (const revision of unused.slice(0, Math.max(0, surplus))) await ctx.delete(revision);
}
