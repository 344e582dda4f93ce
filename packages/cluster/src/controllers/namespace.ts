/** Empties and ends namespaces. Source: kubernetes pkg/controller/namespace (namespaced_resources_deleter.go). */
import { type DeepReadonly, type KubeObject, isNotFound } from "@bowline/api";
import { Namespace } from "@bowline/api/core/v1";
import { type DiscoveredKind, metadataOnly, rfc3339 } from "@bowline/client";
import { type ControllerDefinition, type ReconcileContext, defineController } from "@bowline/runtime";
import { type ServedKinds, untilAborted } from "./served-kinds.ts";

type Target = DeepReadonly<Namespace>;
type Context = ReconcileContext<Namespace>;

const finalizer = "kubernetes";

/** What was left after a pass. */
interface Remains {
  readonly counts: ReadonlyMap<string, number>;
  readonly finalizers: ReadonlyMap<string, number>;
  readonly errors: readonly string[];
}

/** Deletes everything in namespaces that are going, says what is left, and lets them go when nothing is. */
export function namespaceController(served: ServedKinds): ControllerDefinition {
  return defineController(Namespace, {
    name: "namespace-controller",
    fieldManager: "kube-controller-manager",
    concurrency: 10,
    whileDeleting: true,
    sources: [{ name: "content", start: ({ enqueue, signal }) => followContent(served, enqueue, signal) }],
    async reconcile(namespace, ctx) {
      if (namespace.metadata.deletionTimestamp === undefined) return;
      if (!namespace.spec?.finalizers?.includes(finalizer)) return;
      await served.waitForSync(ctx.signal);
      const remains = await empty(namespace.metadata.name ?? "", served.deletable, ctx);
      if (remains.counts.size > 0 || remains.errors.length > 0) {
        await ctx.patchStatus({ conditions: conditionsOf(namespace, remains, ctx.clock.now()) } as never);
        if (remains.errors.length > 0) throw new Error(remains.errors.join("; "));
        return;
      }
      await finalize(namespace, ctx);
    },
  });
}

/** Whatever goes out of a namespace may have been the last of it. */
async function followContent(
  served: ServedKinds,
  enqueue: (request: { readonly name: string }) => void,
  signal: AbortSignal,
): Promise<void> {
  const going = new Set<string>();
  const off = served.subscribe({
    onEvent(kind, event) {
      const { metadata } = event.object;
      if (kind.group === "" && kind.plural === "namespaces") {
        const isGoing = event.type !== "deleted" && metadata.deletionTimestamp !== undefined;
        if (isGoing) going.add(metadata.name ?? "");
        else going.delete(metadata.name ?? "");
      } else if (going.has(metadata.namespace ?? "")) {
        // also what stays: its finalizers may have changed
        enqueue({ name: metadata.namespace ?? "" });
      }
    },
  });
  await untilAborted(signal);
  off();
}

/** Deletes what there is: pods first, and everything else when they are gone. */
async function empty(namespace: string, kinds: readonly DiscoveredKind[], ctx: Context): Promise<Remains> {
  const inside = kinds.filter((kind) => kind.scope === "Namespaced");
  const isPods = (kind: DiscoveredKind): boolean => kind.group === "" && kind.plural === "pods";
  const pods = await emptyOf(namespace, inside.filter(isPods), ctx);
  if (pods.counts.size > 0) return pods;
  const others = inside.filter((kind) => !isPods(kind));
  const rest = await emptyOf(namespace, others, ctx);
  return { ...rest, errors: [...pods.errors, ...rest.errors] };
}

