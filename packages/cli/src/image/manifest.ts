/** The documents that an image consists of, as the OCI image specification 1.1 and Docker's schema 2 have them. */

export interface Descriptor {
  readonly mediaType: string;
  /** `sha256:…`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface Platform {
  readonly os: string;
  readonly architecture: string;
  readonly variant?: string;
}

/** A choice of images for several platforms. */
export interface ImageIndex {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly manifests: readonly Descriptor[];
}

export interface ImageManifest {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a container is started with, and what its file system is made of. */
export interface ImageConfig extends Platform {
  readonly created?: string;
  readonly config?: {
    readonly User?: string;
    readonly Env?: readonly string[];
    readonly Entrypoint?: readonly string[] | null;
    readonly Cmd?: readonly string[] | null;
    readonly WorkingDir?: string;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
  /** Digests of the layers before compression. */
  readonly rootfs: { readonly type: "layers"; readonly diff_ids: readonly string[] };
  readonly history?: readonly HistoryEntry[];
}

export interface HistoryEntry {
  readonly created?: string;
  readonly created_by?: string;
  readonly comment?: string;
  /** It changed the configuration only. */
  readonly empty_layer?: boolean;
}

export const mediaTypes = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar",
  layerGzip: "application/vnd.oci.image.layer.v1.tar+gzip",
  dockerList: "application/vnd.docker.distribution.manifest.list.v2+json",
  dockerManifest: "application/vnd.docker.distribution.manifest.v2+json",
} as const;

export function isIndex(mediaType: string): boolean {
  return mediaType === mediaTypes.index || mediaType === mediaTypes.dockerList;
}

export function isManifest(mediaType: string): boolean {
  return mediaType === mediaTypes.manifest || mediaType === mediaTypes.dockerManifest;
}

/** Layers of Docker's media types under their OCI names: an OCI manifest lists no others. */
export function asOciLayer(layer: Descriptor): Descriptor {
  const { mediaType } = layer;
  if (mediaType.startsWith("application/vnd.oci.")) return layer;
  return { ...layer, mediaType: mediaType.endsWith("gzip") ? mediaTypes.layerGzip : mediaTypes.layer };
}

/** `linux/arm64`. */
export function platformText({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join("/");
}
