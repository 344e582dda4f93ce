/** Stages, read once. Source of the rules: kwok pkg/utils/lifecycle, and its conversion of `next` to steps. */
import { type DeepReadonly, type KubeObject, parseApiVersion } from "@bowline/api";
import type { Random } from "@bowline/client";
import { GoTemplate } from "./go-template.ts";
import {
  type Stage,
  type StageApply,
  type StageEvent,
  type StageFinalizers,
  type StagePatch,
  type StageStep,
  StageError,
} from "./stage.ts";
import { matcherOf } from "./stage-selector.ts";
import { countFrom, durationFrom } from "./stage-value.ts";

/** One thing that a stage does. */
export type CompiledStep =
  | { readonly type: "event"; readonly event: StageEvent }
  | { readonly type: "finalizers"; readonly finalizers: StageFinalizers }
  | { readonly type: "delete" }
  | { readonly type: "patch"; readonly patch: CompiledPatch }
  | { readonly type: "apply"; readonly apply: CompiledApply };

export interface CompiledPatch {
  readonly subresource: string;
  readonly root: string;
  readonly template: GoTemplate;
  readonly type: "json" | "merge" | "strategic";
  /** Name of the user that it is made as; `""` for our own. */
  readonly as: string;
}

export interface CompiledApply {
  readonly subresource: string;
  readonly template: GoTemplate;
  readonly type: "apply" | "merge" | "strategic";
  readonly as: string;
}

export interface CompiledStage {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly steps: readonly CompiledStep[];
  readonly isNextImmediate: boolean;
  matches(object: DeepReadonly<KubeObject>): boolean;
  /** How often it is drawn; undefined where the object does not say. */
  weight(object: DeepReadonly<KubeObject>): number | undefined;
  /** How long the object waits for it, milliseconds. */
  delayMs(object: DeepReadonly<KubeObject>, now: number, random: Random): number;
}

/** @throws StageError naming the stage and what is wrong with it */
export function compileStage(stage: Stage): CompiledStage {
  const name = stage.metadata?.name ?? "";
  try {
    return compiled(stage, name);
  } catch (error) {
    throw new StageError(`stage ${JSON.stringify(name)}: ${(error as Error).message}`, { cause: error });
  }
}

function compiled({ apiVersion, kind, spec }: Stage, name: string): CompiledStage {
  if (apiVersion !== "kwok.x-k8s.io/v1alpha1" || kind !== "Stage")
    throw new Error(`a kwok.x-k8s.io/v1alpha1 Stage is expected, and this is a ${apiVersion} ${kind}`);
  const { kind: about = "", apiGroup = "v1" } = spec?.resourceRef ?? {};
  if (about === "") throw new Error("spec.resourceRef.kind says which kind it is for, and is absent");
  if (parseApiVersion(apiGroup).group === "" && apiGroup !== "v1") {
    const example = apiGroup === "" ? "v1" : `${apiGroup}/v1`;
    throw new Error(
      `spec.resourceRef.apiGroup is a group and a version, such as ${example}, and this is ${JSON.stringify(apiGroup)}`,
    );
  }
  return {
    name,
    apiVersion: apiGroup,
    kind: about,
    steps: stepsOf(spec, apiGroup === "v1" && (about === "Pod" || about === "Node")),
    isNextImmediate: spec.immediateNextStage ?? false,
    matches: matcherOf(spec.selector),
    weight: countFrom(spec.weightFrom, spec.weight ?? 0),
    delayMs: delayOf(spec.delay ?? {}),
  };
}

function stepsOf({ next = {}, steps = [] }: Stage["spec"], isStrategic: boolean): CompiledStep[] {
  const { event, finalizers, delete: isDelete = false, patches = [], statusTemplate } = next;
  const status: StagePatch = {
    subresource: next.statusSubresource ?? "status",
    root: "status",
    template: statusTemplate ?? "",
    ...(next.statusPatchAs === undefined ? {} : { impersonation: next.statusPatchAs }),
  };
  const all: StageStep[] = [
    ...(event === undefined ? [] : [{ event }]),
    ...(finalizers === undefined ? [] : [{ finalizers }]),
    ...(isDelete ? [{ delete: true }] : []),
    ...(statusTemplate === undefined ? [] : [{ patch: status }]),
    ...patches.map((patch) => ({ patch })),
    ...steps,
  ];
  return all.flatMap((step) => partsOf(step, isStrategic));
}

/** A step may say several things, which happen in this order. */
function partsOf(step: StageStep, isStrategic: boolean): CompiledStep[] {
  const { event, finalizers, patch, apply } = step;
  const parts: CompiledStep[] = [];
  if (event !== undefined) parts.push({ type: "event", event });
  if (finalizers !== undefined) parts.push({ type: "finalizers", finalizers });
  if (step.delete === true) parts.push({ type: "delete" });
  if (patch !== undefined) parts.push({ type: "patch", patch: compiledPatch(patch, isStrategic) });
  if (apply !== undefined) parts.push({ type: "apply", apply: compiledApply(apply) });
  return parts;
}

const patchTypes: readonly string[] = ["json", "merge", "strategic"];
const applyTypes: readonly string[] = ["apply", "merge", "strategic"];

function compiledPatch(patch: StagePatch, isStrategic: boolean): CompiledPatch {
  const type = patch.type ?? (isStrategic ? "strategic" : "merge");
  checkType(type, patchTypes);
  const { subresource = "", root = "", impersonation } = patch;
  return { subresource, root, type, template: new GoTemplate(patch.template), as: nameOf(impersonation) };
}

function compiledApply(apply: StageApply): CompiledApply {
  const type = apply.type ?? "apply";
  checkType(type, applyTypes);
  const { subresource = "", impersonation } = apply;
  return { subresource, type, template: new GoTemplate(apply.template), as: nameOf(impersonation) };
}

function nameOf(user: { readonly username: string } | undefined): string {
  return user?.username ?? "";
}

function checkType(type: string, known: readonly string[]): void {
  if (!known.includes(type))
    throw new Error(`the type ${JSON.stringify(type)} is none of ${known.join(", ")}`);
}

function delayOf(delay: NonNullable<Stage["spec"]["delay"]>): CompiledStage["delayMs"] {
  const duration = durationFrom(delay.durationFrom, delay.durationMilliseconds ?? 0);
  const jitter = durationFrom(delay.jitterDurationFrom, delay.jitterDurationMilliseconds);
  return (object, now, random) => {
    const least = duration(object, now);
    if (least === undefined) return 0;
    const most = jitter(object, now);
    if (most === undefined) return least;
    return most <= least ? most : least + random.next() * (most - least);
  };
}
