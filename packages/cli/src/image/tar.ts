/** Archives as layers of images are made of: written the same byte for byte from the same files, and read from a file. */
import { closeSync, openSync, readSync } from "node:fs";
import { CommandError } from "../errors.ts";

const blockBytes = 512;

export interface TarEntry {
  /** `app/dist/main.js`, without a slash in front; a folder's ends with one. */
  readonly path: string;
  readonly type: "file" | "folder" | "link";
  /** Permission bits: 0o644. */
  readonly mode: number;
  /** Of a file. */
  readonly content?: Buffer;
  /** Of a link. */
  readonly target?: string;
}

/**
 * The archive, piece by piece. Owner is root, the time 1970-01-01: two builds of the same files are the same layer.
 * @param entries in the order in which they are to be written; folders before what is in them
 */
export function* tarArchive(entries: Iterable<TarEntry>): Generator<Buffer> {
  for (const entry of entries) {
    const content = entry.content ?? Buffer.alloc(0);
    // what does not fit into the old fields goes into a record before (POSIX.1-2001, "pax")
    const records = [
      ...(fits(entry.path) ? [] : [["path", entry.path] as const]),
      ...(entry.target === undefined || byteLength(entry.target) <= 100
        ? []
        : [["linkpath", entry.target] as const]),
    ];
    if (records.length > 0) {
      const text = Buffer.from(records.map(([key, value]) => paxRecord(key, value)).join(""));
      yield header({ path: "paxheader", type: "x", mode: 0o644, size: text.length, target: "" });
      yield padded(text);
    }
    const type = { file: "0", folder: "5", link: "2" }[entry.type];
    yield header({
      path: entry.path,
      type,
      mode: entry.mode,
      size: content.length,
      target: entry.target ?? "",
    });
    if (content.length > 0) yield padded(content);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

function fits(path: string): boolean {
  return byteLength(path) <= 100 || splitPath(path) !== undefined;
}

/** The old format has two fields for a path: a prefix of at most 155 bytes, and a name of at most 100. */
function splitPath(path: string): [prefix: string, name: string] | undefined {
  for (let at = path.indexOf("/"); at >= 0; at = path.indexOf("/", at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (byteLength(prefix) > 155) return undefined;
    if (name !== "" && byteLength(name) <= 100) return [prefix, name];
  }
  return undefined;
}

/** Its length counts itself. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = byteLength(rest);
  while (String(length).length + byteLength(rest) !== length)
    length = String(length).length + byteLength(rest);
  return `${length}${rest}`;
}

function header(entry: { path: string; type: string; mode: number; size: number; target: string }): Buffer {
  const block = Buffer.alloc(blockBytes);
  const [prefix, name] =
    byteLength(entry.path) <= 100 ? ["", entry.path] : (splitPath(entry.path) ?? ["", entry.path]);
  const octal = (value: number, offset: number, length: number): void =>
    void block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, offset);
  block.write(name, 0, 100);
  octal(entry.mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.size, 124, 12);
  octal(0, 136, 12);
  block.write(" ".repeat(8), 148);
  block.write(entry.type, 156);
  block.write(entry.target, 157, 100);
  block.write("ustar\u000000", 257);
  block.write(prefix, 345, 155);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padded(content: Buffer): Buffer {
  const rest = content.length % blockBytes;
  return rest === 0 ? content : Buffer.concat([content, Buffer.alloc(blockBytes - rest)]);
}

/** Where a file of an archive is. */
export interface TarFile {
  readonly path: string;
  /** Position in the archive, bytes. */
  readonly offset: number;
  readonly size: number;
}

/**
 * The files of an uncompressed archive, without reading their contents. Knows the old format, pax and GNU's long names.
 * @throws CommandError for a file that is no archive
 */
export function tarFiles(file: string): TarFile[] {
  const files: TarFile[] = [];
  const handle = openSync(file, "r");
  try {
    let longName: string | undefined;
    for (let offset = 0; ; ) {
      const block = readAt(handle, offset, blockBytes);
      if (block.length < blockBytes && offset === 0) throw new CommandError(`${file} is not a tar archive`);
      if (block.length < blockBytes || block.every((byte) => byte === 0)) return files;
      checkSum(block, file);
      const size = sizeOf(block);
      const type = String.fromCharCode(block[156] ?? 0);
      const data = offset + blockBytes;
      if (type === "x") longName = paxPath(readAt(handle, data, size)) ?? longName;
      else if (type === "L") longName = text(readAt(handle, data, size));
      else {
        const prefix = text(block.subarray(345, 500));
        const plain = text(block.subarray(0, 100));
        const path = longName ?? (prefix === "" ? plain : `${prefix}/${plain}`);
        if (type === "0" || type === "\0")
          files.push({ path: path.replace(/^\.?\//, ""), offset: data, size });
        longName = undefined;
      }
      offset = data + Math.ceil(size / blockBytes) * blockBytes;
    }
  } finally {
    closeSync(handle);
  }
}

function readAt(handle: number, offset: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(handle, buffer, 0, length, offset));
}

/** The content of one file of an archive. */
export function readTarFile(file: string, entry: TarFile): Buffer {
  const handle = openSync(file, "r");
  try {
    return readAt(handle, entry.offset, entry.size);
  } finally {
    closeSync(handle);
  }
}

function text(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString("utf8", 0, end < 0 ? bytes.length : end);
}

/** Octal, or for large files a number with the highest bit set (GNU). */
function sizeOf(block: Buffer): number {
  if (((block[124] ?? 0) & 0x80) !== 0) return Number(block.readBigUInt64BE(128));
  return Number.parseInt(text(block.subarray(124, 136)).trim() || "0", 8);
}

function checkSum(block: Buffer, file: string): void {
  const expected = Number.parseInt(text(block.subarray(148, 156)).trim(), 8);
  const found = block.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
  if (expected !== found) throw new CommandError(`${file} is not a tar archive`);
}

function paxPath(bytes: Buffer): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(bytes.toString("utf8"))?.[1];
}
