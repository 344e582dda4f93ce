import { createClient } from "@bowline/client";
import { describe, expect, it } from "vitest";
import { EventRecorder } from "../src/manager/event-recorder.ts";
import { widget, widgets } from "./kinds.ts";
import { newWorld } from "./world.ts";

function recorder() {
  const world = newWorld();
  const { server, clock } = world;
  const client = createClient({ transport: server, clock });
  const random = client.random;
  const object = server.put(widgets, widget("a"));
  const events = new EventRecorder({ client, clock, random, host: "h".repeat(200) });
  return { ...world, object, events };
}

describe("EventRecorder", () => {
  it("writes what happened to which object, by whom", async () => {
    const { server, clock, object, events } = recorder();
    events.record("widget", object, { reason: "Scaled", action: "Scale", note: "to 3" });
    await clock.advance(0);
    const [event] = server.all("events");
    expect(event).toMatchObject({
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { namespace: "default", name: expect.stringMatching(/^a\.[0-9a-f]+$/) },
      type: "Normal",
      reason: "Scaled",
      action: "Scale",
      note: "to 3",
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "widget",
      regarding: { kind: "Widget", namespace: "default", name: "a", uid: object.metadata.uid },
    });
    expect((event as unknown as { reportingInstance: string }).reportingInstance).toHaveLength(128);
    await events.stop();
  });

  it("makes one series of like events, whatever their notes, and writes it twice and at its end", async () => {
    const { server, clock, object, events } = recorder();
    for (let i = 0; i < 10; i++) {
      events.record("widget", object, { reason: "Retry", note: `attempt ${i}` });
      await clock.advance(1000);
    }
    expect(server.count("create", "events")).toBe(1);
    expect(server.count("patch", "events")).toBe(1);
    expect(server.all("events")).toMatchObject([{ series: { count: 2 } }]);
    await clock.advance(13 * 60_000);
    expect(server.count("patch", "events")).toBe(2);
    expect(server.all("events")).toMatchObject([
      { series: { count: 10, lastObservedTime: "2026-01-01T00:00:09.000000Z" } },
    ]);
    await events.stop();
    expect(clock.pendingCount).toBe(0);
  });

  it("starts a new event after six quiet minutes, and for another reason", async () => {
    const { server, clock, object, events } = recorder();
    events.record("widget", object, { reason: "Retry", note: "" });
    events.record("widget", object, { reason: "Other", note: "" });
    await clock.advance(6 * 60_000 + 1);
    events.record("widget", object, { reason: "Retry", note: "" });
    await clock.advance(0);
    expect(server.all("events")).toHaveLength(3);
    await events.stop();
  });

  it("drops events when too many wait, and goes on when the server refuses one", async () => {
    const { server, clock, object, events } = recorder();
    let refused = 0;
    server.intercept = () => {
      if (refused++ === 0) throw new Error("refused");
    };
    for (let i = 0; i < 1200; i++) events.record("widget", object, { reason: `R${i}`, note: "" });
    await clock.advance(0);
    await events.stop();
    expect(events.droppedCount).toBeGreaterThan(150);
    expect(server.all("events").length + events.droppedCount + 1).toBe(1200);
  });

  it("writes the counts of open series when it stops", async () => {
    const { server, clock, object, events } = recorder();
    for (let i = 0; i < 5; i++) events.record("widget", object, { reason: "Retry", note: "" });
    await clock.advance(0);
    await events.stop();
    expect(server.all("events")).toMatchObject([{ series: { count: 5 } }]);
  });
});
