import type {
  CrdConversion,
  CrdNames,
  CrdVersion,
  CustomResourceDefinition,
} from "../crd/custom-resource-definition.ts";
import type { AnyCustomKind } from "./custom-kind.ts";
import { type DefinitionProblem, KindDefinitionError } from "./definition-error.ts";

export interface CrdOptions {
  /** The version that objects are stored in. Default: the first of the list. */
  readonly storage?: string;
  /** How objects get from one version to another. Default: `None`, which only changes `apiVersion`. */
  readonly conversion?: CrdConversion;
}

/** One CustomResourceDefinition: the versions of one kind, and which of them is stored. */
export interface Crd extends CrdOptions {
  /** `applications.example.com`. */
  readonly name: string;
  readonly versions: readonly AnyCustomKind[];
  readonly storage: string;
}

/**
 * Several versions of one kind as one CustomResourceDefinition.
 *
 * ```ts
 * export const applicationCrd = defineCrd([ApplicationV1, ApplicationV2], { storage: "v2" });
 * ```
 * @throws KindDefinitionError when they are not versions of one kind (group, names, scope must agree)
 */
export function defineCrd(
  versions: readonly [AnyCustomKind, ...AnyCustomKind[]],
  options: CrdOptions = {},
): Crd {
  const [first] = versions;
  const storage = options.storage ?? first.version;
  const problems = versions.flatMap((kind, index) => disagreements(first, kind, index));
  const names = versions.map((kind) => kind.version);
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    problems.push({ path: "versions", message: `version ${name} is there twice` });
  }
  if (!names.includes(storage)) {
    problems.push({ path: "storage", message: `${storage} is none of the versions ${names.join(", ")}` });
  }
  const name = `${first.plural}.${first.group}`;
  if (problems.length > 0) throw new KindDefinitionError(name, problems);
  return Object.freeze({ name, versions: Object.freeze([...versions]), ...options, storage });
}

const sharedFields = [
  "group",
  "kind",
  "listKind",
  "plural",
  "singular",
  "scope",
  "shortNames",
  "categories",
] as const;

function disagreements(first: AnyCustomKind, kind: AnyCustomKind, index: number): DefinitionProblem[] {
  return sharedFields
    .filter((field) => String(kind[field]) !== String(first[field]))
    .map((field) => ({
      path: `versions[${index}].${field}`,
      message: `is ${JSON.stringify(kind[field])}, and ${first.version} has ${JSON.stringify(first[field])}; all versions share it`,
    }));
}

/**
 * The CustomResourceDefinition of a kind, ready to be applied. The order of keys is always the same, so that its text can
 * be kept in a file and compared.
 */
export function crdManifest(kind: AnyCustomKind | Crd): CustomResourceDefinition {
  const { name, versions, storage, conversion } = "versions" in kind ? kind : defineCrd([kind]);
  const first = versions[0] as AnyCustomKind;
  const annotations = Object.assign({}, ...versions.map((each) => each.crdMetadata.annotations)) as Record<
    string,
    string
  >;
  const labels = Object.assign({}, ...versions.map((each) => each.crdMetadata.labels)) as Record<
    string,
    string
  >;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name,
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
    },
    spec: {
      group: first.group,
      names: crdNames(first),
      scope: first.scope,
      ...(conversion === undefined ? {} : { conversion }),
      versions: versions.map((each) => versionEntry(each, storage)),
    },
  };
}

function crdNames(kind: AnyCustomKind): CrdNames {
  return {
    kind: kind.kind,
    listKind: kind.listKind,
    plural: kind.plural,
    singular: kind.singular,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: [...kind.shortNames] }),
    ...(kind.categories.length === 0 ? {} : { categories: [...kind.categories] }),
  };
}

function versionEntry(kind: AnyCustomKind, storage: string): CrdVersion {
  return kind.version === storage ? kind.crdVersion : { ...kind.crdVersion, storage: false };
}

/**
 * How many bytes of JSON a manifest may have before client-side `kubectl apply` refuses it: the whole goes into one
 * annotation. Server-side apply has no such limit. Source: apimachinery pkg/api/validation TotalAnnotationSizeLimitB.
 */
export const crdManifestBytesMax: number = 262_144;

/** A warning for people when the manifest is too large for client-side `kubectl apply`, or undefined. */
export function crdSizeWarning(manifest: CustomResourceDefinition): string | undefined {
  const bytes = utf8Bytes(JSON.stringify(manifest));
  if (bytes <= crdManifestBytesMax) return undefined;
  return (
    `the CustomResourceDefinition ${manifest.metadata.name} has ${bytes} bytes, and client-side kubectl apply takes ` +
    `${crdManifestBytesMax}; use kubectl apply --server-side`
  );
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
  }
  return bytes;
}
