/** Tar archives, as `kubectl cp` sends and takes them. Source: POSIX.1-2001 pax Interchange Format. */

export interface TarEntry {
  /** Without a leading slash; folders without a trailing one. */
  readonly name: string;
  readonly kind: "file" | "folder";
  readonly content: Uint8Array;
  readonly mode: number;
}

const block = 512;
const nameBytesMax = 100;

/** @param modifiedAt milliseconds since 1970, for all entries */
export function packTar(entries: readonly TarEntry[], modifiedAt: number): Uint8Array {
  const parts = entries.flatMap((entry) => packEntry(entry, modifiedAt));
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function packEntry(entry: TarEntry, modifiedAt: number): Buffer[] {
  const name = entry.kind === "folder" ? `${entry.name}/` : entry.name;
  const about = { mode: entry.mode, modifiedAt };
  const type = entry.kind === "folder" ? "5" : "0";
  const own = [header({ ...about, name, type, size: entry.content.length }), padded(entry.content)];
  if (Buffer.byteLength(name) <= nameBytesMax) return own;
  const long = Buffer.from(paxRecord("path", name));
  return [header({ ...about, name: "pax", type: "x", size: long.length }), padded(long), ...own];
}

interface Header {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  readonly type: string;
  readonly modifiedAt: number;
}

function header({ name, mode, size, type, modifiedAt }: Header): Buffer {
  const bytes = Buffer.alloc(block);
  const octal = (value: number, at: number, width: number): void =>
    void bytes.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at);
  Buffer.from(name).copy(bytes, 0, 0, nameBytesMax);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(modifiedAt / 1000), 136, 12);
  bytes.write("        ", 148);
  bytes.write(type, 156);
  bytes.write("ustar\u000000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

function padded(content: Uint8Array): Buffer {
  return Buffer.concat([content, Buffer.alloc((block - (content.length % block)) % block)]);
}

/** `27 path=some/long/name`, whose number counts the whole line. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (String(length).length + Buffer.byteLength(rest) !== length)
    length = String(length).length + Buffer.byteLength(rest);
  return `${length}${rest}`;
}

/** Files and folders of an archive; what is neither is left out. @throws Error for what is no archive */
export function unpackTar(archive: Uint8Array): TarEntry[] {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.length);
  const entries: TarEntry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0; ) {
    const head = bytes.subarray(at, at + block);
    if (head.toString("latin1", 257, 262) !== "ustar")
      throw new Error("This does not look like a tar archive");
    const size = octalAt(head, 124, 12);
    const content = bytes.subarray(at + block, at + block + size);
    if (content.length < size) throw new Error("Unexpected EOF in archive");
    at += block + Math.ceil(size / block) * block;
    const type = textAt(head, 156, 1);
    if (type === "x") longName = /\d+ path=(.*)\n/.exec(content.toString())?.[1] ?? longName;
    else if (type === "L") longName = textAt(content, 0, size);
    else {
      if (type === "" || type === "0" || type === "5")
        entries.push(entryOf(head, type, { name: longName ?? nameOf(head), content }));
      longName = undefined;
    }
  }
  return entries;
}

function entryOf(head: Buffer, type: string, { name, content }: { name: string; content: Buffer }): TarEntry {
  const plain = name.replace(/^\/+|\/+$/g, "");
  const kind = type === "5" ? "folder" : "file";
  return { name: plain, kind, content: new Uint8Array(content), mode: octalAt(head, 100, 8) & 0o777 };
}

function nameOf(head: Buffer): string {
  const prefix = textAt(head, 345, 155);
  return prefix === "" ? textAt(head, 0, nameBytesMax) : `${prefix}/${textAt(head, 0, nameBytesMax)}`;
}

function textAt(bytes: Buffer, at: number, width: number): string {
  return bytes.toString("utf8", at, at + width).replace(/\0.*$/s, "");
}

function octalAt(bytes: Buffer, at: number, width: number): number {
  return Number.parseInt(textAt(bytes, at, width).trim() || "0", 8);
}
