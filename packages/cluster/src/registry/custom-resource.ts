/** What a CustomResourceDefinition makes the server serve: one Resource per served version. */
import {
  type CrdScale,
  type CrdVersion,
  type CustomResourceDefinition,
  type FieldManagement,
  type JsonObject,
  type ReplicasPaths,
  type SchemaRules,
  type StructuralSchema,
  applyDefaults,
  compileMergeType,
  compileSchema,
  compileSchemaRules,
  customApiResource,
  customPrinter,
  decodeCustomResource,
  deducedType,
  deepFreeze,
  deprecationWarning,
  fieldSetOf,
  jsonEqual,
  validateCustomResource,
} from "@bowline/api";
import type { Bucket } from "../store/bucket.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import { withMetadata } from "./metadata.ts";
import type { FieldReader, MaybePromise, Resource, ScalePaths } from "./resource.ts";
import type { Strategy, Verdict, WriteStrategy } from "./strategy.ts";

/** Turns objects of one version into another, all in one call and in the same order. */
export type Converter = (
  objects: readonly StoredObject[],
  apiVersion: string,
) => MaybePromise<readonly StoredObject[]>;

export interface CustomResourceContext {
  readonly bucket: Bucket;
  /** Why creates are refused at the moment, if they are. */
  readonly createRefusal: (name: string) => Error | undefined;
  readonly convert: Converter;
}

/** Conversion strategy None: only apiVersion changes. */
export const renameVersion: Converter = (objects, apiVersion) =>
  objects.map((object) => ({ ...object, apiVersion }));

let serial = 0;

/** The resources of an established CRD. */
export function customResources(crd: CustomResourceDefinition, context: CustomResourceContext): Resource[] {
  const stored = crd.spec.versions.find((v) => v.storage);
  const definition: Definition = {
    crd,
    context,
    storage: stored?.name ?? "",
    storageSchema: once(() => compileSchema(stored?.schema?.openAPIV3Schema)),
    schemaOf: schemasByVersion(crd),
    serial: ++serial,
    types: mergeTypes(crd),
  };
  return crd.spec.versions.filter((v) => v.served).map((version) => customResource(definition, version));
}

