/** Built-in kinds as resources. */
import {
  type FieldError,
  type FieldManagement,
  type JsonObject,
  type JsonSchema,
  type ObjectMeta,
  type PatchSchema,
  apiVersionOf,
  compileMergeType,
  dns1123SubdomainErrors,
  fieldSetOf,
  jsonEqual,
  patchSchemaOf,
  validateObjectMeta,
  validateObjectMetaUpdate,
  zeroObject,
} from "@bowline/api";
import {
  type BuiltinResource,
  builtinDefinition,
  builtinDefinitionName,
  builtinPrinter,
  decodeBuiltin,
} from "@bowline/api/catalog";
import type { Bucket } from "../store/bucket.ts";
import type { Revision, StoredObject } from "../store/revision.ts";
import type { BuiltinRules, EndpointRules } from "./builtin/builtin-rules.ts";
import { withField } from "./custom-resource.ts";
import { withMetadata } from "./metadata.ts";
import type { MaybePromise, Resource, ScalePaths } from "./resource.ts";
import type { Strategy, Verdict, WriteStrategy } from "./strategy.ts";

/** How a second version of a built-in kind shows what the first stores. */
export interface VersionConversion {
  /** A key that is not used by another conversion. */
  readonly view: string;
  readonly read: (object: StoredObject) => StoredObject;
  readonly write: (object: StoredObject) => StoredObject;
}

export interface BuiltinResourceOptions {
  readonly api: BuiltinResource;
  readonly bucket: Bucket;
  readonly rules: BuiltinRules;
  /** Absent for the stored version. */
  readonly conversion?: VersionConversion | undefined;
  /** The other version that the kind is served in, if there is one: who owns fields may have said so in it. */
  readonly other?: OtherVersion | undefined;
}

/** Another version of the same objects, and the ways there and back. */
export interface OtherVersion {
  readonly api: BuiltinResource;
  readonly to: (object: StoredObject) => StoredObject;
  readonly from: (object: StoredObject) => StoredObject;
}

/** One built-in resource in one version. Schemas are parsed and compiled on first use: a start-up touches few of them. */
export function builtinResource(options: BuiltinResourceOptions): Resource {
  const { api, bucket, rules, conversion } = options;
  const kind = { group: api.group, kind: api.kind };
  const statusFields =
    rules.statusFields ?? (api.subresources.some((s) => s.name === "status") ? ["status"] : []);
  return {
    api,
    openapi: { resource: api },
    bucket,
    strategy: mainStrategy(options, statusFields),
    status: api.subresources.some((s) => s.name === "status")
      ? statusStrategy(options, statusFields)
      : undefined,
    endpoints: new Map(
      Object.entries(rules.endpoints ?? {}).map(([name, endpoint]) => [
        name,
        endpointStrategy(options, name, endpoint),
      ]),
    ),
    scale: api.subresources.some((s) => s.name === "scale")
      ? { ...workloadScale, isPlainSelector: api.kind === "ReplicationController" }
      : undefined,
    get printer() {
      return builtinPrinter(kind);
    },
    deprecation: deprecations[apiVersionOf(api.group, api.version)]?.[api.kind],
    selectableFields: new Map(Object.entries(rules.fields ?? {})),
    typedItems: false,
    replicasPaths: { [apiVersionOf(api.group, api.version)]: workloadScale.specReplicas },
    get patchSchema() {
      return made(patchSchemas, api, () =>
        patchSchemaOf(definitionsByName, builtinDefinitionName(api) ?? ""),
      );
    },
    registryPath: `/registry/${api.group === "" ? "" : `${api.group}/`}${api.plural}`,
    kind,
    createRefusal: undefined,
    see: (revisions) => seeAs(revisions, conversion),
    toStorage: (object) => conversion?.write(object) ?? object,
  };
}

/** What the real server warns of on every request, by version and kind. */
const deprecations: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  v1: {
    ComponentStatus: "v1 ComponentStatus is deprecated in v1.19+",
    Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
};

function seeAs(
  revisions: readonly Revision[],
  conversion: VersionConversion | undefined,
): MaybePromise<readonly Revision[]> {
  return conversion === undefined
    ? revisions
    : revisions.map((r) => r.view(conversion.view, conversion.read));
}

/** OpenAPI definitions looked up one at a time, as the patch code needs them. */
const definitionsByName: Readonly<Record<string, never>> = new Proxy(
  {},
  { get: (_target, name) => (typeof name === "string" ? builtinDefinition(name) : undefined) },
);

