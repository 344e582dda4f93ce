import type { ManagedFields } from "./field-management.ts";
import { type FieldSet, differenceOfSets, fieldSetOf, hasPath, isEmptySet } from "./field-set.ts";
import { type Managers, readManagers, withSet, writeManagers } from "./managers.ts";

/**
 * Where replicas are in each version of the parent kind: `{"apps/v1": ["spec", "replicas"]}`. Undefined: that version has no
 * scale. Versions that do not exist are not listed.
 */
export type ReplicasPaths = { readonly [apiVersion: string]: readonly string[] | undefined };

const scaleVersion = "autoscaling/v1";
const scaleReplicas: FieldSet = fieldSetOf([["spec", "replicas"]]);
const scaleReplicasPath = ["f:spec", "f:replicas"];

function elements(path: readonly string[]): string[] {
  return path.map((name) => `f:${name}`);
}

/**
 * The entries of a parent object as its Scale shows them: only owners of replicas, moved to the path of the Scale. They are
 * what field management of the /scale endpoint starts from; clients never see them. Undefined for none. Throws
 * ManagedFieldsError. Source: apimachinery managedfields (scalehandler.go).
 */
export function scaleManagedFields(
  parent: ManagedFields | undefined,
  paths: ReplicasPaths,
): ManagedFields | undefined {
  const scale: Managers = new Map();
  for (const [id, manager] of readManagers(parent)) {
    const path = paths[manager.apiVersion];
    if (path === undefined || !hasPath(manager.set, elements(path))) continue;
    const { entry: _, ...owner } = manager;
    scale.set(id, { ...owner, apiVersion: scaleVersion, set: scaleReplicas });
  }
  return writeManagers(scale);
}

/**
 * The entries of the parent after a write through /scale left the Scale with the entries `scale`: owners that lost replicas
 * there lose it here, new owners get an entry (without a time, as the server does).
 */
export function parentManagedFields(
  parent: ManagedFields | undefined,
  scale: ManagedFields | undefined,
  options: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): ManagedFields | undefined {
  const { apiVersion, paths } = options;
  const before = readManagers(parent);
  const owners = readManagers(scale);
  const after: Managers = new Map();
  for (const [id, manager] of before) {
    if (!(manager.apiVersion in paths)) continue;
    const path = paths[manager.apiVersion];
    const kept = path === undefined || !hasPath(manager.set, elements(path)) || owners.delete(id);
    const set = kept ? manager.set : differenceOfSets(manager.set, fieldSetOf([path]));
    if (kept || !isEmptySet(set)) after.set(id, withSet(manager, set));
  }
  const path = paths[apiVersion];
  for (const [id, owner] of owners) {
    if (path === undefined || !hasPath(owner.set, scaleReplicasPath)) continue;
    const { entry: _, ...manager } = owner;
    after.set(id, { ...manager, apiVersion, set: fieldSetOf([path]), time: before.get(id)?.time });
  }
  return writeManagers(after);
}
