/** Makes the image of a project on top of a base image, without any other program. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { Output } from "../output/output.ts";
import type { BaseImage } from "./base-image.ts";
import {
  asOciLayer,
  type Descriptor,
  type HistoryEntry,
  type ImageConfig,
  mediaTypes,
  platformText,
} from "./manifest.ts";
import type { OciLayout } from "./oci-layout.ts";
import { manifestOf } from "./production-modules.ts";
import { nativeModules, programFolder, projectLayers, type ProjectLayer } from "./project-files.ts";
import { tarArchive } from "./tar.ts";

/** Neither root nor anybody who exists in usual base images, as distroless has it. */
const user = "65532:65532";

interface PackedLayer {
  readonly descriptor: Descriptor;
  /** Digest before compression. */
  readonly diffId: string;
}

/**
 * Writes the image into the layout. The same project on the same base gives the same digest, whenever it is built.
 * @param bases one per platform
 * @returns the manifest, or an index when there are several platforms
 */
export function buildImage(
  folder: string,
  bases: readonly BaseImage[],
  layout: OciLayout,
  output: Output,
): Descriptor {
  const files = projectLayers(folder);
  const [native] = nativeModules(files);
  if (native !== undefined) {
    output.error(`warning: ${native} works on this machine's platform only; build with docker for others\n`);
  }
  const layers = files.map((layer) => packed(layer, layout, output));
  const manifests = bases.map((base) => imageOf(folder, base, layers, layout));
  if (manifests.length === 1) return manifests[0] as Descriptor;
  return layout.writeJson(mediaTypes.index, { schemaVersion: 2, mediaType: mediaTypes.index, manifests });
}

function packed({ title, entries }: ProjectLayer, layout: OciLayout, output: Output): PackedLayer {
  const archive = Buffer.concat([...tarArchive(entries)]);
  const zipped = gzipSync(archive, { level: 6 });
  // the operating system's mark in the header: it would make the same layer differ between machines
  zipped[9] = 0xff;
  const descriptor = layout.writeBlob(mediaTypes.layerGzip, zipped);
  output.write(`layer     ${title}: ${entries.length} files, ${megabytes(zipped.length)}\n`);
  return { descriptor, diffId: `sha256:${createHash("sha256").update(archive).digest("hex")}` };
}

/** `12.3 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function imageOf(
  folder: string,
  base: BaseImage,
  layers: readonly PackedLayer[],
  layout: OciLayout,
): Descriptor {
  const config = configOf(folder, base, layers);
  const annotations = {
    ...(base.name === undefined ? {} : { "org.opencontainers.image.base.name": base.name }),
    ...(base.digest === undefined ? {} : { "org.opencontainers.image.base.digest": base.digest }),
  };
  const manifest = layout.writeJson(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: layout.writeJson(mediaTypes.config, config),
    layers: [...base.layers.map(asOciLayer), ...layers.map((layer) => layer.descriptor)],
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  });
  const { os, architecture, variant } = base.config;
  return { ...manifest, platform: { os, architecture, ...(variant === undefined ? {} : { variant }) } };
}

function configOf(folder: string, base: BaseImage, layers: readonly PackedLayer[]): ImageConfig {
  const { config: from } = base;
  const created = creationTime();
  const env = (from.config?.Env ?? []).filter((entry) => !entry.startsWith("NODE_ENV="));
  return {
    ...from,
    created,
    config: {
      ...from.config,
      User: user,
      Env: [...env, "NODE_ENV=production"],
      Entrypoint: [nodeOf(base), "dist/main.js"],
      Cmd: null,
      WorkingDir: `/${programFolder}`,
      Labels: { ...from.config?.Labels, ...labelsOf(folder, base) },
    },
    rootfs: { type: "layers", diff_ids: [...from.rootfs.diff_ids, ...layers.map((layer) => layer.diffId)] },
    history: [
      ...historyOf(from, created),
      ...layers.map(() => ({ created, created_by: "bowline build", comment: `for ${platformText(from)}` })),
    ],
  };
}

/**
 * One entry for each layer. A base may have no history, or an incomplete one; tools that build upon the image refuse to when
 * entries and layers do not match.
 */
function historyOf({ history = [], rootfs }: ImageConfig, created: string): readonly HistoryEntry[] {
  const isComplete = history.filter((entry) => entry.empty_layer !== true).length === rootfs.diff_ids.length;
  return isComplete ? history : rootfs.diff_ids.map(() => ({ created, comment: "of the base image" }));
}

/** SOURCE_DATE_EPOCH (seconds) when it is set, as reproducible-builds.org defines it, else 1970. */
function creationTime(): string {
  const seconds = Number(process.env["SOURCE_DATE_EPOCH"] ?? 0);
  return `${new Date((Number.isFinite(seconds) ? seconds : 0) * 1000).toISOString().slice(0, 19)}Z`;
}

/** The base's own way to start Node, when it says one; else the one that its PATH leads to. */
function nodeOf({ config, nodePath }: BaseImage): string {
  const [program = ""] = config.config?.Entrypoint ?? [];
  return path.posix.basename(program) === "node" ? program : (nodePath ?? "node");
}

function labelsOf(folder: string, base: BaseImage): Record<string, string> {
  const { name = "", version = "" } = manifestOf(folder);
  const description = (
    JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as { description?: string }
  ).description;
  return {
    "org.opencontainers.image.title": name,
    "org.opencontainers.image.version": version,
    ...(description === undefined ? {} : { "org.opencontainers.image.description": description }),
    ...(base.name === undefined ? {} : { "org.opencontainers.image.base.name": base.name }),
  };
}
