import { type Comparison, compareTyped, excludeFromComparison } from "./compare-typed.ts";
import { ApplyConflicts } from "./conflict.ts";
import type { FieldManagement } from "./field-management.ts";
import { type FieldSet, differenceOfSets, intersectionOfSets, isEmptySet, unionSets } from "./field-set.ts";
import { type Manager, type Managers, withSet } from "./managers.ts";
import { mergeTyped } from "./merge-typed.ts";
import type { ObjectVersions, Typed } from "./object-versions.ts";
import { ownedSet } from "./owned-set.ts";
import { reconcileSet, withNamedFields } from "./reconcile-set.ts";
import { removeFields } from "./remove-fields.ts";
import { mergeStep } from "./typed-error.ts";

/**
 * Who owns what after a write. Source of the rules: structured-merge-diff merge (update.go).
 */
export interface ManagersWrite {
  readonly management: FieldManagement;
  readonly versions: ObjectVersions;
  readonly live: Typed;
  readonly managers: Managers;
}

/** The managers with their sets fitted to today's schema, without those of versions that are gone. */
export function reconciledManagers(write: ManagersWrite): Managers {
  const managers: Managers = new Map();
  for (const [id, manager] of write.managers) {
    const live = mergeStep("", () => write.versions.convert(write.live, manager.apiVersion));
    if (live !== undefined) managers.set(id, withSet(manager, reconcileSet(live.type, manager.set)));
  }
  return managers;
}

interface Changes {
  /** What changed in the version of the write. */
  readonly own: Comparison;
  readonly managers: Managers;
}

/**
 * Takes what changed away from everybody but `self`. Without `force` throws ApplyConflicts when somebody owns a field that
 * was added or modified; removed fields are nobody's any more in any case.
 */
export function takeChanges(
  write: ManagersWrite,
  next: Typed,
  options: { readonly self: string | undefined; readonly force: boolean },
): Changes {
  const byVersion = new Map<string, Comparison | undefined>();
  const compareAt = (apiVersion: string): Comparison | undefined => {
    if (!byVersion.has(apiVersion)) byVersion.set(apiVersion, compareVersion(write, next, apiVersion));
    return byVersion.get(apiVersion);
  };
  const own = compareAt(next.apiVersion) as Comparison;
  const managers: Managers = new Map();
  const conflicts = new Map<string, { manager: Manager; fields: FieldSet }>();
  for (const [id, manager] of write.managers) {
    const changes = id === options.self ? undefined : compareAt(manager.apiVersion);
    if (changes === undefined) {
      if (id === options.self) keepUnlessEmpty(managers, id, manager);
      continue;
    }
    const taken = intersectionOfSets(manager.set, unionSets(changes.modified, changes.added));
    if (!isEmptySet(taken)) conflicts.set(id, { manager, fields: taken });
    const rest = differenceOfSets(differenceOfSets(manager.set, taken), changes.removed);
    keepUnlessEmpty(managers, id, withSet(manager, rest));
  }
  if (!options.force && conflicts.size > 0) throw new ApplyConflicts(conflicts);
  return { own, managers };
}

function keepUnlessEmpty(managers: Managers, id: string, manager: Manager): void {
  if (!isEmptySet(manager.set)) managers.set(id, manager);
}

function compareVersion(write: ManagersWrite, next: Typed, apiVersion: string): Comparison | undefined {
  const { versions } = write;
  const before = mergeStep("failed to convert old object", () => versions.convert(write.live, apiVersion));
  const after = mergeStep("failed to convert new object", () => versions.convert(next, apiVersion));
  if (before === undefined || after === undefined) return undefined;
  const comparison = compareTyped(before.type, before.value, after.value);
  return excludeFromComparison(comparison, write.management.resetFields?.[apiVersion]);
}

/** What an applied configuration makes of the live object, and who owns what then. */
export interface AppliedChanges {
  readonly next: Typed;
  readonly managers: Managers;
}

/**
 * Merges an applied configuration and gives up what its manager applied last time but not this time, unless somebody else
 * owns it. `manager` has the set that it claims now. Throws ApplyConflicts.
 */
