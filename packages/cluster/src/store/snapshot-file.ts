/**
 * A store's snapshot as a file: gzip of JSON lines. The first line says what it is, each further one is a stored object:
 *
 *     {"kind":"BowlineSnapshot","format":1,"kubernetes":"v1.35.0+bowline","revision":812,"objects":240}
 *     {"bucket":"/configmaps","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{…},"data":{…}}}
 */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type Json, decodeJson, deepFreeze, encodeJson } from "@bowline/api";
import { Revision, type StoredObject } from "./revision.ts";
import type { StoreSnapshot } from "./store.ts";

const kind = "BowlineSnapshot";
const format = 1;
/** Largest content that is read, bytes: a small file may claim to hold any amount. */
const contentBytesMax = 2 ** 31;
/** Lines are joined into pieces of about this many characters: one text of everything may be longer than a string can be. */
const pieceLength = 1 << 20;
const newline = 10;

/** A file is no snapshot, damaged, or of a later version. */
export class SnapshotFileError extends Error {
  override readonly name: string = "SnapshotFileError";
}

/** The bytes of a snapshot's file. @param kubernetes the version whose kinds are in it: `v1.35.0` */
export async function encodeSnapshotFile(snapshot: StoreSnapshot, kubernetes: string): Promise<Uint8Array> {
  let objects = 0;
  for (const revisions of snapshot.buckets.values()) objects += revisions.length;
  const pieces: Buffer[] = [];
  let piece = line({ kind, format, kubernetes, revision: snapshot.revision, objects });
  for (const [bucket, revisions] of snapshot.buckets) {
    for (const { object } of revisions) {
      piece += line({ bucket, object });
      if (piece.length < pieceLength) continue;
      pieces.push(Buffer.from(piece));
      piece = "";
    }
  }
  pieces.push(Buffer.from(piece));
  return promisify(gzip)(Buffer.concat(pieces));
}

/** What a snapshot's file holds, read to its end before anything is given. @throws SnapshotFileError */
export async function decodeSnapshotFile(bytes: Uint8Array): Promise<StoreSnapshot> {
  const lines = linesOf(await unpacked(bytes));
  const { revision, objects } = checkHeader(lines.next().value);
  const buckets = new Map<string, Map<string, Revision>>();
  let count = 0;
  for (const text of lines) {
    count++;
    const { bucket, stored } = entryIn(text, count + 1);
    const known = buckets.get(bucket) ?? new Map<string, Revision>();
    if (known.has(stored.key)) throw damaged(`${bucket} ${stored.key} is in it twice`);
    buckets.set(bucket, known.set(stored.key, stored));
  }
  if (count !== objects) throw damaged(`it has ${count} of ${objects} objects`);
  return { revision, buckets: new Map([...buckets].map(([name, known]) => [name, [...known.values()]])) };
}

function line(value: object): string {
  return `${encodeJson(value)}\n`;
}

async function unpacked(bytes: Uint8Array): Promise<Buffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw foreign();
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: contentBytesMax });
  } catch (error) {
    throw damaged("it cannot be unpacked", error);
  }
}

function* linesOf(content: Buffer): Generator<string, undefined> {
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf(newline, start);
    const end = found < 0 ? content.length : found;
    yield content.toString("utf8", start, end);
    start = end + 1;
  }
  return undefined;
}

function checkHeader(text: string | undefined): { readonly revision: number; readonly objects: number } {
  const header = recordIn(text ?? "");
  if (header?.["kind"] !== kind) throw foreign();
  const { format: found, revision, objects, kubernetes } = header;
  if (typeof found === "number" && found > format) {
    throw new SnapshotFileError(
      `the snapshot is of format ${found} (Kubernetes ${String(kubernetes)}), this version reads format ${format}: use the version of bowline that made it, or a later one`,
    );
  }
  if (found !== format || !isCount(revision) || !isCount(objects)) throw damaged("its first line is wrong");
  return { revision, objects };
}

function entryIn(text: string, number: number): { readonly bucket: string; readonly stored: Revision } {
  const entry = recordIn(text);
  const bucket = entry?.["bucket"];
  const object = entry?.["object"] as Partial<StoredObject> | undefined;
  const { name, namespace = "", resourceVersion } = object?.metadata ?? {};
  const isWhole =
    typeof bucket === "string" &&
    /^[^/ ]*\/[^/ ]+$/.test(bucket) &&
    typeof object?.apiVersion === "string" &&
    typeof object.kind === "string" &&
    typeof name === "string" &&
    typeof namespace === "string" &&
    /^\d+$/.test(String(resourceVersion));
  if (!isWhole) throw damaged(`line ${number} is no stored object`);
  const key = namespace === "" ? name : `${namespace}/${name}`;
  return { bucket, stored: new Revision(key, Number(resourceVersion), deepFreeze(object) as StoredObject) };
}

function recordIn(text: string): Readonly<Record<string, Json>> | undefined {
  try {
    const { value } = decodeJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, Json>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function foreign(): SnapshotFileError {
  return new SnapshotFileError(
    "this is no snapshot of a cluster: name a file that bowline cluster snapshot has written",
  );
}

function damaged(why: string, cause?: unknown): SnapshotFileError {
  return new SnapshotFileError(`the snapshot is damaged, ${why}: take another one`, { cause });
}
