import { capManagers } from "./cap-managers.ts";
import { ConversionNeeded } from "./conversions.ts";
import type {
  FieldManagement,
  ManagedFields,
  ManagedObject,
  TrackUpdateRequest,
} from "./field-management.ts";
import { type FieldSet, isEmptySet, recursiveDifference, unionSets } from "./field-set.ts";
import { ListItemError } from "./list-item.ts";
import {
  type Manager,
  type Managers,
  managerId,
  readManagers,
  writeManager,
  writeManagers,
} from "./managers.ts";
import { type Typed, ObjectVersions } from "./object-versions.ts";
import { addedSet } from "./owned-set.ts";
import { withoutSystemFields } from "./system-fields.ts";
import { reconciledManagers, takeChanges } from "./update-managers.ts";
import { validateTyped } from "./validate-typed.ts";
import { fillZero } from "./zero-object.ts";

/**
 * Gives the object of a create, update or patch its new managedFields. Never fails: when the object does not fit the types
 * (it may still become valid, a status write ignores a bad spec), it loses its entries as on the server. Returns the object
 * as it is when its managedFields need no change.
 * Source: apimachinery managedfields/internal (fieldmanager.go and the managers it stacks).
 */
export function trackUpdate(management: FieldManagement, request: TrackUpdateRequest): ManagedObject {
  const { live, object } = request;
  try {
    if (isPlainCreate(management, request)) return trackedCreate(management, request);
    const managers = claimedManagers(management, request);
    // An object without entries stays without until the first apply, unless it is new.
    const untracked = managers.size === 0 && live !== undefined && Boolean(live.metadata?.uid);
    const next = untracked ? managers : updatedManagers(management, request, managers);
    return withManagedFields(object, storedFields(live, writeManagers(next)));
  } catch (error) {
    if (error instanceof ConversionNeeded) throw error;
    return withManagedFields(object, undefined);
  }
}

function isPlainCreate({ zero }: FieldManagement, { live, object }: TrackUpdateRequest): boolean {
  return live === undefined && zero === undefined && object.metadata?.managedFields === undefined;
}

/** A create owns all that it has: the commonest write, without comparison and without other managers. */
function trackedCreate(
  management: FieldManagement,
  { object, manager, now }: TrackUpdateRequest,
): ManagedObject {
  const type = management.typeOf(management.apiVersion);
  if (type === undefined) return object;
  validateTyped(type, object, true);
  const set = ownable(management, addedSet(type, object));
  if (isEmptySet(set)) return object;
  return withManagedFields(object, [writeManager({ ...updateManager(management, manager), set, time: now })]);
}

/** What an update may own of what it changed. */
function ownable(management: FieldManagement, changed: FieldSet): FieldSet {
  const reset = management.resetFields?.[management.apiVersion];
  return withoutSystemFields(reset === undefined ? changed : recursiveDifference(changed, reset));
}

/** The managers to start from: those that the client sent, if they are valid, else those of the live object. */
function claimedManagers(management: FieldManagement, request: TrackUpdateRequest): Managers {
  const { live, object } = request;
  if (!management.subresource) {
    const sent = object.metadata?.managedFields;
    if (sent !== live?.metadata?.managedFields) {
      if (clearsOwnership(sent, management.emptyListClears === true)) return new Map();
      const managers = readOrUndefined(sent);
      if (managers !== undefined && managers.size > 0) return managers;
    }
  }
  return readOrUndefined(live?.metadata?.managedFields) ?? new Map();
}

function clearsOwnership(sent: ManagedFields | undefined, emptyListClears: boolean): boolean {
  if (!Array.isArray(sent)) return false;
  if (sent.length === 0) return emptyListClears;
  const [only] = sent;
  return (
    sent.length === 1 &&
    isObject(only) &&
    Object.values(only).every((value) => value === "" || value === null)
  );
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function readOrUndefined(entries: ManagedFields | undefined): Managers | undefined {
  try {
    return readManagers(entries);
  } catch {
    return undefined;
  }
}

/** The managers after an update, before any apply semantics. Throws TypedError or ListItemError. */
export function updatedManagers(
  management: FieldManagement,
  request: TrackUpdateRequest,
  managers: Managers,
): Managers {
  const { apiVersion, zero } = management;
  const versions = new ObjectVersions(management);
  const object = withoutManagedFields(request.object);
  const next = versions.typed(zero === undefined ? object : fillZero(zero, object), apiVersion);
  if (next === undefined) throw new ListItemError(`no corresponding type for ${apiVersion}`);
  validateTyped(next.type, next.value, true);
  const changes =
    request.live === undefined && zero === undefined && managers.size === 0
      ? { set: addedSet(next.type, next.value), managers }
      : changesOf(
          { management, versions, managers, live: liveTyped(management, request.live, next.type) },
          next,
        );
  const set = ownable(management, changes.set);
  return capManagers(recordUpdate(management, request, { managers: changes.managers, set }));
}

function liveTyped(management: FieldManagement, live: ManagedObject | undefined, type: Typed["type"]): Typed {
  const { apiVersion, kind, zero } = management;
  if (live === undefined) return { apiVersion, type, value: zero ?? { apiVersion, kind } };
  const stripped = withoutManagedFields(live);
  const value = zero === undefined ? stripped : fillZero(zero, stripped);
  validateTyped(type, value, true);
  return { apiVersion, type, value };
}

function changesOf(
  write: Parameters<typeof takeChanges>[0],
  next: Typed,
): { set: Manager["set"]; managers: Managers } {
  const reconciled = { ...write, managers: reconciledManagers(write) };
  const { own, managers } = takeChanges(reconciled, next, { self: undefined, force: true });
  return { set: unionSets(own.modified, own.added), managers };
}

/** Adds what the update changed to what its manager owned before; an update that changed nothing leaves no trace. */
function recordUpdate(
  management: FieldManagement,
  request: { readonly manager: string; readonly now: string },
  changes: { readonly managers: Managers; readonly set: Manager["set"] },
): Managers {
  const { managers, set } = changes;
  if (isEmptySet(set)) return managers;
  const manager = updateManager(management, request.manager);
  const id = managerId(manager);
  const before = managers.get(id);
  const all = before === undefined ? set : unionSets(set, before.set);
  const entry = before?.entry === undefined ? {} : { entry: before.entry };
  return new Map(managers).set(id, { ...manager, ...entry, set: all, time: request.now });
}

function updateManager(management: FieldManagement, name: string): Omit<Manager, "set"> {
  const { apiVersion, subresource = "" } = management;
  return { name: name || "unknown", operation: "Update", apiVersion, subresource };
}

/** The object without its managedFields, which are nobody's field. */
export function withoutManagedFields(object: ManagedObject): ManagedObject {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The object with these entries; itself when it has them. */
export function withManagedFields(object: ManagedObject, entries: ManagedFields | undefined): ManagedObject {
  if (object.metadata?.managedFields === entries) return object;
  if (entries === undefined) return withoutManagedFields(object);
  return { ...object, metadata: { ...object.metadata, managedFields: entries } };
}

/** The entries of the live object, when they are all that there is to store. */
export function storedFields(
  live: ManagedObject | undefined,
  entries: ManagedFields | undefined,
): ManagedFields | undefined {
  const stored = live?.metadata?.managedFields;
  if (stored === undefined || entries === undefined || stored.length !== entries.length) return entries;
  return entries.every((entry, index) => entry === stored[index]) ? stored : entries;
}
