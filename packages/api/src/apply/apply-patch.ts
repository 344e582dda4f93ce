import { StatusError, badRequest, failure } from "../status/status-error.ts";
import { ApplyConflicts, conflictStatus } from "./conflict.ts";
import { ConversionNeeded } from "./conversions.ts";
import type { ApplyRequest, ApplyResult, FieldManagement, ManagedObject } from "./field-management.ts";
import { isEmptySet, recursiveDifference } from "./field-set.ts";
import { fieldsOfLastApplied, kubectlManager, withLastApplied } from "./last-applied.ts";
import { type Manager, type Managers, managerId, readManagers, withSet, writeManagers } from "./managers.ts";
import { type Typed, ObjectVersions } from "./object-versions.ts";
import { ownedSet } from "./owned-set.ts";
import { withoutSystemFields } from "./system-fields.ts";
import { storedFields, updatedManagers, withManagedFields, withoutManagedFields } from "./track-update.ts";
import { MergeStepError } from "./typed-error.ts";
import { type AppliedChanges, applyConfiguration, reconciledManagers } from "./update-managers.ts";
import { validateTyped } from "./validate-typed.ts";
import { asMap } from "./value-kind.ts";

/**
 * Server-side apply. Throws StatusError: 409 with one cause per conflicting field, 400 when the patch is of another kind or
 * version or carries managedFields, 500 when it does not fit the schema.
 * Source: apimachinery managedfields/internal (fieldmanager.go and the managers it stacks).
 */
export function applyPatch(management: FieldManagement, request: ApplyRequest): ApplyResult {
  checkPatch(management, request.patch);
  const stored = serverError("failed to decode managed fields", () =>
    readManagers(request.live?.metadata?.managedFields),
  );
  const managers = stored.size > 0 ? stored : managersBeforeFirstApply(management, request);
  const applying = applyManager(management, request);
  const write = typedWrite(management, request, managers);
  const { next, managers: after } = applyForcingLastApplied(request, applying, write);
  const changed = next.value !== write.live.value;
  const entries = writeManagers(stampApply(after, applying, { changed, now: request.now }));
  const value = changed ? (next.value as ManagedObject) : ((request.live ?? next.value) as ManagedObject);
  const annotated = request.manager === kubectlManager ? withLastApplied(value, request.patch) : value;
  return { object: withManagedFields(annotated, storedFields(request.live, entries)), changed };
}

