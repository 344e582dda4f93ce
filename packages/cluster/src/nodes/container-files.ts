/** The files of one run of a container: in memory, and gone with it. */

export interface ContainerFile {
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** A file system of plain files and folders. Paths are absolute; `.` and `..` are resolved. */
export class ContainerFiles {
  readonly #files = new Map<string, ContainerFile>();
  readonly #folders = new Set<string>(["/"]);

  constructor(initial: Readonly<Record<string, string>> = {}) {
    this.makeFolder("/tmp");
    for (const [path, text] of Object.entries(initial)) this.write(path, text);
  }

  /** The file at a path; undefined for none, and for a folder. */
  read(path: string): ContainerFile | undefined {
    return this.#files.get(absolute(path));
  }

  /** Makes or replaces a file, and the folders above it. */
  write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const at = absolute(path);
    this.makeFolder(parentOf(at));
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.#files.set(at, { content: bytes, mode });
  }

  isFolder(path: string): boolean {
    return this.#folders.has(absolute(path));
  }

  exists(path: string): boolean {
    return this.isFolder(path) || this.read(path) !== undefined;
  }

  /** Makes a folder and those above it. */
  makeFolder(path: string): void {
    for (let at = absolute(path); at !== "/"; at = parentOf(at)) this.#folders.add(at);
  }

  /** Names in a folder, in order; empty for what is none. */
  list(path: string): string[] {
    const at = absolute(path);
    return [...this.#files.keys(), ...this.#folders]
      .filter((entry) => entry !== "/" && parentOf(entry) === at)
      .map((entry) => entry.slice(entry.lastIndexOf("/") + 1))
      .sort();
  }

  /** Removes a file, or a folder with all that is in it. */
  remove(path: string): void {
    const at = absolute(path);
    const isBelow = (entry: string): boolean => entry === at || entry.startsWith(`${at}/`);
    for (const entry of this.#files.keys()) if (isBelow(entry)) this.#files.delete(entry);
    for (const entry of this.#folders) if (isBelow(entry)) this.#folders.delete(entry);
  }
}

/** A path without `.`, `..` and empty parts. @param from what a relative one begins at */
export function absolute(path: string, from = "/"): string {
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : `${from}/`}${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}
