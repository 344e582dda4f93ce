import type { DeepReadonly } from "./object.ts";

/**
 * Freezes a JSON value at every depth and returns it. A part that is already frozen is taken to be frozen at every depth
 * (stored objects are only ever frozen by this function), so re-freezing a new object that shares old parts is cheap.
 */
export function deepFreeze<T>(value: T): DeepReadonly<T> {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) deepFreeze(value[key]);
  }
  return value as DeepReadonly<T>;
}
