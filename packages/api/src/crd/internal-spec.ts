/**
 * The form in which the server validates a CRD: what all versions have in common is moved to the top, which is why errors
 * speak of `spec.validation`. Source: apiextensions/v1 conversion.go.
 */
import { goJson } from "../status/go-text.ts";
import type {
  CrdConversion,
  CrdNames,
  CrdPrinterColumn,
  CrdSpec,
  CrdVersion,
} from "./custom-resource-definition.ts";
import { columnStruct, subresourcesStruct, withoutEmpty } from "./internal-struct.ts";
import type { InternalVersion, VersionParts } from "./internal-version.ts";
import { schemasEqual } from "./schema-equal.ts";

export interface InternalSpec extends VersionParts {
  readonly group: string;
  readonly scope: string;
  readonly names: CrdNames;
  /** Name of the first version, "" without versions. */
  readonly version: string;
  readonly versions: readonly InternalVersion[];
  /** Whether `versions` was given at all. */
  readonly versionsGiven: boolean;
  readonly conversion: CrdConversion | undefined;
  readonly preserveUnknownFields: boolean;
}

export function internalSpec(spec: CrdSpec): InternalSpec {
  const versions = (spec.versions ?? []).map(internalVersion);
  const [first] = versions;
  const schema = common(versions, (v) => v.schema, sameSchema);
  const subresources = common(versions, (v) => v.subresources, sameStruct(subresourcesStruct));
  const columns = common(versions, (v) => v.columns, sameStruct(columnStructs));
  const selectableFields = common(
    versions,
    (v) => v.selectableFields,
    sameStruct((x) => x),
  );
  return {
    group: spec.group ?? "",
    scope: spec.scope ?? "",
    names: spec.names ?? { plural: "", kind: "" },
    version: first?.name ?? "",
    versions: versions.map((version) => ({
      ...version,
      ...(schema.same ? { schema: undefined } : {}),
      ...(subresources.same ? { subresources: undefined } : {}),
      ...(columns.same ? { columns: undefined } : {}),
      ...(selectableFields.same ? { selectableFields: undefined } : {}),
    })),
    versionsGiven: spec.versions !== undefined && spec.versions !== null,
    schema: schema.value,
    subresources: subresources.value,
    columns: columns.value,
    selectableFields: selectableFields.value,
    conversion: spec.conversion,
    preserveUnknownFields: spec.preserveUnknownFields === true,
  };
}

function internalVersion(version: CrdVersion): InternalVersion {
  return {
    name: version.name ?? "",
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    deprecationWarning: version.deprecationWarning,
    schema: version.schema,
    subresources: version.subresources,
    columns: version.additionalPrinterColumns,
    selectableFields: version.selectableFields,
  };
}

interface Common<T> {
  readonly same: boolean;
  /** Undefined when versions differ, and when none has it. */
  readonly value: T | undefined;
}

/** A part that all versions have in common. */
function common<T>(
  versions: readonly InternalVersion[],
  part: (version: InternalVersion) => T | undefined,
  equal: (a: T | undefined, b: T | undefined) => boolean,
): Common<T> {
  const [first, ...others] = versions;
  if (first === undefined) return { same: false, value: undefined };
  const value = part(first);
  const same = others.every((version) => equal(value, part(version)));
  return { same, value: same ? value : undefined };
}

function sameSchema(a: CrdVersion["schema"], b: CrdVersion["schema"]): boolean {
  if (a === undefined || b === undefined) return a === b;
  return schemasEqual(a.openAPIV3Schema, b.openAPIV3Schema);
}

/** Empty lists equal absent ones. */
function sameStruct<T>(
  struct: (value: T | undefined) => unknown,
): (a: T | undefined, b: T | undefined) => boolean {
  const identity = (value: T | undefined): string => goJson(withoutEmpty(struct(value)));
  return (a, b) => a === b || identity(a) === identity(b);
}

function columnStructs(columns: readonly CrdPrinterColumn[] | undefined): unknown {
  return columns?.map(columnStruct);
}
