import type { DeepReadonly, KubeObject } from "@bowline/api";
import { describe, expect, it } from "vitest";
import type { CacheEvent } from "../cache/cache-event.ts";
import {
  allOf,
  annotationsChanged,
  anyOf,
  changed,
  generationChanged,
  labelsChanged,
  matchesLabels,
  not,
  resourceVersionChanged,
} from "./predicate.ts";

type Meta = DeepReadonly<KubeObject>["metadata"];

function updated(old: Meta, next: Meta): CacheEvent {
  const object = (metadata: Meta): DeepReadonly<KubeObject> => ({ apiVersion: "v1", kind: "Pod", metadata });
  return { type: "updated", key: "a/b", object: object(next), old: object(old), isResync: old === next };
}

const added: CacheEvent = {
  type: "added",
  key: "a/b",
  object: { apiVersion: "v1", kind: "Pod", metadata: {} },
  isInitialList: false,
};

describe("Predicates", () => {
  it.each([
    ["generationChanged", generationChanged, { generation: 1 }, { generation: 2 }],
    ["resourceVersionChanged", resourceVersionChanged, { resourceVersion: "1" }, { resourceVersion: "2" }],
    ["labelsChanged", labelsChanged, { labels: { a: "b" } }, { labels: { a: "c" } }],
    ["annotationsChanged", annotationsChanged, {}, { annotations: { a: "c" } }],
    ["changed", changed((o) => o.metadata.finalizers), {}, { finalizers: ["x"] }],
  ] as const)("%s lets through what changed, and everything that is no update", (_, predicate, old, next) => {
    expect(predicate(updated(old, next))).toBe(true);
    expect(predicate(updated(next, next))).toBe(false);
    expect(predicate(added)).toBe(true);
  });

  it("matchesLabels looks at both states of an update", () => {
    const matches = matchesLabels("app=x");
    expect(matches(updated({ labels: { app: "x" } }, {}))).toBe(true);
    expect(matches(updated({}, { labels: { app: "x" } }))).toBe(true);
    expect(matches(updated({}, {}))).toBe(false);
    expect(matches(added)).toBe(false);
  });

  it("combine", () => {
    const [yes, no] = [() => true, () => false];
    expect([allOf(yes, no)(added), anyOf(yes, no)(added), not(no)(added)]).toEqual([false, true, true]);
  });
});