async function emptyOf(namespace: string, kinds: readonly DiscoveredKind[], ctx: Context): Promise<Remains> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const errors: string[] = [];
  await Promise.all(
    kinds.map(async (kind) => {
      try {
        const left = await deleteAll(namespace, kind, ctx);
        if (left.length > 0) counts.set(resourceText(kind), left.length);
        for (const name of left.flatMap((object) => object.metadata.finalizers ?? [])) {
          finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
        }
      } catch (error) {
        ctx.signal.throwIfAborted();
        // its definition went in the meantime, and took all objects along
        if (isNotFound(error)) return;
        errors.push(`${resourceText(kind)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }),
  );
  return { counts, finalizers, errors };
}

/** @returns what is still there after the delete */
async function deleteAll(
  namespace: string,
  kind: DiscoveredKind,
  ctx: Context,
): Promise<readonly DeepReadonly<KubeObject>[]> {
  const list = async (): Promise<readonly DeepReadonly<KubeObject>[]> =>
    (await ctx.client.list(metadataOnly(kind), { namespace, signal: ctx.signal })).items;
  const before = await list();
  const fresh = before.filter((object) => object.metadata.deletionTimestamp === undefined);
  if (fresh.length === 0) return before;
  if (kind.verbs.includes("deletecollection")) {
    await ctx.client.deleteAllOf(kind, { namespace, propagationPolicy: "Background", signal: ctx.signal });
  } else {
    for (const object of fresh) {
      await ctx.client
        .delete(kind, object, { propagationPolicy: "Background", signal: ctx.signal })
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
    }
  }
  return list();
}

/** Takes the mark of this controller away; the namespace goes with its last mark. */
async function finalize(namespace: Target, ctx: Context): Promise<void> {
  const name = namespace.metadata.name ?? "";
  const finalizers = (namespace.spec?.finalizers ?? []).filter((one) => one !== finalizer);
  try {
    await ctx.client.transport.request({
      method: "PUT",
      path: `/api/v1/namespaces/${encodeURIComponent(name)}/finalize`,
      body: { ...namespace, spec: { ...namespace.spec, finalizers } },
      signal: ctx.signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** With a dot also when the group is empty, as the real controller writes it. */
function resourceText(kind: DiscoveredKind): string {
  return `${kind.plural}.${kind.group}`;
}

/** Source: namespaced_resources_deleter.go, deletion/status_condition_utils.go. */
function conditionsOf(namespace: Target, remains: Remains, now: number): object[] {
  const { counts, finalizers, errors } = remains;
  const listed = (map: ReadonlyMap<string, number>, join: (name: string, count: number) => string): string =>
    [...map]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => join(name, count))
      .join(", ");
  const resources = listed(counts, (name, count) => `${name} has ${count} resource instances`);
  const holders = listed(finalizers, (name, count) => `${name} in ${count} resource instances`);
  const say = (
    type: string,
    fact: string | undefined,
    bad: string,
    [reason, message]: readonly [string, string],
  ): object => {
    const status = fact === undefined ? "False" : "True";
    const text = { type, status, reason: fact === undefined ? reason : bad, message: fact ?? message };
    const before = namespace.status?.conditions?.find((c) => c.type === type);
    const same =
      before?.status === status && before.reason === text.reason && before.message === text.message;
    return { ...text, lastTransitionTime: same ? before.lastTransitionTime : rfc3339(now) };
  };
  return [
    say("NamespaceDeletionDiscoveryFailure", undefined, "", [
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ]),
    say("NamespaceDeletionGroupVersionParsingFailure", undefined, "", [
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ]),
    say(
      "NamespaceDeletionContentFailure",
      errors.length === 0
        ? undefined
        : `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(", ")}`,
      "ContentDeletionFailed",
      ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    ),
    say(
      "NamespaceContentRemaining",
      resources === "" ? undefined : `Some resources are remaining: ${resources}`,
      "SomeResourcesRemain",
      ["ContentRemoved", "All content successfully removed"],
    ),
    say(
      "NamespaceFinalizersRemaining",
      holders === "" ? undefined : `Some content in the namespace has finalizers remaining: ${holders}`,
      "SomeFinalizersRemain",
      ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    ),
  ];
}
