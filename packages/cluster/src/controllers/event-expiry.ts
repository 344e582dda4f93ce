/** Forgets events after an hour. A real server lets its storage do it (kube-apiserver --event-ttl). */
import { Event } from "@bowline/api/core/v1";
import { type ControllerDefinition, defineController } from "@bowline/runtime";
import { managerName } from "./control-plane.ts";

const ttlMs = 3_600_000;

export function eventExpiry(): ControllerDefinition {
  return defineController(Event, {
    name: "event-expiry",
    fieldManager: managerName,
    async reconcile(event, ctx) {
      const times = [
        event.lastTimestamp,
        event.series?.lastObservedTime,
        event.eventTime,
        event.metadata.creationTimestamp,
      ];
      const latest = Math.max(
        ...times.map((time) => (time === undefined || time === null ? 0 : Date.parse(time) || 0)),
      );
      const leftMs = latest + ttlMs - ctx.clock.now();
      if (leftMs > 0) return { requeueAfterMs: leftMs };
      await ctx.delete(event);
      return undefined;
    },
  });
}
