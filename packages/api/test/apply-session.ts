import { applyPatch } from "../src/apply/apply-patch.ts";
import type { ApplyResult, FieldManagement, ManagedObject } from "../src/apply/field-management.ts";
import { pathText, pathsOfSet } from "../src/apply/field-set.ts";
import { type MergeType, deducedType } from "../src/apply/merge-type.ts";
import { readFieldSet } from "../src/apply/read-field-set.ts";
import { trackUpdate } from "../src/apply/track-update.ts";
import { deepFreeze } from "../src/object/freeze.ts";
import { isStatusError } from "../src/status/status-error.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One object, frozen as in a store, that managers write to; every write is a second after the one before. */
export class ApplySession {
  live: ManagedObject | undefined;
  management: FieldManagement;
  #seconds = 0;

  constructor(
    type: MergeType | Readonly<Record<string, MergeType>> = deducedType,
    more: Partial<FieldManagement> = {},
  ) {
    const one = "scalar" in type || "map" in type || "list" in type;
    const typeOf = (apiVersion: string): MergeType | undefined =>
      one ? (type as MergeType) : (type as Record<string, MergeType>)[apiVersion];
    this.management = { apiVersion: "v1", kind: "Thing", typeOf, ...more };
  }

  get now(): string {
    return new Date(Date.UTC(2026, 0, 1, 0, 0, this.#seconds)).toISOString().replace(".000Z", "Z");
  }

  /** The object that a body with these fields is; metadata is added to what the fields say of it. */
  object(fields: Fields, apiVersion: string): ManagedObject {
    const { metadata, ...rest } = fields;
    return {
      apiVersion,
      kind: "Thing",
      metadata: { name: "x", ...(metadata as object) },
      ...rest,
    } as ManagedObject;
  }

  apply(manager: string, fields: Fields, options: { version?: string; force?: boolean } = {}): ApplyResult {
    const version = options.version ?? this.management.apiVersion;
    this.#seconds++;
    const live = this.#liveAt(version);
    const result = applyPatch(
      { ...this.management, apiVersion: version },
      {
        ...(live === undefined ? {} : { live }),
        patch: deepFreeze(this.object(fields, version)) as Fields,
        manager,
        force: options.force === true,
        now: this.now,
      },
    );
    this.#store(result.object);
    return result;
  }

  update(manager: string, fields: Fields, version: string = this.management.apiVersion): void {
    this.#seconds++;
    const live = this.#liveAt(version);
    const sent = this.object(fields, version);
    const metadata = { ...live?.metadata, ...sent.metadata };
    const object = deepFreeze({ ...sent, metadata }) as ManagedObject;
    this.#store(
      trackUpdate(
        { ...this.management, apiVersion: version },
        { ...(live === undefined ? {} : { live }), object, manager, now: this.now },
      ),
    );
  }

  /** The conflicts of an apply as `manager .path`, sorted. */
  conflicts(manager: string, fields: Fields, version?: string): string[] {
    try {
      this.apply(manager, fields, version === undefined ? {} : { version });
    } catch (error) {
      if (!isStatusError(error) || error.code !== 409) throw error;
      return error.causes.map((c) => `${/"([^"]*)"/.exec(c.message ?? "")?.[1]} ${c.field}`).sort();
    }
    return [];
  }

  /** The fields beside apiVersion, kind and metadata. */
  get fields(): Fields {
    const { apiVersion: _a, kind: _k, metadata: _m, ...fields } = this.live ?? {};
    return fields;
  }

  /** Who owns what: `{"ann": ["v1", [".a", ".b"]]}`; Update managers have their operation in the name when asked for. */
  get owned(): Record<string, [version: string | undefined, paths: string[]]> {
    const owned: Record<string, [string | undefined, string[]]> = {};
    for (const entry of this.live?.metadata.managedFields ?? []) {
      owned[entry.manager ?? ""] = [entry.apiVersion, pathsOfSet(readFieldSet(entry.fieldsV1)).map(pathText)];
    }
    return owned;
  }

  /** `Apply ann 1`, with the second of the entry's time or `-`. */
  get times(): string[] {
    return (this.live?.metadata.managedFields ?? []).map(
      (e) => `${e.operation} ${e.manager} ${e.time === undefined ? "-" : Number(e.time.slice(17, 19))}`,
    );
  }

  #liveAt(version: string): ManagedObject | undefined {
    const { live } = this;
    if (live === undefined || live.apiVersion === version) return live;
    return this.management.convert?.(live, version) ?? { ...live, apiVersion: version };
  }

  #store(object: ManagedObject): void {
    this.live = deepFreeze({ ...object, metadata: { uid: "u", ...object.metadata } }) as ManagedObject;
  }
}
