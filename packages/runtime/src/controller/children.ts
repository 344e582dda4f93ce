import {
  type AnyKind,
  type DeepReadonly,
  type KubeObject,
  isStatusError,
  parseApiVersion,
} from "@bowline/api";
import { MisuseError } from "../errors.ts";
import type { ChildState, ChildrenOptions, ChildrenResult, PlannedChild } from "./reconcile-context.ts";
import { isReady } from "./readiness.ts";
import { objectKey } from "./request.ts";

type Frozen = DeepReadonly<KubeObject>;

/** What `children` needs of its context. */
export interface ChildrenPorts {
  readonly generation: number;
  /** Kinds whose owned objects may be pruned. */
  readonly ownedKinds: readonly AnyKind[];
  apply(object: Frozen): Promise<Frozen>;
  owned(kind: AnyKind): Promise<readonly Frozen[]>;
  /** Fills the namespace in, as apply does, so that keys compare. */
  located(object: Frozen): Promise<Frozen>;
  remove(object: Frozen): Promise<void>;
  /** An apply that the server refused: the reconcile counts as failed in the end. */
  failed(error: unknown): void;
}

interface Step {
  readonly key: string;
  readonly child: PlannedChild;
  readonly desired: Frozen | undefined;
  state: ChildState | undefined;
}

/** Applies the desired children in order, prunes the others, and reports. */
export async function applyChildren(
  desired: readonly (Frozen | PlannedChild)[],
  options: ChildrenOptions,
  ports: ChildrenPorts,
): Promise<ChildrenResult> {
  const steps = await Promise.all(desired.map((child) => stepOf(child, ports)));
  checkPlan(steps);
  const byKey = new Map(steps.map((step) => [step.key, step]));
  for (let due = dueSteps(steps, byKey); due.length > 0; due = dueSteps(steps, byKey)) {
    await Promise.all(due.map((step) => runStep(step, byKey, ports)));
  }
  const pruned = options.prune === false ? [] : await prune(steps, ports);
  const states = [...steps.flatMap((step) => (step.state === undefined ? [] : [step.state])), ...pruned];
  return resultOf(states, ports.generation);
}

async function stepOf(child: Frozen | PlannedChild, ports: ChildrenPorts): Promise<Step> {
  const planned: PlannedChild = "apiVersion" in child ? { desired: child } : child;
  const desired = planned.desired === undefined ? undefined : await ports.located(planned.desired);
  const key = planned.key ?? (desired === undefined ? "" : `${desired.kind}/${desired.metadata.name}`);
  return { key, child: planned, desired, state: undefined };
}

function checkPlan(steps: readonly Step[]): void {
  const keys = new Set<string>();
  for (const { key, desired } of steps) {
    if (key === "" && desired === undefined) continue;
    if (keys.has(key)) throw new MisuseError(`children: the key ${key} is there twice`);
    keys.add(key);
  }
  for (const { key, child } of steps) {
    const unknown = child.after?.find((other) => !keys.has(other));
    if (unknown !== undefined)
      throw new MisuseError(`children: ${key} comes after ${unknown}, which is not among them`);
  }
}

/** Steps not decided yet whose predecessors all are. */
function dueSteps(steps: readonly Step[], byKey: ReadonlyMap<string, Step>): Step[] {
  const open = steps.filter((step) => step.state === undefined && step.desired !== undefined);
  const due = open.filter((step) =>
    (step.child.after ?? []).every((key) => {
      const before = byKey.get(key);
      return before?.state !== undefined || before?.desired === undefined;
    }),
  );
  if (due.length === 0 && open.length > 0) {
    throw new MisuseError(`children: ${open.map((step) => step.key).join(", ")} wait for each other`);
  }
  return due;
}

async function runStep(step: Step, byKey: ReadonlyMap<string, Step>, ports: ChildrenPorts): Promise<void> {
  const { key } = step;
  const blocker = step.child.after?.find((other) => {
    const state = byKey.get(other)?.state?.state;
    return state !== undefined && state !== "ready";
  });
  if (blocker !== undefined) {
    step.state = { key, state: "waiting", message: `waits for ${blocker}` };
    return;
  }
  try {
    const object = await ports.apply(step.desired as Frozen);
    const ready = step.child.readyWhen?.(object) ?? isReady(object);
    const message = typeof ready === "string" ? ready : ready ? "" : "not ready yet";
    step.state = { key, state: ready === true ? "ready" : "progressing", object, message };
  } catch (error) {
    if (!isStatusError(error)) throw error;
    ports.failed(error);
    step.state = { key, state: "failed", message: error.message, error };
  }
}

async function prune(steps: readonly Step[], ports: ChildrenPorts): Promise<ChildState[]> {
  const wanted = new Set(steps.flatMap(({ desired }) => (desired === undefined ? [] : [identity(desired)])));
  const owned = (await Promise.all(ports.ownedKinds.map((kind) => ports.owned(kind)))).flat();
  const surplus = owned.filter(
    (object) => object.metadata.deletionTimestamp === undefined && !wanted.has(identity(object)),
  );
  return Promise.all(
    surplus.map(async (object): Promise<ChildState> => {
      await ports.remove(object);
      return {
        key: `${object.kind}/${object.metadata.name}`,
        state: "pruned",
        object,
        message: "no longer desired",
      };
    }),
  );
}

/** Group, kind, namespace and name: versions of one group are the same objects. */
function identity(object: Frozen): string {
  return `${parseApiVersion(object.apiVersion).group}/${object.kind} ${objectKey(object)}`;
}

function resultOf(children: readonly ChildState[], generation: number): ChildrenResult {
  const byKey = new Map(children.map((child) => [child.key, child]));
  const failed = children.filter((child) => child.state === "failed");
  const unready = children.filter((child) => child.state === "progressing" || child.state === "waiting");
  const ready = failed.length === 0 && unready.length === 0;
  const named = (list: readonly ChildState[]): string =>
    list.map((child) => `${child.key}: ${child.message}`).join("; ");
  const [reason, message] =
    failed.length > 0
      ? ["ChildrenFailed", named(failed)]
      : unready.length > 0
        ? ["ChildrenNotReady", named(unready)]
        : ["ChildrenReady", "all children are ready"];
  const condition = {
    type: "Ready",
    status: ready ? "True" : "False",
    observedGeneration: generation,
    reason,
    message,
  } as const;
  return { children, ready, condition, get: (key) => byKey.get(key) };
}
