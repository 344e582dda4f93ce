/** Carries stages out on pods and nodes. */
import {
  type AnyKind,
  type DeepReadonly,
  type KubeObject,
  decodeYaml,
  isConflict,
  isNotFound,
} from "@bowline/api";
import { Node, Pod } from "@bowline/api/core/v1";
import { type ControllerDefinition, type ReconcileContext, defineController } from "@bowline/runtime";
import { ComponentEvents } from "../../controllers/component-events.ts";
import { type CompiledStage, type StagePatch, chooseStage } from "./stage.ts";
import { type TemplatePlace, templateFunctions } from "./template-functions.ts";

export interface StageControllersOptions {
  readonly stages: readonly CompiledStage[];
  readonly place: TemplatePlace;
  /** Whether a node is a simulated one that answers. */
  isUp(node: string): boolean;
}

/** A stage that an object waits for. */
interface Waiting {
  readonly stage: string;
  readonly dueAt: number;
}

type Context = ReconcileContext<KubeObject>;

/** A controller for each kind that there are stages for. */
export function stageControllers(options: StageControllersOptions): ControllerDefinition[] {
  return [Pod, Node].flatMap((kind) => {
    const stages = options.stages.filter((stage) => stage.kind === kind.kind);
    return stages.length === 0 ? [] : [stageController(kind as unknown as AnyKind, stages, options)];
  });
}

function stageController(
  kind: AnyKind,
  stages: readonly CompiledStage[],
  { place, isUp }: StageControllersOptions,
): ControllerDefinition {
  const waiting = new Map<string, Waiting>();
  const events = new ComponentEvents("kwok");
  return defineController(kind, {
    name: `stages-of-${kind.plural}`,
    fieldManager: "kwok",
    whileDeleting: true,
    concurrency: 20,
    async reconcile(object, ctx) {
      const node = nodeOf(object);
      if (!isUp(node)) return undefined;
      const { namespace = "", name = "" } = object.metadata;
      const key = `${namespace}/${name}`;
      const { random } = ctx.client;
      const known = waiting.get(key);
      const stage = chooseStage(stages, object, { kept: known?.stage, random });
      if (stage === undefined) return void waiting.delete(key);
      const now = ctx.clock.now();
      const dueAt = known?.stage === stage.name ? known.dueAt : now + stage.delayMs(object, now, random);
      waiting.set(key, { stage: stage.name, dueAt });
      if (dueAt > now) return { requeueAfterMs: dueAt - now };
      await carryOut(stage, { kind, object, ctx, place, events });
      waiting.delete(key);
      return undefined;
    },
    gone: ({ namespace, name }) => void waiting.delete(`${namespace}/${name}`),
  });
}

function nodeOf(object: DeepReadonly<KubeObject>): string {
  if (object.kind === "Node") return object.metadata.name ?? "";
  return (object as DeepReadonly<Pod>).spec?.nodeName ?? "";
}

interface Scene {
  readonly kind: AnyKind;
  readonly object: DeepReadonly<KubeObject>;
  readonly ctx: Context;
  readonly place: TemplatePlace;
  readonly events: ComponentEvents;
}

async function carryOut(stage: CompiledStage, scene: Scene): Promise<void> {
  const { kind, object, ctx, events } = scene;
  const { event, finalizers, delete: isDelete = false } = stage.next;
  const { name = "", namespace = "", uid = "" } = object.metadata;
  const key = kind.scope === "Namespaced" ? { name, namespace } : { name };
  if (event !== undefined) {
    const type = event.type === "Warning" ? "Warning" : "Normal";
    events.record(ctx, object as never, { type, reason: event.reason ?? "", message: event.message ?? "" });
  }
  try {
    if (finalizers !== undefined) await writeFinalizers(finalizers, scene, key);
    if (isDelete) {
      const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal: ctx.signal };
      return void (await ctx.client.delete(kind, key, options));
    }
    for (const patch of stage.patches) await applyPatch(patch, scene, key);
  } catch (error) {
    // gone or changed meanwhile: what comes of it is decided anew
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function writeFinalizers(
  wanted: NonNullable<CompiledStage["next"]["finalizers"]>,
  { kind, object, ctx }: Scene,
  key: { readonly name: string; readonly namespace?: string },
): Promise<void> {
  const before = object.metadata.finalizers ?? [];
  const removed = new Set(wanted.remove?.map(({ value }) => value));
  const kept = wanted.empty === true ? [] : before.filter((value) => !removed.has(value));
  const added = (wanted.add ?? []).map(({ value }) => value).filter((value) => !kept.includes(value));
  const finalizers = [...kept, ...added];
  if (finalizers.join() === before.join()) return;
  const body = { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } };
  await ctx.client.patch(kind, key, { merge: body as never });
}

async function applyPatch(
  { template, root, subresource, type }: StagePatch,
  { kind, object, ctx, place }: Scene,
  key: { readonly name: string; readonly namespace?: string },
): Promise<void> {
  const functions = templateFunctions(place, nodeOf(object), object.metadata.uid ?? "");
  const text = template.render(object, functions);
  const { value } = decodeYaml(text);
  if (value === null) return;
  const body = root === "" ? value : { [root]: value };
  const patch = { [type]: body } as never;
  await ctx.client.patch(kind, key, patch, subresource === "" ? {} : { subresource });
}
