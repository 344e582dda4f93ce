/** Does what a stage says. Source of the rules: kwok pkg/utils/lifecycle (next.go, apply.go, finalizers.go). */
import {
  type AnyKind,
  type DeepReadonly,
  type JsonPatchOperation,
  type KubeObject,
  decodeYaml,
  isAlreadyExists,
} from "@bowline/api";
import type { Client } from "@bowline/client";
import type { ReconcileContext } from "@bowline/runtime";
import type { ComponentEvents } from "../../controllers/component-events.ts";
import { clientAs } from "./client-as.ts";
import type { CompiledApply, CompiledPatch, CompiledStage, CompiledStep } from "./compile-stage.ts";
import type { GoTemplate } from "./go-template.ts";
import { StageError, type StageFinalizers } from "./stage.ts";
import { type TemplatePlace, templateFunctions } from "./template-functions.ts";

/** An object in a stage. */
export interface StageScene {
  readonly kind: AnyKind;
  readonly object: DeepReadonly<KubeObject>;
  readonly ctx: ReconcileContext<KubeObject>;
  readonly place: TemplatePlace;
  readonly events: ComponentEvents;
  /** Name of the node that the object is, or is on; `""` for none. */
  readonly node: string;
}

/**
 * Carries steps out from one on.
 * @param reached is told the next step after each one, so that what failed can go on there
 * @throws StageError for a template that fails; StatusError and others of requests
 */
export async function carryOutStage(
  stage: CompiledStage,
  scene: StageScene,
  { from, reached }: { readonly from: number; reached(step: number): void },
): Promise<void> {
  let isDeleted = stage.steps.slice(0, from).some(({ type }) => type === "delete");
  for (const [at, step] of stage.steps.entries()) {
    if (at < from) continue;
    // nothing but events is said of what is gone
    if (!isDeleted || step.type === "event") await carryOut(step, stage, scene);
    isDeleted ||= step.type === "delete";
    reached(at + 1);
  }
}

async function carryOut(step: CompiledStep, stage: CompiledStage, scene: StageScene): Promise<void> {
  const { ctx, object, events, kind } = scene;
  switch (step.type) {
    case "event": {
      const { type, reason = "", message = "" } = step.event;
      const level = type === "Warning" ? "Warning" : "Normal";
      return events.record(ctx, object, { type: level, reason, message });
    }
    case "finalizers":
      return writeFinalizers(step.finalizers, scene);
    case "delete": {
      const preconditions = { uid: object.metadata.uid ?? "" };
      const options = { gracePeriodSeconds: 0, preconditions, signal: ctx.signal };
      return void (await ctx.client.delete(kind, keyOf(scene), options));
    }
    case "patch":
      return applyPatch(step.patch, stage, scene);
    default:
      return applyObject(step.apply, stage, scene);
  }
}

function keyOf({ kind, object }: StageScene): { readonly name: string; readonly namespace?: string } {
  const { name = "", namespace = "" } = object.metadata;
  return kind.scope === "Namespaced" ? { name, namespace } : { name };
}

async function writeFinalizers(wanted: StageFinalizers, scene: StageScene): Promise<void> {
  const { object, ctx, kind } = scene;
  const before = object.metadata.finalizers ?? [];
  const removed = new Set(wanted.remove?.map(({ value }) => value));
  const kept = wanted.empty === true ? [] : before.filter((value) => !removed.has(value));
  const added = (wanted.add ?? []).map(({ value }) => value).filter((value) => !kept.includes(value));
  const finalizers = [...kept, ...added];
  if (finalizers.join() === before.join()) return;
  const { resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion, finalizers: finalizers.length === 0 ? null : finalizers } };
  await ctx.client.patch(kind, keyOf(scene), { merge: body as never }, { signal: ctx.signal });
}

function clientOf(scene: StageScene, as: string): Client {
  return as === "" ? scene.ctx.client : clientAs(scene.ctx.client, as);
}

async function applyPatch(
  { template, root, subresource, type, as }: CompiledPatch,
  stage: CompiledStage,
  scene: StageScene,
): Promise<void> {
  const value = rendered(template, stage, scene);
  if (value === null) return;
  const body = root === "" ? value : type === "json" ? below(root, value) : { [root]: value };
  const options = { signal: scene.ctx.signal, ...(subresource === "" ? {} : { subresource }) };
  await clientOf(scene, as).patch(scene.kind, keyOf(scene), { [type]: body } as never, options);
}

/** Operations of a JSON patch on a part of the object. */
function below(root: string, value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return (value as JsonPatchOperation[]).map((operation) => ({
    ...operation,
    path: `/${root}${operation.path}`,
  }));
}

async function applyObject(
  { template, subresource, type, as }: CompiledApply,
  stage: CompiledStage,
  scene: StageScene,
): Promise<void> {
  const { ctx } = scene;
  const given = rendered(template, stage, scene) as KubeObject | null;
  if (typeof given?.apiVersion !== "string" || typeof given.kind !== "string")
    throw new StageError(`stage ${JSON.stringify(stage.name)}: what it applies has no apiVersion and kind`);
  const client = clientOf(scene, as);
  const kind = await ctx.client.mapper.resourceFor(given, { signal: ctx.signal });
  const namespace = given.metadata?.namespace ?? scene.object.metadata.namespace;
  const isNamespaced = kind.scope === "Namespaced" && namespace !== undefined;
  const object = { ...given, metadata: { ...given.metadata, ...(isNamespaced ? { namespace } : {}) } };
  const options = { signal: ctx.signal, ...(subresource === "" ? {} : { subresource }) };
  if (type === "apply")
    return void (await client.apply(kind, object as never, {
      ...options,
      force: true,
      fieldManager: "kwok",
    }));
  try {
    if (subresource === "") return void (await client.create(kind, object as never, { signal: ctx.signal }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const key = { name: object.metadata.name ?? "", ...(isNamespaced ? { namespace } : {}) };
  await client.patch(kind, key, { [type]: object } as never, options);
}

/** The value that a template makes; null for an empty one. @throws StageError */
function rendered(template: GoTemplate, stage: CompiledStage, { object, place, node }: StageScene): unknown {
  const functions = templateFunctions(place, node, object.metadata.uid ?? "");
  try {
    return decodeYaml(template.render(object, functions)).value;
  } catch (error) {
    throw new StageError(
      `stage ${JSON.stringify(stage.name)}: its template makes no YAML of this object: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
