/** The image that a project's image stands on: from a folder, a file or a registry. */
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createGunzip } from "node:zlib";
import { CommandError, messageOf } from "../errors.ts";
import { savedImages, takeInSavedImages } from "./docker-archive.ts";
import { parseImageReference } from "./image-reference.ts";
import {
  type Descriptor,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  type Platform,
  isIndex,
  isManifest,
  mediaTypes,
  platformText,
} from "./manifest.ts";
import { OciLayout } from "./oci-layout.ts";
import { pullImage } from "./pull-image.ts";
import type { RegistryAccess } from "./registry-client.ts";
import { type TarFile, readTarFile, tarFiles } from "./tar.ts";

export interface BaseImage {
  readonly config: ImageConfig;
  readonly layers: readonly Descriptor[];
  /** As it was asked for in a registry, spelled out; absent for a file. */
  readonly name?: string;
  readonly digest?: string;
  /** Where Node is, when the files of the base were looked through. */
  readonly nodePath?: string;
}

export interface BaseOptions {
  /** A reference, a folder with an image layout, or an archive: of a layout, or of the files of a system. */
  readonly base: string;
  /** Paths of files are relative to it. */
  readonly folder: string;
  /** Empty: what this machine is, or what the base has when that is only one. */
  readonly platforms: readonly Platform[];
  /** Takes in all blobs of the base. */
  readonly layout: OciLayout;
  readonly access: RegistryAccess;
}

/**
 * One image per platform asked for, with all its blobs in the layout.
 * @throws CommandError when there is no such base, or not for that platform
 */
export async function loadBase(options: BaseOptions): Promise<BaseImage[]> {
  const { base } = options;
  const file = path.resolve(options.folder, base);
  if (!existsSync(file)) {
    if (/^[./~]|\.(?:tar|tgz|tar\.gz)$/.test(base)) {
      throw new CommandError(`the base image ${base} does not exist: name a file, a folder or a reference`);
    }
    return fromRegistry(options);
  }
  if (statSync(file).isDirectory()) {
    if (!OciLayout.isAt(file)) {
      throw new CommandError(`${base} is not an OCI image layout: index.json and blobs/ are expected in it`);
    }
    return fromLayout(new OciLayout(file), base, options);
  }
  return fromArchive(file, options);
}

async function fromRegistry(options: BaseOptions): Promise<BaseImage[]> {
  const reference = parseImageReference(options.base);
  const pulled = await pullImage(reference, options.access, (manifests) => chosen(manifests, options));
  return Promise.all(
    pulled.map(async ({ manifest, digest, fetchBlob }) => {
      const blobs = [manifest.config, ...manifest.layers];
      for (const blob of blobs) {
        if (options.layout.has(blob)) continue;
        options.access.output.write(
          `pull      ${options.base}: ${blob.digest.slice(0, 19)} ${blob.size} bytes\n`,
        );
        await options.layout.takeIn(blob.mediaType, fetchBlob(blob), {
          expected: blob,
          ...(options.access.signal === undefined ? {} : { signal: options.access.signal }),
        });
      }
      return { ...imageFrom(options.layout, manifest), name: reference.text, digest };
    }),
  );
}

/** Which of the platforms that there are. */
function chosen(manifests: readonly Descriptor[], { platforms, base }: BaseOptions): Descriptor[] {
  const images = manifests.filter((each) => each.platform?.os !== "unknown");
  const wanted = platforms.length > 0 ? platforms : [hostPlatform()];
  return wanted.map((platform) => {
    const found = images.find(
      (each) =>
        each.platform?.os === platform.os &&
        each.platform.architecture === platform.architecture &&
        (platform.variant === undefined || each.platform.variant === platform.variant),
    );
    if (found !== undefined) return found;
    if (platforms.length === 0 && images.length === 1) return images[0] as Descriptor;
    const there = images.map((each) =>
      each.platform === undefined ? "unknown" : platformText(each.platform),
    );
    throw new CommandError(
      `the base image ${base} is not there for ${platformText(platform)}: it has ${there.join(", ")}`,
    );
  });
}

/** Containers run Linux, whatever this machine does. */
export function hostPlatform(): Platform {
  return { os: "linux", architecture: process.arch === "x64" ? "amd64" : process.arch };
}

