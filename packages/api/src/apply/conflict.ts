import { failure } from "../status/status-error.ts";
import type { StatusError } from "../status/status-error.ts";
import { quote } from "../status/field-error.ts";
import { type FieldSet, differenceOfSets, isEmptySet, pathText, pathsOfSet } from "./field-set.ts";
import { compareText } from "./path-element.ts";
import type { Manager } from "./managers.ts";
import { unionOf } from "./owned-set.ts";

/** Fields that an apply would take from other managers, by manager identity. */
export class ApplyConflicts extends Error {
  override readonly name: string = "ApplyConflicts";
  readonly conflicts: ReadonlyMap<string, { readonly manager: Manager; readonly fields: FieldSet }>;

  constructor(conflicts: ApplyConflicts["conflicts"]) {
    super("apply conflicts");
    this.conflicts = conflicts;
  }

  /** What remains when some fields may be taken; undefined when nothing does. */
  without(allowed: FieldSet): ApplyConflicts | undefined {
    const all = unionOf([...this.conflicts.values()].map((conflict) => conflict.fields));
    if (isEmptySet(differenceOfSets(all, allowed))) return undefined;
    const rest = new Map<string, { manager: Manager; fields: FieldSet }>();
    for (const [id, { manager, fields }] of this.conflicts) {
      const left = differenceOfSets(fields, allowed);
      if (!isEmptySet(left)) rest.set(id, { manager, fields: left });
    }
    return new ApplyConflicts(rest);
  }
}

/** The 409 that names every field and its managers. Source: apimachinery managedfields/internal (conflict.go). */
export function conflictStatus(error: ApplyConflicts): StatusError {
  const groups = [...error.conflicts]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { manager, fields }]) => ({
      by: managerText(manager),
      paths: pathsOfSet(fields).map(pathText),
    }));
  const causes = groups.flatMap(({ by, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${by}`, field })),
  );
  const [only] = causes;
  const message =
    causes.length === 1
      ? `Apply failed with 1 conflict: ${only?.message}: ${only?.field}`
      : `Apply failed with ${causes.length} conflicts: ${groups.map(groupText).join("\n")}`;
  return failure(409, "Conflict", message, { causes });
}

function groupText({ by, paths }: { by: string; paths: readonly string[] }): string {
  return [`conflicts with ${by}:`, ...paths.map((path) => `- ${path}`)].join("\n");
}

function managerText(manager: Manager): string {
  const through = manager.subresource === "" ? "" : ` with subresource ${quote(manager.subresource)}`;
  const using = manager.operation === "Update" ? ` using ${manager.apiVersion}` : "";
  return `${quote(manager.name)}${through}${using}`;
}
