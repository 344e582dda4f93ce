/**
 * Archives as `docker save` wrote them before it wrote image layouts, and as `podman save` and `skopeo copy` to
 * `docker-archive:` still do: a `manifest.json` that names the configuration and the layers of each image.
 */
import { createReadStream } from "node:fs";
import { CommandError } from "../errors.ts";
import { type Descriptor, type ImageManifest, mediaTypes } from "./manifest.ts";
import type { OciLayout } from "./oci-layout.ts";
import { type TarFile, readTarFile } from "./tar.ts";

interface SavedImage {
  readonly Config: string;
  readonly Layers: readonly string[];
}

/** What `manifest.json` names; undefined for an archive of something else. */
export function savedImages(archive: string, files: readonly TarFile[]): readonly SavedImage[] | undefined {
  const manifest = files.find((file) => file.path === "manifest.json");
  if (manifest === undefined) return undefined;
  try {
    const images: unknown = JSON.parse(readTarFile(archive, manifest).toString("utf8"));
    return Array.isArray(images) && images.length > 0 && images.every(isSavedImage) ? images : undefined;
  } catch {
    return undefined;
  }
}

function isSavedImage(value: unknown): value is SavedImage {
  const { Config, Layers } = (value ?? {}) as Partial<Record<keyof SavedImage, unknown>>;
  return typeof Config === "string" && Array.isArray(Layers);
}

/**
 * Writes the images of the archive into a layout, and names them by their place in the archive.
 * @throws CommandError when a file that an image needs is not in the archive
 */
export async function takeInSavedImages(
  archive: string,
  files: readonly TarFile[],
  images: readonly SavedImage[],
  layout: OciLayout,
): Promise<void> {
  const found = (name: string): TarFile => {
    const file = files.find((each) => each.path === name);
    if (file !== undefined) return file;
    throw new CommandError(
      `${archive} has no file ${name}, which its manifest.json names: save the image again, with --format oci-archive where the tool has it`,
    );
  };
  for (const [i, image] of images.entries()) {
    const layers: Descriptor[] = [];
    for (const name of image.Layers) layers.push(await takeInLayer(archive, found(name), layout));
    const manifest: ImageManifest = {
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: layout.writeBlob(mediaTypes.config, readTarFile(archive, found(image.Config))),
      layers,
    };
    layout.setName(String(i), layout.writeJson(mediaTypes.manifest, manifest));
  }
}

async function takeInLayer(archive: string, file: TarFile, layout: OciLayout): Promise<Descriptor> {
  const head = readTarFile(archive, { ...file, size: Math.min(file.size, 2) });
  const mediaType = head[0] === 0x1f && head[1] === 0x8b ? mediaTypes.layerGzip : mediaTypes.layer;
  const end = file.offset + file.size - 1;
  return layout.takeIn(mediaType, createReadStream(archive, { start: file.offset, end }));
}