/** The kind and version must be the endpoint's, and ownership cannot be applied. */
function checkPatch(management: FieldManagement, patch: ApplyRequest["patch"]): void {
  const { apiVersion = "", kind = "" } = patch;
  if (apiVersion !== management.apiVersion || kind !== management.kind) {
    throw badRequest(`invalid object type: ${kindOf(apiVersion, kind)}`);
  }
  const managedFields = asMap(patch["metadata"])?.["managedFields"];
  if (managedFields !== undefined && managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
}

/** `example.com/v1, Kind=Lantern`; `/, Kind=` when apiVersion is no group and version. Source: schema.GroupVersionKind. */
function kindOf(apiVersion: unknown, kind: unknown): string {
  const version = typeof apiVersion === "string" ? apiVersion : "";
  const kindName = typeof kind === "string" ? kind : "";
  const parts = version.split("/");
  if (parts.length > 2) return "/, Kind=";
  return `${parts.length === 2 ? version : `/${version}`}, Kind=${kindName}`;
}

function serverError<T>(what: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof StatusError || error instanceof ConversionNeeded) throw error;
    throw failure(500, "", `${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What an object without entries holds is owned by a manager of this name, so that the first apply can conflict with it. */
const beforeFirstApply = "before-first-apply";

function managersBeforeFirstApply(management: FieldManagement, request: ApplyRequest): Managers {
  const { live, now } = request;
  if (live === undefined) return new Map();
  return serverError("failed to create manager for existing fields", () =>
    updatedManagers(management, { object: live, manager: beforeFirstApply, now }, new Map()),
  );
}

interface Applying {
  readonly id: string;
  readonly manager: Omit<Manager, "set">;
}

function applyManager(management: FieldManagement, request: ApplyRequest): Applying {
  const manager = {
    name: request.manager || "unknown",
    operation: "Apply",
    apiVersion: management.apiVersion,
    subresource: management.subresource ?? "",
  } as const;
  return { id: managerId(manager), manager };
}

interface Write {
  readonly management: FieldManagement;
  readonly versions: ObjectVersions;
  readonly live: Typed;
  readonly config: Typed;
  readonly managers: Managers;
}

function typedWrite(management: FieldManagement, request: ApplyRequest, managers: Managers): Write {
  const { apiVersion, kind } = management;
  const { patch, live: liveObject } = request;
  const versions = new ObjectVersions(management);
  const config = versions.typed(patch, apiVersion);
  if (config === undefined) throw failure(500, "", `no corresponding type for ${kindOf(apiVersion, kind)}`);
  serverError(`failed to create typed patch object (${objectText(patch)})`, () =>
    validateTyped(config.type, patch, false),
  );
  const live = liveObject === undefined ? { apiVersion, kind } : withoutManagedFields(liveObject);
  serverError(`failed to create typed live object (${objectText(live)})`, () =>
    validateTyped(config.type, live, true),
  );
  return { management, versions, config, managers, live: { ...config, value: live } };
}

function objectText(object: { readonly [field: string]: unknown }): string {
  const metadata = asMap(object["metadata"]) ?? {};
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  const { namespace, name } = metadata;
  return `${text(namespace)}/${text(name)}; ${kindOf(object["apiVersion"], object["kind"])}`;
}

/** Applies; conflicts that kubectl has with its own client-side applies are forced. */
function applyForcingLastApplied(request: ApplyRequest, applying: Applying, write: Write): AppliedChanges {
  const force = request.force === true;
  try {
    return applyOnce(applying, write, force);
  } catch (error) {
    if (!(error instanceof ApplyConflicts)) throw error;
    const rest = conflictsLeft(request, write, error);
    if (rest !== undefined) throw conflictStatus(rest);
    return applyOnce(applying, write, true);
  }
}

function conflictsLeft(
  request: ApplyRequest,
  write: Write,
  conflicts: ApplyConflicts,
): ApplyConflicts | undefined {
  if (request.manager !== kubectlManager) return conflicts;
  const live = write.live.value as ManagedObject;
  const allowed = fieldsOfLastApplied(write.config.type, live, write.management.apiVersion);
  return allowed === undefined ? conflicts : conflicts.without(allowed);
}

function applyOnce(applying: Applying, write: Write, force: boolean): AppliedChanges {
  const { config } = write;
  const reset = write.management.resetFields?.[config.apiVersion];
  const mentioned = ownedSet(config.type, config.value);
  const set = reset === undefined ? mentioned : recursiveDifference(mentioned, reset);
  try {
    const reconciled = { ...write, managers: reconciledManagers(write) };
    const last = reconciled.managers.get(applying.id);
    const manager = { ...last, ...applying.manager, set, time: last?.time };
    return applyConfiguration(reconciled, config, { id: applying.id, manager, force });
  } catch (error) {
    if (!(error instanceof MergeStepError)) throw error;
    throw failure(500, "", error.message);
  }
}

/** Strips what nobody owns from the applier's set, and gives it the time when the apply changed a value. */
function stampApply(managers: Managers, applying: Applying, at: { changed: boolean; now: string }): Managers {
  const manager = managers.get(applying.id);
  if (manager === undefined) return managers;
  const stamped = new Map(managers);
  const owned = withSet(manager, withoutSystemFields(manager.set));
  if (isEmptySet(owned.set)) stamped.delete(applying.id);
  else stamped.set(applying.id, at.changed ? { ...owned, time: at.now } : owned);
  return stamped;
}