export function applyConfiguration(
  write: ManagersWrite,
  config: Typed,
  options: { readonly id: string; readonly manager: Manager; readonly force: boolean },
): AppliedChanges {
  const value = mergeStep("failed to merge config", () =>
    mergeTyped(config.type, write.live.value, config.value),
  );
  const merged: Typed = { ...config, value };
  const last = write.managers.get(options.id);
  const managers: Managers = new Map(write.managers).set(options.id, options.manager);
  const claimed = { ...write, managers };
  const next =
    last === undefined
      ? merged
      : mergeStep("failed to prune fields", () =>
          giveUp(claimed, merged, { last, apiVersion: config.apiVersion }),
        );
  const taken = takeChanges(claimed, next, { self: options.id, force: options.force });
  return { next, managers: taken.managers };
}

/** Removes from the merged object what the last configuration owned and nobody owns now. */
function giveUp(
  write: ManagersWrite,
  merged: Typed,
  options: { readonly last: Manager; readonly apiVersion: string },
): Typed {
  const { last } = options;
  if (isEmptySet(last.set)) return merged;
  const { versions } = write;
  const mergedThen = mergeStep("failed to convert merged object to last applied version", () =>
    versions.convert(merged, last.apiVersion),
  );
  if (mergedThen === undefined) return merged;
  const without = removeTyped(mergedThen, withNamedFields(mergedThen.type, last.set));
  const withOwned = mergeStep("failed add back owned items", () => addBackOwned(write, mergedThen, without));
  const pruned = mergeStep("failed add back dangling items", () =>
    addBackForeign(versions, mergedThen, withOwned, last),
  );
  return versions.convert(pruned, options.apiVersion) ?? pruned;
}

function removeTyped(object: Typed, fields: FieldSet): Typed {
  const value = removeFields(object.type, object.value, fields);
  return value === object.value ? object : { ...object, value };
}

/** Puts back what some manager owns, version by version, the version of the removal first. */
function addBackOwned(write: ManagersWrite, merged: Typed, pruned: Typed): Typed {
  const owned = new Map<string, FieldSet>();
  for (const { apiVersion, set } of write.managers.values()) {
    const before = owned.get(apiVersion);
    owned.set(apiVersion, before === undefined ? set : unionSets(before, set));
  }
  const first = merged.apiVersion;
  const others = [...owned.keys()].filter((apiVersion) => apiVersion !== first);
  let now = { merged, pruned };
  for (const apiVersion of owned.has(first) ? [first, ...others] : others) {
    now = addBackAt(write.versions, now, apiVersion, owned.get(apiVersion) ?? {});
  }
  return now.pruned;
}

function addBackAt(
  versions: ObjectVersions,
  now: { merged: Typed; pruned: Typed },
  apiVersion: string,
  owned: FieldSet,
): { merged: Typed; pruned: Typed } {
  const convert = (what: string, object: Typed): Typed | undefined =>
    mergeStep(`failed to convert ${what} object at version ${apiVersion}`, () =>
      versions.convert(object, apiVersion),
    );
  const merged = convert("merged", now.merged);
  const pruned = convert("pruned", now.pruned);
  if (merged === undefined || pruned === undefined) return now;
  const { type } = merged;
  const kept = unionSets(withNamedFields(type, ownedSet(type, pruned.value)), withNamedFields(type, owned));
  const gone = differenceOfSets(withNamedFields(type, ownedSet(type, merged.value)), kept);
  return { merged, pruned: removeTyped(merged, gone) };
}

/** Puts back what was removed along with owned fields but was never owned by the manager itself. */
function addBackForeign(
  versions: ObjectVersions,
  merged: Typed,
  prunedAnywhere: Typed,
  last: Manager,
): Typed {
  const pruned = mergeStep("failed to convert pruned object to last applied version", () =>
    versions.convert(prunedAnywhere, last.apiVersion),
  );
  if (pruned === undefined) return merged;
  const { type } = merged;
  const before = withNamedFields(type, ownedSet(type, merged.value));
  const after = withNamedFields(type, ownedSet(type, pruned.value));
  const gone = intersectionOfSets(differenceOfSets(before, after), withNamedFields(type, last.set));
  return removeTyped(merged, gone);
}
