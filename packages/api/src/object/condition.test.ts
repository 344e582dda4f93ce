import { describe, expect, it } from "vitest";
import {
  type ConditionUpdate,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from "./condition.ts";
import { deepFreeze } from "./freeze.ts";

const then = "2026-12-01T03:00:00Z";
const now = "2026-12-01T04:00:00Z";
const ready = deepFreeze({
  type: "Ready",
  status: "False" as const,
  lastTransitionTime: then,
  reason: "Starting",
  message: "",
});
const synced = deepFreeze({
  type: "Synced",
  status: "True" as const,
  lastTransitionTime: then,
  reason: "Done",
  message: "m",
});

describe("setCondition", () => {
  it("adds a condition that was not there", () => {
    expect(setCondition(undefined, { type: "Ready", status: "True", reason: "Up" }, now)).toEqual([
      { type: "Ready", status: "True", lastTransitionTime: now, reason: "Up", message: "" },
    ]);
    expect(setCondition([synced], { type: "Ready", status: "Unknown", reason: "Up" }, now)[0]).toBe(synced);
  });

  it("moves the transition time when the status changes, and keeps the place in the list", () => {
    const conditions = setCondition(
      [ready, synced],
      { type: "Ready", status: "True", reason: "Up", message: "ok" },
      now,
    );
    expect(conditions[0]).toEqual({
      type: "Ready",
      status: "True",
      lastTransitionTime: now,
      reason: "Up",
      message: "ok",
    });
    expect(conditions[1]).toBe(synced);
  });

  it("keeps the transition time when only reason, message or generation change", () => {
    const changes: ConditionUpdate[] = [
      { type: "Ready", status: "False", reason: "Waiting" },
      { type: "Ready", status: "False", reason: "Starting", message: "soon" },
      { type: "Ready", status: "False", reason: "Starting", observedGeneration: 2 },
    ];
    for (const change of changes) {
      const [condition] = setCondition([ready], change, now);
      expect(condition).not.toBe(ready);
      expect(condition).toMatchObject({ lastTransitionTime: then, ...change });
    }
  });

  it("gives the same list when nothing changes", () => {
    const conditions = [ready, synced];
    expect(
      setCondition(conditions, { type: "Synced", status: "True", reason: "Done", message: "m" }, now),
    ).toBe(conditions);
  });

  it("takes a transition time that the caller knows better", () => {
    const update: ConditionUpdate = {
      type: "Ready",
      status: "True",
      reason: "Up",
      lastTransitionTime: "2026-11-30T00:00:00Z",
    };
    expect(setCondition([ready], update, now)[0]?.lastTransitionTime).toBe("2026-11-30T00:00:00Z");
  });

  it("forgets an observed generation that the update does not state", () => {
    const observed = { ...ready, observedGeneration: 1 };
    const [condition] = setCondition([observed], { type: "Ready", status: "False", reason: "Starting" }, now);
    expect(condition).toEqual(ready);
  });
});

describe("Conditions", () => {
  it("are found by type", () => {
    expect(findCondition([ready, synced], "Synced")).toBe(synced);
    expect(findCondition([ready], "Synced")).toBeUndefined();
    expect(findCondition(undefined, "Synced")).toBeUndefined();
    expect(isConditionTrue([ready, synced], "Synced")).toBe(true);
    expect(isConditionTrue([ready], "Ready")).toBe(false);
    expect(isConditionTrue(undefined, "Ready")).toBe(false);
    expect(isConditionFalse([ready], "Ready")).toBe(true);
    expect(isConditionFalse([], "Ready")).toBe(false);
  });

  it("are removed by type", () => {
    const conditions = [ready, synced];
    expect(removeCondition(conditions, "Ready")).toEqual([synced]);
    expect(removeCondition(conditions, "Other")).toBe(conditions);
    expect(removeCondition(undefined, "Other")).toEqual([]);
  });
});
