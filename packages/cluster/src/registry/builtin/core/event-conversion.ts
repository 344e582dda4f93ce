import type { StoredObject } from "../../../store/revision.ts";
import type { VersionConversion } from "../../builtin-resource.ts";

/** Fields of a core/v1 Event under their names in events.k8s.io/v1. Source: kubernetes pkg/apis/events/v1 conversion.go. */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

function rename(object: StoredObject, apiVersion: string, names: ReadonlyMap<string, string>): StoredObject {
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(object)) out[names.get(key) ?? key] = value;
  out["apiVersion"] = apiVersion;
  return Object.freeze(out) as unknown as StoredObject;
}

const toEvents = new Map(renamed);
const toCore = new Map(renamed.map(([core, events]) => [events, core]));

/** events.k8s.io/v1 shows the Events that core/v1 stores: one storage, two names for each field. */
export const eventConversion: VersionConversion = {
  view: "events.k8s.io/v1",
  read: (object) => rename(object, "events.k8s.io/v1", toEvents),
  write: (object) => rename(object, "v1", toCore),
};
