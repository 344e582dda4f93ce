/** Controllers that carry stages out, one for each kind that there are stages for. */
import { type AnyKind, type DeepReadonly, type KubeObject, isConflict, isNotFound } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { Node, Pod } from "@bowline/api/core/v1";
import {
  type ControllerDefinition,
  type Manager,
  type ReconcileContext,
  changed,
  defineController,
  defineLoop,
  watch,
} from "@bowline/runtime";
import { ComponentEvents } from "../../controllers/component-events.ts";
import { startOnce } from "../../controllers/served-kinds.ts";
import { type StageScene, carryOutStage } from "./carry-out-stage.ts";
import { chooseStage } from "./choose-stage.ts";
import type { CompiledStage } from "./compile-stage.ts";
import { StageError } from "./stage.ts";
import type { TemplatePlace } from "./template-functions.ts";

export interface StageControllersOptions {
  readonly stages: readonly CompiledStage[];
  readonly place: TemplatePlace;
  /** Whether a node is a simulated one that answers. */
  isUp(node: string): boolean;
  /** Gets the controllers of kinds that are served later. */
  readonly manager: Manager;
}

/** Stages for pods and nodes are carried out from the start; those for other kinds as soon as they are served. */
export function stageControllers(options: StageControllersOptions): ControllerDefinition[] {
  const known = [Pod, Node] as unknown as readonly AnyKind[];
  const others = new Map<string, CompiledStage[]>();
  for (const stage of options.stages) {
    const key = `${stage.apiVersion}/${stage.kind}`;
    others.set(key, [...(others.get(key) ?? []), stage]);
  }
  const controllers = known.flatMap((kind) => {
    const key = `${kind.apiVersion}/${kind.kind}`;
    const stages = others.get(key);
    others.delete(key);
    return stages === undefined ? [] : [stageController(kind, stages, options)];
  });
  return others.size === 0 ? controllers : [...controllers, stagedKinds(others, options)];
}

/** Keeps a controller for each kind with stages while it is served. */
function stagedKinds(
  stages: ReadonlyMap<string, readonly CompiledStage[]>,
  options: StageControllersOptions,
): ControllerDefinition {
  const running = new Map<string, string>();
  return defineLoop({
    name: "staged-kinds",
    watches: [
      watch(CustomResourceDefinition, () => ({ name: "all" }), {
        predicates: [changed((crd) => [crd.spec, crd.status])],
      }),
    ],
    sources: [startOnce],
    async reconcile(_request, { client, signal }) {
      client.mapper.reset();
      const served = await client.mapper.kinds({ signal });
      for (const [key, ofKind] of stages) {
        const kind = served.find(({ apiVersion, kind: name }) => `${apiVersion}/${name}` === key);
        const controller = running.get(key);
        if (kind === undefined && controller !== undefined) {
          running.delete(key);
          await options.manager.remove(controller);
        } else if (kind?.verbs.includes("watch") === true && controller === undefined) {
          const definition = stageController(kind as unknown as AnyKind, ofKind, options);
          running.set(key, definition.name);
          options.manager.add(definition);
        }
      }
    },
  });
}

/** A stage that an object waits for, or is in the middle of. */
interface Underway {
  readonly stage: CompiledStage;
  readonly dueAt: number;
  /** The step that comes next. */
  step: number;
}

function stageController(
  kind: AnyKind,
  stages: readonly CompiledStage[],
  { place, isUp }: StageControllersOptions,
): ControllerDefinition {
  const underway = new Map<string, Underway>();
  const events = new ComponentEvents("kwok");
  const choose = (object: DeepReadonly<KubeObject>, { client, clock }: Context): Underway | undefined => {
    const known = underway.get(keyOf(object));
    if (known !== undefined && known.step > 0) return known;
    const { random } = client;
    const stage = chooseStage(stages, object, { kept: known?.stage.name, random });
    if (stage === undefined || stage === known?.stage) return stage && known;
    const now = clock.now();
    return { stage, dueAt: now + stage.delayMs(object, now, random), step: 0 };
  };
  return defineController(kind, {
    name: `stages-of-${kind.plural}${kind.group === "" ? "" : `.${kind.group}`}`,
    fieldManager: "kwok",
    whileDeleting: true,
    concurrency: 20,
    async reconcile(object, ctx) {
      const node = nodeOf(object);
      if (node !== undefined && !isUp(node)) return undefined;
      const key = keyOf(object);
      const next = choose(object, ctx);
      if (next === undefined) return void underway.delete(key);
      underway.set(key, next);
      const waitMs = next.dueAt - ctx.clock.now();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      await play(next, { kind, object, ctx, place, events, node: node ?? "" });
      underway.delete(key);
      return next.stage.isNextImmediate ? { requeueAfterMs: 1 } : undefined;
    },
    gone: ({ namespace, name }) => void underway.delete(`${namespace}/${name}`),
  });
}

type Context = ReconcileContext<KubeObject>;

function keyOf({ metadata: { namespace = "", name = "" } }: DeepReadonly<KubeObject>): string {
  return `${namespace}/${name}`;
}

/** The node that a node or pod depends on; undefined for other kinds, which depend on none. */
function nodeOf(object: DeepReadonly<KubeObject>): string | undefined {
  if (object.apiVersion !== "v1") return undefined;
  if (object.kind === "Node") return object.metadata.name ?? "";
  return object.kind === "Pod" ? ((object as DeepReadonly<Pod>).spec?.nodeName ?? "") : undefined;
}

/** Failures are told in an event of the object: nobody sees the log of the simulated nodes. */
async function play(underway: Underway, scene: StageScene): Promise<void> {
  const { stage, step: from } = underway;
  const { ctx, object, events } = scene;
  try {
    await carryOutStage(stage, scene, { from, reached: (step) => (underway.step = step) });
  } catch (error) {
    // gone or changed meanwhile: what comes of it is decided anew
    const isAboutObject = stage.steps[underway.step]?.type !== "apply";
    if (isAboutObject && (isNotFound(error) || isConflict(error))) return;
    const text = error instanceof Error ? error.message : String(error);
    const message = error instanceof StageError ? text : `stage ${JSON.stringify(stage.name)}: ${text}`;
    events.record(ctx, object, { type: "Warning", reason: "StageFailed", message });
    // a template fails again on the same object
    if (!(error instanceof StageError)) throw error;
  }
}
