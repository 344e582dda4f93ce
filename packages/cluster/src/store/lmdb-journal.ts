/** A journal in a folder, on LMDB. The package `lmdb` is an optional peer: it is loaded when a data folder is named. */
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
} from "node:fs";
import path from "node:path";
import { decodeJson, deepFreeze } from "@bowline/api";
import type { RootDatabase, open as OpenDatabase } from "lmdb";
import { unfinishedSuffix, writeKeptFile } from "./kept-file.ts";
import { DataFolderError, type Journal, type JournalContent, type JournalEntry } from "./journal.ts";
import type { StoredObject } from "./revision.ts";
import type { StoreEvent } from "./watch-hub.ts";

const marker = "bowline.json";
const format = 1;
/** Not a key of any object: those have a separator. */
const revisionKey = "revision";
/** In neither a bucket nor a key. */
const separator = " ";

/**
 * Opens a data folder, made if it does not exist.
 * @throws DataFolderError for a folder with other files, of a later version, in use, or corrupt
 */
export async function openLmdbJournal(folder: string): Promise<Journal> {
  prepareFolder(folder);
  checkDatabase(path.join(folder, "data.mdb"));
  const { open } = await loadLmdb();
  try {
    const database = open<Uint8Array | number, string>({
      path: path.join(folder, "data.mdb"),
      encoding: "binary",
      // the end of the process must not lose a write; that of the machine may: this is for development and tests
      noSync: true,
      maxReaders: 16,
    });
    return new LmdbJournal(database as RootDatabase<Uint8Array, string>, folder);
  } catch (error) {
    throw new DataFolderError(
      `${folder} cannot be opened, its data is corrupt or in use by another process: restore a snapshot, or name another folder`,
      { cause: error },
    );
  }
}

async function loadLmdb(): Promise<{ readonly open: typeof OpenDatabase }> {
  try {
    return await import("lmdb");
  } catch (error) {
    throw new DataFolderError("keeping data in a folder needs the package lmdb: npm install lmdb", {
      cause: error,
    });
  }
}

function prepareFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, marker);
  if (existsSync(file)) return checkMarker(file);
  // a first start may have been killed here
  const others = readdirSync(folder).filter((name) => name !== `${marker}${unfinishedSuffix}`);
  if (others.length > 0) {
    throw new DataFolderError(
      `${folder} holds other files (${others.slice(0, 3).join(", ")}): name an empty folder, or one made by bowline`,
    );
  }
  writeKeptFile(file, `${JSON.stringify({ format, kind: "bowline cluster data" })}\n`);
}

function checkMarker(file: string): void {
  let found: { format?: unknown };
  try {
    found = JSON.parse(readFileSync(file, "utf8")) as typeof found;
  } catch (error) {
    throw new DataFolderError(`${file} cannot be read: this is no data folder of bowline, or it is corrupt`, {
      cause: error,
    });
  }
  if (found.format !== format) {
    throw new DataFolderError(
      `${file} is of format ${String(found.format)}, this version reads format ${format}: use the version that made it`,
    );
  }
}

/** Where LMDB's two meta pages keep their magic number, and what it is. */
const metaOffsets = [24, 4096 + 24];
const metaMagic = 0xbeefc0de;

/** LMDB maps the file into memory and would end the process over one that is no database: looked at first. */
function checkDatabase(file: string): void {
  if (!existsSync(file)) return;
  const head = Buffer.alloc(8192);
  const descriptor = openSync(file, "r");
  try {
    const length = readSync(descriptor, head, 0, head.length, 0);
    const isDatabase =
      length === head.length && metaOffsets.every((offset) => head.readUInt32LE(offset) === metaMagic);
    if (isDatabase && fstatSync(descriptor).size >= bytesInUse(head)) return;
  } finally {
    closeSync(descriptor);
  }
  throw new DataFolderError(
    `${file} is no database, or it is corrupt: restore a snapshot, or name another folder`,
  );
}

/** Size that the newer meta page says the file has at least: a truncated file is shorter. */
function bytesInUse(head: Buffer): number {
  const metas = metaOffsets.map((offset) => ({
    pageBytes: head.readUInt32LE(offset + 24),
    lastPage: Number(head.readBigUInt64LE(offset + 120)),
    transaction: head.readBigUInt64LE(offset + 128),
  }));
  const newest = metas.reduce((a, b) => (b.transaction > a.transaction ? b : a));
  return (newest.lastPage + 1) * newest.pageBytes;
}

class LmdbJournal implements Journal {
  readonly #database: RootDatabase<Uint8Array, string>;
  readonly #folder: string;
  #pending: Promise<unknown> = Promise.resolve();

  constructor(database: RootDatabase<Uint8Array, string>, folder: string) {
    this.#database = database;
    this.#folder = folder;
  }

  read(): JournalContent {
    const stored = this.#database.get(revisionKey);
    return {
      revision: stored === undefined ? 0 : Number(Buffer.from(stored).toString()),
      entries: this.#entries(),
    };
  }

  *#entries(): Generator<JournalEntry> {
    for (const { key, value } of this.#database.getRange()) {
      if (key === revisionKey) continue;
      const [bucket = "", name = ""] = key.split(separator);
      yield { bucket, key: name, ...this.#decode(key, value) };
    }
  }

  #decode(key: string, value: Uint8Array): { revision: number; object: StoredObject } {
    try {
      const object = deepFreeze(decodeJson(Buffer.from(value).toString()).value) as unknown as StoredObject;
      return { revision: Number(object.metadata.resourceVersion), object };
    } catch (error) {
      throw new DataFolderError(
        `${this.#folder} is corrupt at ${key.replace(separator, " ")}: restore a snapshot, or name another folder`,
        {
          cause: error,
        },
      );
    }
  }

  append(bucket: string, event: StoreEvent): void {
    const key = `${bucket}${separator}${event.key}`;
    // puts of one turn are one transaction: an object and the revision that it belongs to become durable together
    if (event.deleted) void this.#database.remove(key);
    else void this.#database.put(key, event.current.bytes);
    this.#pending = this.#database.put(revisionKey, Buffer.from(String(event.revision)));
  }

  async flush(): Promise<void> {
    await this.#pending;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#database.close();
  }
}