function fromLayout(source: OciLayout, title: string, options: BaseOptions): BaseImage[] {
  const manifests = manifestsOf(source, source.entries(), title);
  const wanted =
    manifests.length === 1 && options.platforms.length === 0 ? manifests : chosen(manifests, options);
  return wanted.map((descriptor) => {
    const manifest = source.readJson<ImageManifest>(descriptor);
    for (const blob of [manifest.config, ...manifest.layers]) {
      if (!options.layout.has(blob)) options.layout.writeBlob(blob.mediaType, source.readBlob(blob));
    }
    const image = imageFrom(options.layout, manifest);
    checkPlatform(image.config, options, title);
    return { ...image, digest: descriptor.digest };
  });
}

/** All images of all platforms, with the platform of each. */
function manifestsOf(source: OciLayout, entries: readonly Descriptor[], title: string): Descriptor[] {
  const found = entries.flatMap((entry) => {
    if (isIndex(entry.mediaType))
      return manifestsOf(source, source.readJson<ImageIndex>(entry).manifests, title);
    if (!isManifest(entry.mediaType)) return [];
    if (entry.platform !== undefined) return [entry];
    const { os, architecture } = source.readJson<ImageConfig>(source.readJson<ImageManifest>(entry).config);
    return [{ ...entry, platform: { os, architecture } }];
  });
  if (found.length === 0) throw new CommandError(`${title} holds no image`);
  return found;
}

function checkPlatform({ os, architecture }: Platform, { platforms }: BaseOptions, title: string): void {
  if (platforms.length === 0) return;
  if (platforms.some((each) => each.os === os && each.architecture === architecture)) return;
  throw new CommandError(
    `the base image ${title} is for ${os}/${architecture}, and asked for was ${platforms.map(platformText).join(", ")}`,
  );
}

function imageFrom(layout: OciLayout, manifest: ImageManifest): BaseImage {
  return { config: layout.readJson<ImageConfig>(manifest.config), layers: manifest.layers };
}

/**
 * An archive of an image layout (as `podman save --format oci-archive` and today's `docker save` write it), of saved images
 * as Docker had them before, or of a file system.
 */
async function fromArchive(archive: string, options: BaseOptions): Promise<BaseImage[]> {
  const scratch = await mkdtemp(path.join(os.tmpdir(), "bowline-base-"));
  try {
    const file = await unzipped(archive, scratch);
    const files = tarFiles(file);
    if (files.length === 0) throw new CommandError(`the archive ${options.base} is empty`);
    const layout = new OciLayout(path.join(scratch, "layout"));
    if (files.some((each) => each.path === "index.json")) unpack(file, files, layout.folder);
    else {
      const images = savedImages(file, files);
      if (images === undefined) return [await fromFileSystem(file, files, options)];
      await takeInSavedImages(file, files, images, layout);
    }
    return fromLayout(layout, options.base, options);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function unpack(file: string, files: readonly TarFile[], folder: string): void {
  for (const each of files) {
    if (each.path.split("/").includes("..")) continue;
    const target = path.join(folder, each.path);
    mkdirSync(path.dirname(target), { recursive: true });
    writeFileSync(target, readTarFile(file, each));
  }
}

async function unzipped(file: string, scratch: string): Promise<string> {
  const head = Buffer.alloc(2);
  const handle = openSync(file, "r");
  readSync(handle, head, 0, 2, 0);
  closeSync(handle);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return file;
  const layout = new OciLayout(scratch);
  try {
    const { digest } = await layout.takeIn(mediaTypes.layer, createReadStream(file).pipe(createGunzip()));
    return layout.blobPath(digest);
  } catch (error) {
    throw new CommandError(`${file} cannot be unpacked: ${messageOf(error)}`, { cause: error });
  }
}

/** One layer with these files is the whole base. */
async function fromFileSystem(
  file: string,
  files: readonly TarFile[],
  options: BaseOptions,
): Promise<BaseImage> {
  if (options.platforms.length > 1) {
    throw new CommandError(
      `${options.base} is the file system of one platform: build one --platform at a time`,
    );
  }
  const layer = await options.layout.takeIn(mediaTypes.layer, createReadStream(file));
  const node = files.find(({ path }) => /^(?:nodejs|usr\/local|usr|opt\/[^/]+)\/bin\/node$/.test(path));
  return {
    config: {
      ...(options.platforms[0] ?? hostPlatform()),
      config: { Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"] },
      rootfs: { type: "layers", diff_ids: [layer.digest] },
      history: [{ created: "1970-01-01T00:00:00Z", created_by: path.basename(options.base) }],
    },
    layers: [layer],
    ...(node === undefined ? {} : { nodePath: `/${node.path}` }),
  };
}