/** Where Deployments, ReplicaSets, StatefulSets and ReplicationControllers keep what their scale shows. */
const workloadScale: ScalePaths = {
  specReplicas: ["spec", "replicas"],
  statusReplicas: ["status", "replicas"],
  selector: ["spec", "selector"],
};

function mainStrategy(options: BuiltinResourceOptions, statusFields: readonly string[]): Strategy {
  const { api, rules } = options;
  const metadata = { namespaced: api.namespaced, name: rules.name ?? dns1123SubdomainErrors };
  return {
    allowUnconditionalUpdate: rules.allowUnconditionalUpdate ?? true,
    allowCreateOnUpdate: rules.allowCreateOnUpdate ?? false,
    defaultPropagation: rules.defaultPropagation ?? "Background",
    ...(rules.orphanWarning === undefined ? {} : { orphanWarning: rules.orphanWarning }),
    ...(rules.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: rules.gracePeriodSeconds }),
    ...(rules.prepareForDelete === undefined ? {} : { prepareForDelete: rules.prepareForDelete }),
    ...(rules.keepsDeleted === undefined ? {} : { keepsDeleted: rules.keepsDeleted }),
    management: fieldManagement(options, statusFields, undefined),
    decodesApplied: true,
    decode(value) {
      const decoded = decodeBuiltin(api, value);
      return {
        object: decoded.object,
        strictErrors: decoded.unknownFields,
        ...(decoded.error === undefined ? {} : { error: decoded.error }),
      };
    },
    applyDefaults: (object) =>
      (rules.defaults?.(object as unknown as StoredObject) ?? object) as unknown as JsonObject,
    prepareForCreate(object, user) {
      const bare = withInitialStatus(object, rules, statusFields);
      const prepared = rules.prepareForCreate?.(bare, user, bare.metadata.creationTimestamp ?? "") ?? bare;
      return withMetadata(prepared, { generation: rules.generation === undefined ? undefined : 1 });
    },
    prepareForUpdate(object, old) {
      const kept = statusFields.reduce((o, field) => withField(o, field, old[field]), object);
      const prepared = rules.prepareForUpdate?.(kept, old) ?? kept;
      if (!isNewGeneration(rules, prepared, old)) return prepared;
      return withMetadata(prepared, { generation: (old.metadata.generation ?? 0) + 1 });
    },
    validateCreate: (object) =>
      verdict(
        [
          ...validateObjectMeta(object.metadata as ObjectMeta, metadata),
          ...finalizerNameErrors(object),
          ...(rules.validateCreate?.(object) ?? []),
        ],
        rules.warnings?.(object, undefined),
      ),
    validateUpdate: (object, old) =>
      verdict(
        [
          ...validateObjectMetaUpdate(object.metadata as ObjectMeta, old.metadata as ObjectMeta),
          ...finalizerNameErrors(object),
          ...(rules.validateUpdate?.(object, old) ?? []),
        ],
        rules.warnings?.(object, old),
      ),
  };
}

function isNewGeneration(rules: BuiltinRules, object: StoredObject, old: StoredObject): boolean {
  if (rules.generation === undefined) return false;
  return rules.generation === true ? !jsonEqual(object["spec"], old["spec"]) : rules.generation(object, old);
}

/** The object as its status is on create: what the kind starts with, whatever the client sent. */
function withInitialStatus(
  object: StoredObject,
  rules: BuiltinRules,
  statusFields: readonly string[],
): StoredObject {
  if (rules.keepsStatusOnCreate === true) {
    return object["status"] === undefined ? withField(object, "status", rules.initialStatus ?? {}) : object;
  }
  return statusFields.reduce(
    (o, field) => withField(o, field, field === "status" ? (rules.initialStatus ?? {}) : undefined),
    object,
  );
}

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers of built-in kinds have a domain. Source: kubernetes pkg/apis/core/validation (validateKubeFinalizerName). */
function finalizerNameErrors(object: StoredObject): FieldError[] {
  const { finalizers = [] } = object.metadata;
  return finalizers.flatMap((name, i): FieldError[] =>
    name.includes("/") || standardFinalizers.has(name)
      ? []
      : [
          {
            type: "Invalid",
            field: `metadata.finalizers[${i}]`,
            badValue: name,
            detail: "name is neither a standard finalizer name nor is it fully qualified",
          },
        ],
  );
}