interface Definition {
  readonly crd: CustomResourceDefinition;
  readonly context: CustomResourceContext;
  /** Name of the stored version. */
  readonly storage: string;
  /** Only needed when other versions are served. */
  readonly storageSchema: () => StructuralSchema;
  /** The schema of an apiVersion of this definition; undefined for one that it does not have. */
  readonly schemaOf: (apiVersion: string) => StructuralSchema | undefined;
  /** Tells the views of this definition from those of an earlier one of the same name. */
  readonly serial: number;
  readonly types: ReadonlyMap<string, ReturnType<typeof compileMergeType>>;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Schemas of stored versions, each compiled when the first object of it is read through another version. */
function schemasByVersion(crd: CustomResourceDefinition): Definition["schemaOf"] {
  const schemas = new Map(
    crd.spec.versions.map(({ name, schema }) => [
      apiVersionOfCrd(crd, name),
      once(() => compileSchema(schema?.openAPIV3Schema)),
    ]),
  );
  return (apiVersion) => schemas.get(apiVersion)?.();
}

function apiVersionOfCrd(crd: CustomResourceDefinition, version: string): string {
  return `${crd.spec.group}/${version}`;
}

function mergeTypes(crd: CustomResourceDefinition): Definition["types"] {
  const types = new Map<string, ReturnType<typeof compileMergeType>>();
  for (const version of crd.spec.versions) {
    const schema = version.schema?.openAPIV3Schema;
    const preserveUnknownFields = crd.spec.preserveUnknownFields ?? false;
    const type = schema === undefined ? deducedType : compileMergeType(schema, { preserveUnknownFields });
    types.set(apiVersionOfCrd(crd, version.name), type);
  }
  return types;
}

function customResource(definition: Definition, version: CrdVersion): Resource {
  const { crd, context, storage, serial: number } = definition;
  const { group } = crd.spec;
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  const api = customApiResource({ group, scope: crd.spec.scope, names, version, storageVersion: storage });
  const apiVersion = apiVersionOfCrd(crd, version.name);
  const schema = compileSchema(version.schema?.openAPIV3Schema);
  const strategies = makeStrategies({ definition, version, schema, apiVersion });
  const view = `${version.name}#${number}`;
  const onRead = (object: StoredObject): StoredObject => readObject(crd, schema, object);
  const onConvert = (object: StoredObject): StoredObject => deepFreeze(prunedObject(crd, schema, object));
  return {
    api,
    openapi: {
      resource: api,
      custom: {
        ...(version.schema?.openAPIV3Schema === undefined ? {} : { schema: version.schema.openAPIV3Schema }),
        ...(version.selectableFields === undefined ? {} : { selectableFields: version.selectableFields }),
        ...(version.deprecated === undefined ? {} : { deprecated: version.deprecated }),
      },
    },
    bucket: context.bucket,
    strategy: strategies.main,
    status: strategies.status,
    scale: scalePaths(version.subresources?.scale),
    replicasPaths: replicasPaths(crd),
    printer: customPrinter(version.additionalPrinterColumns),
    deprecation: deprecationWarning(crd.spec, version.name),
    selectableFields: selectableFields(version),
    typedItems: true,
    patchSchema: undefined,
    registryPath: `/registry/apiextensions.kubernetes.io/${group}/${names.plural}`,
    kind: { group, kind: names.kind },
    createRefusal: context.createRefusal,
    see: (revisions) =>
      seeAs(revisions, {
        view,
        apiVersion,
        convert: context.convert,
        onRead,
        beforeConvert: (object) => readAsStored(definition, object),
        onConvert,
      }),
    toStorage: (object) => {
      const stored = apiVersionOfCrd(crd, storage);
      if (object.apiVersion === stored) return object;
      const converted = context.convert([object], stored);
      // What the stored version does not know is lost, as after any other conversion.
      const storable = (objects: readonly StoredObject[]): StoredObject =>
        prunedObject(crd, definition.storageSchema(), first(objects));
      return converted instanceof Promise ? converted.then(storable) : storable(converted);
    },
  };
}

function prunedObject(
  crd: CustomResourceDefinition,
  schema: StructuralSchema,
  object: StoredObject,
): StoredObject {
  const { preserveUnknownFields = false } = crd.spec;
  const decoded = decodeCustomResource(schema, object as unknown as JsonObject, { preserveUnknownFields });
  return decoded.object as unknown as StoredObject;
}

function first(objects: readonly StoredObject[]): StoredObject {
  const [object] = objects;
  if (object === undefined) throw new Error("the conversion answered no object");
  return object;
}

interface Seeing {
  readonly view: string;
  readonly apiVersion: string;
  readonly convert: Converter;
  /** What a stored object of this version looks like. */
  readonly onRead: (object: StoredObject) => StoredObject;
  /** What a stored object of another version is before it is converted. */
  readonly beforeConvert: (object: StoredObject) => StoredObject;
  readonly onConvert: (object: StoredObject) => StoredObject;
}

/**
 * Stored revisions in one version, each read once. Defaults are those of the version that is stored: what only the version
 * asked for would default stays absent. Source: apiextensions-apiserver pkg/apiserver (customresource_handler.go,
 * crdConversionRESTOptionsGetter), whose decoder defaults before it converts.
 */
function seeAs(revisions: readonly Revision[], seeing: Seeing): MaybePromise<readonly Revision[]> {
  const { view, apiVersion, onRead, beforeConvert, onConvert } = seeing;
  const foreign = revisions.filter((r) => r.seen(view) === undefined && r.object.apiVersion !== apiVersion);
  const seen = (): Revision[] => revisions.map((r) => r.view(view, onRead));
  if (foreign.length === 0) return seen();
  const remember = (converted: readonly StoredObject[]): Revision[] => {
    for (const [i, revision] of foreign.entries()) {
      const object = converted[i];
      if (object === undefined)
        throw new Error(`the conversion answered ${converted.length} of ${foreign.length} objects`);
      revision.remember(view, onConvert(object));
    }
    return seen();
  };
  const converted = seeing.convert(
    foreign.map((r) => beforeConvert(r.object)),
    apiVersion,
  );
  return converted instanceof Promise ? converted.then(remember) : remember(converted);
}

/** An object of another version, as the schema of its own version shows it; as it is when that version is no more. */
function readAsStored({ crd, schemaOf }: Definition, object: StoredObject): StoredObject {
  const schema = schemaOf(object.apiVersion ?? "");
  return schema === undefined ? object : readObject(crd, schema, object);
}

/** An object from storage as today's schema shows it: it may have been written under an older one. */
function readObject(
  crd: CustomResourceDefinition,
  schema: StructuralSchema,
  object: StoredObject,
): StoredObject {
  const decoded = decodeCustomResource(schema, object as unknown as JsonObject, {
    dropInvalidMetadata: true,
    preserveUnknownFields: crd.spec.preserveUnknownFields ?? false,
  });
  return deepFreeze(applyDefaults(schema, decoded.object)) as unknown as StoredObject;
}

function scalePaths(scale: CrdScale | undefined): ScalePaths | undefined {
  if (scale === undefined) return undefined;
  return {
    specReplicas: pathOf(scale.specReplicasPath),
    statusReplicas: pathOf(scale.statusReplicasPath),
    selector:
      scale.labelSelectorPath === undefined || scale.labelSelectorPath === ""
        ? undefined
        : pathOf(scale.labelSelectorPath),
  };
}

function replicasPaths(crd: CustomResourceDefinition): ReplicasPaths {
  const paths = crd.spec.versions.map((v) => [
    apiVersionOfCrd(crd, v.name),
    scalePaths(v.subresources?.scale)?.specReplicas,
  ]);
  return Object.fromEntries(paths) as ReplicasPaths;
}

/** `.spec.replicas` as field names. */
function pathOf(jsonPath: string): string[] {
  return jsonPath.replace(/^\./, "").split(".");
}

function selectableFields(version: CrdVersion): ReadonlyMap<string, FieldReader> {
  const fields = new Map<string, FieldReader>();
  for (const { jsonPath } of version.selectableFields ?? []) {
    const path = pathOf(jsonPath);
    fields.set(path.join("."), (object) => textAt(object, path));
  }
  return fields;
}

function textAt(object: StoredObject, path: readonly string[]): string {
  const value = path.reduce<unknown>((v, key) => (v as Record<string, unknown> | undefined)?.[key], object);
  return value === undefined || value === null ? "" : String(value);
}

interface StrategyInputs {
  readonly definition: Definition;
  readonly version: CrdVersion;
  readonly schema: StructuralSchema;
  readonly apiVersion: string;
}

function makeStrategies(inputs: StrategyInputs): { main: Strategy; status: WriteStrategy | undefined } {
  const { definition, version, schema } = inputs;
  const { crd } = definition;
  const openApi = version.schema?.openAPIV3Schema;
  const rules = openApi === undefined ? undefined : compileSchemaRules(openApi);
  const hasStatus = version.subresources?.status !== undefined;
  const validate = validator(inputs, rules);
  const convert = managedConversion(definition);
  // A body of another version is refused later, but what its version does not know is told before.
  const versionOfBody = ({ apiVersion }: JsonObject): { name: string; schema: StructuralSchema } => {
    const other =
      apiVersion === inputs.apiVersion
        ? undefined
        : crd.spec.versions.find((v) => apiVersionOfCrd(crd, v.name) === apiVersion);
    if (other === undefined) return { name: version.name, schema };
    return { name: other.name, schema: compileSchema(other.schema?.openAPIV3Schema) };
  };
  const main: Strategy = {
    ...(convert === undefined ? {} : { convert }),
    allowUnconditionalUpdate: false,
    defaultPropagation: "Background",
    management: fieldManagement(inputs, undefined),
    decodesApplied: false,
    decode(value, { strict }) {
      const named = versionOfBody(value);
      const decoded = decodeCustomResource(named.schema, value, {
        unknownFields: strict,
        preserveUnknownFields: crd.spec.preserveUnknownFields ?? false,
        kind: { group: crd.spec.group, version: named.name, kind: crd.spec.names.kind },
      });
      const strictErrors = decoded.unknownFields.map((path) => `unknown field "${path}"`);
      return {
        object: decoded.object,
        strictErrors,
        ...(decoded.error === undefined ? {} : { error: decoded.error }),
      };
    },
    applyDefaults: (object) => applyDefaults(schema, object),
    prepareForCreate: (object) =>
      withMetadata(hasStatus ? without(object, "status") : object, { generation: 1 }),
    prepareForUpdate(object, old) {
      const kept = hasStatus ? withField(object, "status", old["status"]) : object;
      return counted(kept, old);
    },
    validateCreate: (object) => validate(object, undefined, undefined),
    validateUpdate: (object, old) => validate(object, old, undefined),
  };
  if (!hasStatus) return { main, status: undefined };
  const status: WriteStrategy = {
    ...(convert === undefined ? {} : { convert }),
    management: fieldManagement(inputs, "status"),
    prepareForUpdate: (object, old) =>
      withMetadata(withField(old, "status", object["status"]), {
        managedFields: object.metadata.managedFields,
      }),
    validateUpdate: (object, old) => validate(object, old, "status"),
  };
  return { main, status };
}

/** How field management converts objects of a definition with a conversion webhook. */
function managedConversion({ crd, context, types }: Definition): WriteStrategy["convert"] {
  if (crd.spec.conversion?.strategy !== "Webhook") return undefined;
  return async (object, apiVersion) => {
    if (!types.has(apiVersion)) return undefined;
    const [converted] = await context.convert([object], apiVersion);
    return converted;
  };
}

function validator(
  { definition, version, schema }: StrategyInputs,
  rules: SchemaRules | undefined,
): (object: StoredObject, old: StoredObject | undefined, subresource: "status" | undefined) => Verdict {
  const { crd } = definition;
  const kind = {
    group: crd.spec.group,
    version: version.name,
    kind: crd.status?.acceptedNames.kind ?? crd.spec.names.kind,
  };
  return (object, old, subresource) =>
    validateCustomResource({
      schema,
      rules,
      kind,
      namespaced: crd.spec.scope === "Namespaced",
      scale: version.subresources?.scale,
      object: object as unknown as JsonObject,
      old: old as unknown as JsonObject | undefined,
      subresource,
    });
}

function fieldManagement(
  { definition, version, apiVersion }: StrategyInputs,
  subresource: "status" | undefined,
): FieldManagement {
  const { crd, types } = definition;
  const hasStatus = version.subresources?.status !== undefined;
  const main = hasStatus ? fieldSetOf([["status"]]) : undefined;
  const reset = subresource === "status" ? fieldSetOf([["metadata"], ["spec"]]) : main;
  return {
    apiVersion,
    kind: crd.spec.names.kind,
    ...(subresource === undefined ? {} : { subresource }),
    typeOf: (wanted) => types.get(wanted),
    ...(reset === undefined ? {} : { resetFields: { [apiVersion]: reset } }),
  };
}

/** The object with its generation, one higher than before when anything outside metadata (and a separate status) changed. */
function counted(object: StoredObject, old: StoredObject): StoredObject {
  const generation = old.metadata.generation ?? 0;
  const { metadata: _new, ...now } = object;
  const { metadata: _old, ...before } = old;
  return jsonEqual(now, before) ? object : withMetadata(object, { generation: generation + 1 });
}

/** The object with one top-level field set, or removed when the value is undefined. */
export function withField(object: StoredObject, field: string, value: unknown): StoredObject {
  if (value === undefined) return without(object, field);
  return object[field] === value ? object : ({ ...object, [field]: value } as StoredObject);
}

function without(object: StoredObject, field: string): StoredObject {
  if (!(field in object)) return object;
  const { [field]: _dropped, ...rest } = object;
  return rest as StoredObject;
}
