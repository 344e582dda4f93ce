/**
 * Stages: what becomes of pods and nodes, step by step, as kwok's `Stage` objects say it.
 * Source: kwok.x-k8s.io/v1alpha1 Stage; kwok pkg/utils/lifecycle.
 */
import { type DeepReadonly, type KubeObject, decodeYaml } from "@bowline/api";
import type { Random } from "@bowline/client";
import { type Query, parseQuery, runQuery } from "./field-query.ts";
import { GoTemplate } from "./go-template.ts";

/** A `kwok.x-k8s.io/v1alpha1` Stage, as in YAML. Only stages for Pod and Node are carried out. */
export interface Stage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly resourceRef: { readonly apiGroup?: string; readonly kind: string };
    readonly selector?: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchAnnotations?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[];
      }[];
    };
    readonly weight?: number;
    readonly delay?: {
      readonly durationMilliseconds?: number;
      readonly durationFrom?: { readonly expressionFrom: string };
      readonly jitterDurationMilliseconds?: number;
      readonly jitterDurationFrom?: { readonly expressionFrom: string };
    };
    readonly next: StageNext;
  };
}

export interface StageNext {
  readonly event?: { readonly type?: string; readonly reason?: string; readonly message?: string };
  readonly finalizers?: {
    readonly add?: readonly { readonly value: string }[];
    readonly remove?: readonly { readonly value: string }[];
    readonly empty?: boolean;
  };
  readonly delete?: boolean;
  /** A Go template that makes the YAML of a patch to the status. */
  readonly statusTemplate?: string;
  readonly patches?: readonly {
    readonly subresource?: string;
    /** The field that the template fills; the whole object when absent. */
    readonly root?: string;
    readonly template: string;
    readonly type?: "json" | "merge" | "strategic";
  }[];
}

/** A stage that cannot be carried out as it is written. */
export class StageError extends Error {
  override readonly name: string = "StageError";
  readonly code: string = "BOWLINE_STAGE";
}

/** A patch of a stage, with its template read. */
export interface StagePatch {
  readonly subresource: string;
  readonly root: string;
  readonly template: GoTemplate;
  readonly type: "json" | "merge" | "strategic";
}

/** A stage, read once. */
export interface CompiledStage {
  readonly name: string;
  readonly kind: "Pod" | "Node";
  readonly weight: number;
  readonly next: StageNext;
  readonly patches: readonly StagePatch[];
  matches(object: DeepReadonly<KubeObject>): boolean;
  /** How long the object waits for it, milliseconds. */
  delayMs(object: DeepReadonly<KubeObject>, now: number, random: Random): number;
}

function documentOf(text: string): Partial<Stage> | null {
  try {
    return decodeYaml(text).value as Partial<Stage> | null;
  } catch (error) {
    throw new StageError(`a document of the stages is no YAML: ${(error as Error).message}`, {
      cause: error,
    });
  }
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
  const { kind: about, apiGroup = "" } = spec.resourceRef;
  if ((about !== "Pod" && about !== "Node") || (apiGroup !== "" && apiGroup !== "v1"))
    throw new Error(`stages are carried out for Pod and Node only, and not for ${about}`);
  const { statusTemplate, patches = [] } = spec.next;
  const status = { subresource: "status", root: "status", template: statusTemplate ?? "" };
  const all = [...(statusTemplate === undefined ? [] : [status]), ...patches];
  return {
    name,
    kind: about,
    weight: spec.weight ?? 0,
    next: spec.next,
    matches: matcherOf(spec.selector ?? {}),
    delayMs: delayOf(spec.delay ?? {}),
    patches: all.map((patch) => ({
      subresource: patch.subresource ?? "",
      root: patch.root ?? "",
      template: new GoTemplate(patch.template),
      type: "type" in patch && patch.type !== undefined ? patch.type : "strategic",
    })),
  };
}

function matcherOf(selector: NonNullable<Stage["spec"]["selector"]>): CompiledStage["matches"] {
  const { matchLabels = {}, matchAnnotations = {}, matchExpressions = [] } = selector;
  const has = (map: Readonly<Record<string, string>> | undefined, wanted: Readonly<Record<string, string>>) =>
    Object.entries(wanted).every(([key, value]) => map?.[key] === value);
  const conditions = matchExpressions.map(({ key, operator, values = [] }) => {
    const query = parseQuery(key);
    const isIn = (found: readonly unknown[]): boolean =>
      found.some((value) => values.includes(String(value)));
    const tests: Readonly<Record<string, (found: readonly unknown[]) => boolean>> = {
      In: isIn,
      NotIn: (found) => !isIn(found),
      Exists: (found) => found.length > 0,
      DoesNotExist: (found) => found.length === 0,
    };
    const test = tests[operator];
    if (test === undefined)
      throw new Error(`the operator ${operator} is none of ${Object.keys(tests).join(", ")}`);
    return (object: unknown): boolean => test(runQuery(query, object));
  });
  return (object) =>
    has(object.metadata.labels, matchLabels) &&
    has(object.metadata.annotations, matchAnnotations) &&
    conditions.every((condition) => condition(object));
}

function delayOf(delay: NonNullable<Stage["spec"]["delay"]>): CompiledStage["delayMs"] {
  const query = (from: { readonly expressionFrom: string } | undefined): Query | undefined =>
    from === undefined ? undefined : parseQuery(from.expressionFrom);
  const [duration, jitter] = [query(delay.durationFrom), query(delay.jitterDurationFrom)];
  return (object, now, random) => {
    const least = timeFrom(duration, object, now) ?? delay.durationMilliseconds ?? 0;
    const most = timeFrom(jitter, object, now) ?? delay.jitterDurationMilliseconds;
    if (most === undefined) return least;
    return most <= least ? most : least + random.next() * (most - least);
  };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A point in time is waited for; anything else is a duration in Go's words: `1m30s`. */
function timeFrom(query: Query | undefined, object: unknown, now: number): number | undefined {
  const found = query === undefined ? undefined : runQuery(query, object)[0];
  if (typeof found !== "string") return undefined;
  if (/^\d{4}-\d\d-\d\dT/.test(found)) return Math.max(0, Date.parse(found) - now);
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(found)) return undefined;
  let sum = 0;
  for (const [, value = "", unit = ""] of found.matchAll(/([\d.]+)(ms|s|m|h)/g))
    sum += Number(value) * (unitMs[unit] ?? 0);
  return sum;
}

/**
 * One of the stages that match, as their weights say; without weights, the first. Undefined: none matches.
 * @param kept the name of the one chosen before, which is kept while it matches
 */
export function chooseStage(
  stages: readonly CompiledStage[],
  object: DeepReadonly<KubeObject>,
  choice: { readonly kept: string | undefined; readonly random: Random },
): CompiledStage | undefined {
  const matching = stages.filter((stage) => stage.matches(object));
  const kept = matching.find(({ name }) => name === choice.kept);
  if (kept !== undefined) return kept;
  const total = matching.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return matching[0];
  let drawn = choice.random.next() * total;
  return matching.find(({ weight }) => (drawn -= weight) < 0) ?? matching.at(-1);
}

/**
 * The stages in a YAML text of one or several documents; documents of other kinds of kwok's configuration are left out.
 * @throws StageError for a document that is none
 */
export function parseStages(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const part of text.split(/^---.*$/m)) {
    const document = documentOf(part);
    if (document?.kind !== "Stage") continue;
    compileStage(document as Stage);
    stages.push(document as Stage);
  }
  if (stages.length === 0) throw new StageError("there is no Stage in the text");
  return stages;
}
