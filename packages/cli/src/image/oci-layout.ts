/** A folder of images as the OCI image layout describes it: blobs by their digest, and an index of names. */
import { createHash, randomBytes } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "../errors.ts";
import { type Descriptor, type ImageIndex, mediaTypes } from "./manifest.ts";

const refName = "org.opencontainers.image.ref.name";

export class OciLayout {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** True when the folder is one, as far as can be seen from outside. */
  static isAt(folder: string): boolean {
    return existsSync(path.join(folder, "index.json")) && existsSync(path.join(folder, "blobs"));
  }

  /** Path of the blob, whether it is there or not. */
  blobPath(digest: string): string {
    return path.join(this.folder, "blobs", ...digest.split(":"));
  }

  has({ digest, size }: Pick<Descriptor, "digest" | "size">): boolean {
    const file = this.blobPath(digest);
    return existsSync(file) && statSync(file).size === size;
  }

  /** @throws CommandError when it is missing or not what its digest says */
  readBlob({ digest }: Pick<Descriptor, "digest">): Buffer {
    const file = this.blobPath(digest);
    if (!existsSync(file)) throw new CommandError(`the image layout ${this.folder} has no blob ${digest}`);
    const bytes = readFileSync(file);
    const found = digestOf(bytes);
    if (found !== digest)
      throw new CommandError(`${file} is damaged: its digest is ${found}; delete it and build again`);
    return bytes;
  }

  readJson<T>(descriptor: Pick<Descriptor, "digest">): T {
    return JSON.parse(this.readBlob(descriptor).toString("utf8")) as T;
  }

  writeJson(mediaType: string, value: object): Descriptor {
    return this.writeBlob(mediaType, Buffer.from(JSON.stringify(value)));
  }

  writeBlob(mediaType: string, bytes: Buffer): Descriptor {
    const digest = digestOf(bytes);
    const file = this.blobPath(digest);
    if (!this.has({ digest, size: bytes.length })) {
      mkdirSync(path.dirname(file), { recursive: true });
      const partial = this.#partial(file);
      writeFileSync(partial, bytes);
      renameSync(partial, file);
    }
    return { mediaType, digest, size: bytes.length };
  }

  /**
   * Takes a stream in. It appears under its digest, whole or not at all.
   * @param expected fail when the stream is something else
   * @throws CommandError when it is not what was expected
   */
  async takeIn(
    mediaType: string,
    stream: AsyncIterable<Buffer>,
    options: { expected?: Pick<Descriptor, "digest" | "size">; signal?: AbortSignal } = {},
  ): Promise<Descriptor> {
    const blobs = path.join(this.folder, "blobs", "sha256");
    mkdirSync(blobs, { recursive: true });
    const partial = this.#partial(path.join(blobs, "incoming"));
    const hash = createHash("sha256");
    let size = 0;
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        size += chunk.length;
        done(null, chunk);
      },
    });
    try {
      await pipeline(Readable.from(stream), count, createWriteStream(partial), {
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      const digest = `sha256:${hash.digest("hex")}`;
      const { expected } = options;
      if (expected !== undefined && (digest !== expected.digest || size !== expected.size)) {
        throw new CommandError(
          `expected were ${expected.size} bytes with digest ${expected.digest}, found ${size} bytes with ${digest}`,
        );
      }
      renameSync(partial, this.blobPath(digest));
      return { mediaType, digest, size };
    } finally {
      rmSync(partial, { force: true });
    }
  }

  /** @param range from which byte to before which */
  openBlob({ digest }: Pick<Descriptor, "digest">, range: { start: number; end: number }): Readable {
    return createReadStream(this.blobPath(digest), { start: range.start, end: range.end - 1 });
  }

  /** What the index names; empty for a new folder. */
  entries(): readonly Descriptor[] {
    const file = path.join(this.folder, "index.json");
    if (!existsSync(file)) return [];
    return (JSON.parse(readFileSync(file, "utf8")) as ImageIndex).manifests;
  }

  find(name: string): Descriptor | undefined {
    return this.entries().find((entry) => entry.annotations?.[refName] === name);
  }

  /** Gives an image a name, and takes the name away from the one that had it. */
  setName(name: string, descriptor: Descriptor): void {
    const others = this.entries().filter((entry) => entry.annotations?.[refName] !== name);
    const named = { ...descriptor, annotations: { ...descriptor.annotations, [refName]: name } };
    this.#writeIndex([...others, named]);
  }

  removeName(name: string): void {
    const left = this.entries().filter((entry) => entry.annotations?.[refName] !== name);
    if (left.length !== this.entries().length) this.#writeIndex(left);
  }

  #writeIndex(manifests: readonly Descriptor[]): void {
    const sorted = manifests.toSorted((a, b) =>
      (a.annotations?.[refName] ?? "") < (b.annotations?.[refName] ?? "") ? -1 : 1,
    );
    const index = { schemaVersion: 2, mediaType: mediaTypes.index, manifests: sorted };
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(path.join(this.folder, "oci-layout"), `{"imageLayoutVersion":"1.0.0"}\n`);
    const file = path.join(this.folder, "index.json");
    const partial = this.#partial(file);
    writeFileSync(partial, `${JSON.stringify(index, undefined, 2)}\n`);
    renameSync(partial, file);
  }

  #partial(file: string): string {
    return `${file}.${process.pid}-${randomBytes(4).toString("hex")}.part`;
  }
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
