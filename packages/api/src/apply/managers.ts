import type { DeepReadonly, ManagedFieldsEntry } from "../object/object.ts";
import type { ManagedFields } from "./field-management.ts";
import { type FieldSet, equalSets, sortedSet } from "./field-set.ts";
import { compareText, encodeElementValue } from "./path-element.ts";
import { readFieldSet } from "./read-field-set.ts";

/** One manager of fields, through one operation, version and subresource. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly set: FieldSet;
  /** RFC 3339 in whole seconds; absent when the manager never changed a value. */
  readonly time?: string | undefined;
  /** The entry that this was read from, given back as it is when nothing changes. */
  readonly entry?: DeepReadonly<ManagedFieldsEntry>;
}

/** Managers by identity. An Apply manager is the same one in every version. */
export type Managers = Map<string, Manager>;

/** Entries that are not valid; the message is what the server says. */
export class ManagedFieldsError extends Error {
  override readonly name: string = "ManagedFieldsError";
}

/**
 * The identity of a manager, which is also what managers are sorted by in messages.
 * Source: apimachinery managedfields/internal BuildManagerIdentifier.
 */
export function managerId(manager: Omit<Manager, "set">): string {
  const parts: string[] = [];
  if (manager.name !== "") parts.push(`"manager":${encodeElementValue(manager.name)}`);
  parts.push(`"operation":"${manager.operation}"`);
  if (manager.operation === "Update") parts.push(`"apiVersion":${encodeElementValue(manager.apiVersion)}`);
  if (manager.subresource !== "") parts.push(`"subresource":${encodeElementValue(manager.subresource)}`);
  return `{${parts.join(",")}}`;
}

/** Reads the entries of an object. Throws ManagedFieldsError or PathElementError. */
export function readManagers(entries: ManagedFields | undefined): Managers {
  const managers: Managers = new Map();
  if (entries === undefined || entries === null) return managers;
  for (const [index, entry] of entries.entries()) {
    const manager = readManager(entry, index);
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function readManager(entry: DeepReadonly<ManagedFieldsEntry>, index: number): Manager {
  const { operation, apiVersion, fieldsType } = entry;
  if (operation !== "Apply" && operation !== "Update") {
    throw new ManagedFieldsError("operation must be `Apply` or `Update`");
  }
  if (!apiVersion) throw new ManagedFieldsError("apiVersion must not be empty");
  if (!fieldsType) throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new ManagedFieldsError(
      `invalid fieldsType "${String(fieldsType)}" in managed fields entry ${index}`,
    );
  }
  const set = readFieldSet(entry.fieldsV1);
  const time = wholeSeconds(entry.time);
  const name = entry.manager ?? "";
  return { name, operation, apiVersion, subresource: entry.subresource ?? "", set, time, entry };
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function wholeSeconds(time: string | undefined): string | undefined {
  if (!time || canonicalTime.test(time)) return time || undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return undefined;
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/**
 * What is wrong with entries, or undefined: mutating admission may have spoilt them, and then the server keeps those from
 * before it and warns. Source: apiserver endpoints/handlers/fieldmanager (admission.go).
 */
export function managedFieldsProblem(entries: ManagedFields | undefined): string | undefined {
  try {
    readManagers(entries);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * The entries that are stored, in the server's order: by operation, time, name, version and subresource. Undefined for none.
 * Source: apimachinery managedfields/internal (managedfields.go).
 */
export function writeManagers(managers: Managers): ManagedFieldsEntry[] | undefined {
  if (managers.size === 0) return undefined;
  const sorted = [...managers.values()];
  if (sorted.length > 1) sorted.sort(compareManagers);
  return sorted.map(writeManager);
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? "", b.time ?? "") ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

/** One entry as it is stored. */
export function writeManager(manager: Manager): ManagedFieldsEntry {
  const { entry } = manager;
  if (entry !== undefined && isUnchanged(manager, entry)) return entry as ManagedFieldsEntry;
  const written: ManagedFieldsEntry = {};
  if (manager.name !== "") written.manager = manager.name;
  written.operation = manager.operation;
  written.apiVersion = manager.apiVersion;
  if (manager.time !== undefined) written.time = manager.time;
  written.fieldsType = "FieldsV1";
  written.fieldsV1 = sortedSet(manager.set) as unknown as NonNullable<ManagedFieldsEntry["fieldsV1"]>;
  if (manager.subresource !== "") written.subresource = manager.subresource;
  return written;
}

function isUnchanged(manager: Manager, entry: DeepReadonly<ManagedFieldsEntry>): boolean {
  if (entry.time !== manager.time || entry.apiVersion !== manager.apiVersion) return false;
  const fields: unknown = entry.fieldsV1;
  return (
    fields === manager.set ||
    (typeof fields === "object" && fields !== null && equalSets(readFieldSet(fields), manager.set))
  );
}

/** The manager with another set; the manager itself when the set is the same. */
export function withSet(manager: Manager, set: FieldSet): Manager {
  return set === manager.set ? manager : { ...manager, set };
}
