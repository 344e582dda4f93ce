import { unionSets } from "./field-set.ts";
import { type Manager, type Managers, managerId } from "./managers.ts";
import { compareText } from "./path-element.ts";

/** How many Update managers an object may have; the oldest are merged into one per version beyond it. */
const maxUpdateManagers = 10;
const bucketName = "ancient-changes";

/**
 * Merges the oldest Update managers of each version until there are few enough. Source: managedfields/internal
 * (capmanagers.go).
 */
export function capManagers(managers: Managers): Managers {
  const updaters = [...managers].filter(([, manager]) => manager.operation === "Update");
  let count = updaters.length;
  if (count <= maxUpdateManagers) return managers;
  updaters.sort(([a, x], [b, y]) => compareText(x.time ?? "", y.time ?? "") || compareText(a, b));
  const capped = new Map(managers);
  const oldest = new Map<string, string>();
  for (const [id, manager] of updaters) {
    if (count <= maxUpdateManagers) break;
    const first = oldest.get(manager.apiVersion);
    if (first === undefined) {
      oldest.set(manager.apiVersion, id);
      continue;
    }
    mergeIntoBucket(capped, { first, id, manager });
    count--;
  }
  return capped;
}

function mergeIntoBucket(managers: Managers, merge: { first: string; id: string; manager: Manager }): void {
  const { first, id, manager } = merge;
  const { apiVersion } = manager;
  const bucket = { name: bucketName, operation: "Update", apiVersion, subresource: "" } as const;
  const bucketId = managerId(bucket);
  const before = managers.get(bucketId) ?? managers.get(first);
  if (!managers.has(bucketId)) managers.delete(first);
  managers.delete(id);
  const set = before === undefined ? manager.set : unionSets(manager.set, before.set);
  managers.set(bucketId, { ...bucket, set, time: manager.time });
}
