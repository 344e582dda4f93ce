import { type AnyKind, type DeepReadonly, type KubeObject, jsonEqual } from "@bowline/api";

type Frozen = DeepReadonly<KubeObject>;
type Fields = { readonly [field: string]: unknown };

/** How one version becomes the hub version and back. Metadata, apiVersion and kind are taken care of. */
export interface Spoke {
  /** `v1beta1`. */
  readonly version: string;
  /** Answers the fields beside metadata (spec, status, ...) in the hub version. */
  toHub(object: Frozen & Fields): Fields;
  /** Answers the fields beside metadata in this version. */
  fromHub(object: Frozen & Fields): Fields;
}

/** Conversion between the versions of a kind, ready to be given to a manager. */
export interface ConversionDefinition {
  readonly type: "conversion";
  readonly kind: AnyKind;
  /** The version in the middle: any two versions are converted through it. */
  readonly hub: string;
  readonly spokes: ReadonlyMap<string, Spoke>;
}

/**
 * Declares how the versions of a kind are converted: every spoke to the hub and back.
 * ```ts
 * defineConversion(CronTab, { hub: "v1", spokes: [{
 *   version: "v1beta1",
 *   toHub: ({ spec }) => ({ spec: { schedule: spec.cron } }),
 *   fromHub: ({ spec }) => ({ spec: { cron: spec.schedule } }),
 * }] })
 * ```
 * What a version cannot express is lost on the way back: `checkRoundTrip` in a test finds it. Fields that the schema
 * requires may be missing, for an API server has parts of objects converted, too, when fields are applied; a spoke is not
 * called for an object without a spec.
 */
export function defineConversion(
  kind: AnyKind,
  options: { readonly hub: string; readonly spokes: readonly Spoke[] },
): ConversionDefinition {
  const spokes = new Map(options.spokes.map((spoke) => [spoke.version, spoke]));
  return { type: "conversion", kind, hub: options.hub, spokes };
}

/** The object in another version; the same object when it has it already. @throws Error for a version without a converter */
export function convertObject(conversion: ConversionDefinition, object: Frozen, apiVersion: string): Frozen {
  if (object.apiVersion === apiVersion) return object;
  const to = versionOf(apiVersion);
  const hub = step(conversion, object, versionOf(object.apiVersion), "toHub");
  return step(conversion, hub, to, "fromHub");
}

function step(
  conversion: ConversionDefinition,
  object: Frozen,
  version: string,
  direction: "toHub" | "fromHub",
): Frozen {
  if (version === conversion.hub) return object;
  const spoke = conversion.spokes.get(version);
  const { kind } = conversion;
  if (spoke === undefined) {
    const known = [conversion.hub, ...conversion.spokes.keys()].join(", ");
    throw new Error(`${kind.kind}: no conversion for version ${version}; there is one for ${known}`);
  }
  const fields = isPart(object) ? withoutSpec(object) : spoke[direction](object as Frozen & Fields);
  const target = direction === "toHub" ? conversion.hub : version;
  const apiVersion = kind.group === "" ? target : `${kind.group}/${target}`;
  return { ...fields, apiVersion, kind: object.kind, metadata: metadataAfter(object, fields) };
}

/**
 * When fields are applied in one version that were applied in another before, an API server also has what is left of the
 * object without them converted: there may be no spec. No spoke need know of it: nothing that it reads is there.
 * Source: structured-merge-diff merge/update.go (prune).
 */
function isPart(object: Frozen & { readonly spec?: unknown }): boolean {
  return object.spec === undefined || object.spec === null;
}

function withoutSpec(object: Frozen): Fields {
  const { apiVersion: _, kind: __, ...fields } = object;
  return fields;
}

/** The server takes only labels and annotations from a conversion; all other metadata must stay. Empty ones are as none. */
function metadataAfter(object: Frozen, fields: Fields): Frozen["metadata"] {
  const { labels, annotations } = (fields["metadata"] ?? object.metadata) as Frozen["metadata"];
  const { labels: _, annotations: __, ...others } = object.metadata;
  return {
    ...others,
    ...filled("labels", labels ?? object.metadata.labels),
    ...filled("annotations", annotations ?? object.metadata.annotations),
  };
}

function filled(
  name: "labels" | "annotations",
  value: Readonly<Record<string, string>> | undefined,
): Pick<Frozen["metadata"], "labels" | "annotations"> {
  return value === undefined || Object.keys(value).length === 0 ? {} : { [name]: value };
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** A value that did not survive. */
export interface RoundTripLoss {
  readonly from: string;
  readonly through: string;
  readonly before: Frozen;
  readonly after: Frozen;
}

/**
 * Converts each sample (in any version) through every other version and back, and answers those that changed: an empty
 * answer means that nothing is lost. For a test of every conversion.
 */
export function checkRoundTrip(
  conversion: ConversionDefinition,
  samples: readonly Frozen[],
): RoundTripLoss[] {
  const { group } = conversion.kind;
  const versions = [conversion.hub, ...conversion.spokes.keys()];
  return samples.flatMap((before) =>
    versions.flatMap((version) => {
      const through = group === "" ? version : `${group}/${version}`;
      const there = convertObject(conversion, before, through);
      const after = convertObject(conversion, there, before.apiVersion);
      return jsonEqual(before, after) ? [] : [{ from: before.apiVersion, through, before, after }];
    }),
  );
}

/** Source: apiextensions.k8s.io/v1 ConversionRequest. */
export interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Frozen[];
}

/** Source: apiextensions.k8s.io/v1 ConversionResponse. */
export interface ConversionResponse {
  readonly uid: string;
  readonly result: { readonly status: "Success" | "Failure"; readonly message?: string };
  readonly convertedObjects?: readonly Frozen[];
}

/** Answers a ConversionReview's request: all objects, or a failure with the reason. */
export function answerConversion(
  conversions: ReadonlyMap<string, ConversionDefinition>,
  request: ConversionRequest,
): ConversionResponse {
  const { uid, desiredAPIVersion } = request;
  try {
    const convertedObjects = request.objects.map((object) => {
      const group = object.apiVersion.slice(0, Math.max(0, object.apiVersion.indexOf("/")));
      const conversion = conversions.get(`${group}/${object.kind}`);
      if (conversion === undefined) throw new Error(`no conversion for ${object.apiVersion} ${object.kind}`);
      return convertObject(conversion, object, desiredAPIVersion);
    });
    return { uid, result: { status: "Success" }, convertedObjects };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { uid, result: { status: "Failure", message } };
  }
}
