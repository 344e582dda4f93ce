/** The files of a project that its image holds. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../errors.ts";
import { type PlacedPackage, manifestOf, productionModules } from "./production-modules.ts";
import type { TarEntry } from "./tar.ts";

/** Where the program is in the image. */
export const programFolder = "app";

export interface ProjectLayer {
  /** For people: `the packages it needs`. */
  readonly title: string;
  readonly entries: readonly TarEntry[];
}

/**
 * Two layers: packages, which change seldom, and the program. A push of a changed program then sends little.
 * @throws CommandError when the program is not compiled or a package is missing
 */
export function projectLayers(folder: string): ProjectLayer[] {
  if (!existsSync(path.join(folder, "dist", "main.js"))) {
    throw new CommandError(
      `${folder} has no dist/main.js, which the image is to run: npm run build makes it`,
    );
  }
  const program = [
    ...filesBelow(path.join(folder, "dist"), { skip: isTest }).map(
      (file) => [path.join(folder, "dist", file), `dist/${file}`] as const,
    ),
    [path.join(folder, "package.json"), "package.json"] as const,
  ];
  const modules = productionModules(folder).flatMap(packageFiles);
  return [
    { title: "the packages it needs", entries: archiveEntries(modules) },
    { title: "the program", entries: archiveEntries(program) },
  ].filter(({ entries }) => entries.length > 0);
}

/** Native modules among them: those work on this machine's platform only. */
export function nativeModules(layers: readonly ProjectLayer[]): string[] {
  return layers
    .flatMap(({ entries }) => entries.map((entry) => entry.path))
    .filter((file) => file.endsWith(".node"));
}

function isTest(file: string): boolean {
  return /\.test\.(?:js|d\.ts)(?:\.map)?$/.test(file);
}

type FileAt = readonly [source: string, target: string];

function packageFiles({ folder, location }: PlacedPackage): FileAt[] {
  // a package that is linked to its source holds more than what is published
  const isLinked = !folder.split(path.sep).includes("node_modules");
  const published = isLinked ? manifestOf(folder).files : undefined;
  const isPublished = (file: string): boolean =>
    published === undefined ||
    file === "package.json" ||
    (!isTest(file) &&
      !file.endsWith(".tsbuildinfo") &&
      published.some((entry) => file === entry || file.startsWith(`${entry.replace(/\/$/, "")}/`)));
  return filesBelow(folder, { skip: (file) => !isPublished(file) }).map(
    (file): FileAt => [path.join(folder, file), `${location}/${file}`],
  );
}

/** Paths with slashes, sorted; not what lies in `node_modules` or in folders of tools. */
function filesBelow(folder: string, { skip }: { skip(file: string): boolean }): string[] {
  const files: string[] = [];
  const walk = (below: string): void => {
    for (const entry of readdirSync(path.join(folder, below), { withFileTypes: true })) {
      const file = path.posix.join(below, entry.name);
      if (entry.name === "node_modules" || entry.name === ".git") continue;
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && statSync(path.join(folder, file)).isDirectory());
      if (isFolder) walk(file);
      else if (!skip(file)) files.push(file);
    }
  };
  walk("");
  return files.sort();
}

/** With the folders that they are in; files are readable by all and belong to root, so the program cannot change itself. */
function archiveEntries(files: readonly FileAt[]): TarEntry[] {
  if (files.length === 0) return [];
  const folders = new Set<string>([`${programFolder}/`]);
  const entries = files.map(([source, target]): TarEntry => {
    const file = `${programFolder}/${target}`;
    for (let at = file.indexOf("/"); at >= 0; at = file.indexOf("/", at + 1))
      folders.add(file.slice(0, at + 1));
    const isExecutable = (statSync(source).mode & 0o100) !== 0;
    return { path: file, type: "file", mode: isExecutable ? 0o755 : 0o644, content: readFileSync(source) };
  });
  const all = [
    ...[...folders].map((at): TarEntry => ({ path: at, type: "folder", mode: 0o755 })),
    ...entries,
  ];
  return all.sort((a, b) => (a.path < b.path ? -1 : 1));
}
