import type {
  CrdConversion,
  CrdNames,
  CrdVersion,
  CustomResourceDefinition,
} from "../crd/custom-resource-definition.ts";
import type { AnyCustomKind } from "./custom-kind.ts";

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
 * The CustomResourceDefinition of a kind, ready to be applied. The order of keys is always the same, so that its text can
 * be kept in a file and compared.
 */
export function crdManifest(kind: AnyCustomKind | Crd): CustomResourceDefinition {
  const { name, versions, storage, conversion } = "versions" in kind ? kind : crdOf([kind], kind.version);
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

/** Versions as one definition, unchecked: `defineCrd` is for users. */
export function crdOf(
  versions: readonly [AnyCustomKind, ...AnyCustomKind[]],
  storage: string,
  conversion?: CrdConversion,
): Crd {
  const [first] = versions;
  return Object.freeze({
    name: `${first.plural}.${first.group}`,
    versions: Object.freeze([...versions]),
    storage,
    ...(conversion === undefined ? {} : { conversion }),
  });
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