function statusStrategy(options: BuiltinResourceOptions, statusFields: readonly string[]): WriteStrategy {
  const { rules } = options;
  return {
    management: fieldManagement(options, statusFields, "status"),
    prepareForUpdate(object, old) {
      const next = statusFields.reduce((o, field) => withField(o, field, object[field]), old);
      const merged = withMetadata(next, {
        managedFields: object.metadata.managedFields,
        labels: object.metadata.labels,
        annotations: object.metadata.annotations,
        finalizers: object.metadata.finalizers,
        ownerReferences: object.metadata.ownerReferences,
        resourceVersion: object.metadata.resourceVersion,
      });
      return rules.prepareForStatusUpdate?.(merged, old) ?? merged;
    },
    validateUpdate: (object, old) =>
      verdict([
        ...validateObjectMetaUpdate(object.metadata as ObjectMeta, old.metadata as ObjectMeta),
        ...(rules.validateStatusUpdate?.(object, old) ?? []),
      ]),
  };
}

function endpointStrategy(
  options: BuiltinResourceOptions,
  name: string,
  endpoint: EndpointRules,
): WriteStrategy {
  const { rules } = options;
  return {
    management: fieldManagement(options, [], name),
    prepareForUpdate(object, old) {
      const prepared = endpoint.prepareForUpdate(object, old);
      if (!isNewGeneration(rules, prepared, old)) return prepared;
      return withMetadata(prepared, { generation: (old.metadata.generation ?? 0) + 1 });
    },
    validateUpdate: (object, old) =>
      verdict([
        ...validateObjectMetaUpdate(object.metadata as ObjectMeta, old.metadata as ObjectMeta),
        ...endpoint.validateUpdate(object, old),
      ]),
  };
}

const noWarnings: readonly string[] = [];

function verdict(errors: readonly FieldError[], warnings: readonly string[] = noWarnings): Verdict {
  return { errors, warnings };
}

function fieldManagement(
  { api, other }: BuiltinResourceOptions,
  statusFields: readonly string[],
  subresource: string | undefined,
): FieldManagement {
  const apiVersion = apiVersionOf(api.group, api.version);
  const otherVersion = other && apiVersionOf(other.api.group, other.api.version);
  const reset =
    subresource === "status" ? fieldSetOf([["spec"]]) : fieldSetOf(statusFields.map((field) => [field]));
  return {
    apiVersion,
    kind: api.kind,
    ...(subresource === undefined ? {} : { subresource }),
    emptyListClears: true,
    typeOf(wanted) {
      const of = wanted === apiVersion ? api : wanted === otherVersion ? other?.api : undefined;
      if (of === undefined) return undefined;
      return made(mergeTypes, of, () =>
        compileMergeType(definitionOf(of), { definitions: definitionsByName }),
      );
    },
    get zero() {
      return made(zeros, api, () =>
        zeroObject({ apiVersion, kind: api.kind }, definitionOf(api), definitionsByName),
      );
    },
    ...(other === undefined ? {} : { convert: converterOf(apiVersion, otherVersion ?? "", other) }),
    ...(subresource === undefined && statusFields.length === 0
      ? {}
      : { resetFields: { [apiVersion]: reset } }),
  };
}

/** What follows from a kind alone: made on first need, and shared by all clusters of the process. */
const patchSchemas = new WeakMap<BuiltinResource, PatchSchema>();
const mergeTypes = new WeakMap<BuiltinResource, ReturnType<typeof compileMergeType>>();
const zeros = new WeakMap<BuiltinResource, ReturnType<typeof zeroObject>>();

function made<V>(known: WeakMap<BuiltinResource, V>, api: BuiltinResource, make: () => V): V {
  let value = known.get(api);
  if (value === undefined) known.set(api, (value = make()));
  return value;
}

function definitionOf(api: BuiltinResource): JsonSchema {
  return builtinDefinition(builtinDefinitionName(api) ?? "") ?? {};
}

/** Between two versions; undefined for a third. */
function converterOf(
  own: string,
  otherVersion: string,
  other: OtherVersion,
): NonNullable<FieldManagement["convert"]> {
  return (object, wanted) => {
    if (object.apiVersion === wanted) return object;
    if (wanted !== own && wanted !== otherVersion) return undefined;
    const convert = wanted === own ? other.from : other.to;
    return convert(object as unknown as StoredObject) as unknown as typeof object;
  };
}
