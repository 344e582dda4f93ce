import type { DeepReadonly, KubeObject } from "@bowline/api";

/** What a field manager stated last of an object, and what the server made of it. */
interface Applied {
  readonly intent: number;
  /** Hash of the observed values of the intent's fields, after the apply. */
  readonly observed: number;
  readonly uid: string;
  resourceVersion: string;
}

/** Beyond so many objects the oldest intents are forgotten: their next apply sends a request that changes nothing. */
const appliedMax = 100_000;

/**
 * Tells whether an apply would change anything. It would not when the intent is the same as the last time, and the fields
 * it names still have the values that the server answered then (defaults and normalised quantities included), on the very
 * same object. Only hashes are kept.
 */
export class AppliedIntents {
  readonly #applied = new Map<string, Applied>();

  /** Whether the observed object already is what this intent made of it. */
  isUnchanged(id: string, intent: object, observed: DeepReadonly<KubeObject> | undefined): boolean {
    const applied = this.#applied.get(id);
    if (applied === undefined || observed === undefined) return false;
    if (applied.uid !== observed.metadata.uid || applied.intent !== hashJson(intent)) return false;
    const version = observed.metadata.resourceVersion ?? "";
    if (applied.resourceVersion === version) return true;
    if (applied.observed !== hashJson(project(observed, intent))) return false;
    // others changed fields that the intent does not name: next time the version alone tells
    applied.resourceVersion = version;
    return true;
  }

  remember(id: string, intent: object, answer: DeepReadonly<KubeObject>): void {
    const { uid = "", resourceVersion = "" } = answer.metadata;
    this.#applied.delete(id);
    this.#applied.set(id, {
      intent: hashJson(intent),
      observed: hashJson(project(answer, intent)),
      uid,
      resourceVersion,
    });
    if (this.#applied.size > appliedMax) this.#applied.delete(this.#applied.keys().next().value as string);
  }

  forget(id: string): void {
    this.#applied.delete(id);
  }
}

/** The observed values at the places that the intent names. Lists are taken whole: their items have no names here. */
function project(observed: unknown, intent: unknown): unknown {
  if (!isObject(observed) || !isObject(intent)) return observed;
  return Object.fromEntries(Object.keys(intent).map((key) => [key, project(observed[key], intent[key])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** 53 bits of the JSON text; keys in their order, so the same code gives the same hash. */
function hashJson(value: unknown): number {
  const text =
    JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part)) ?? "";
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}
