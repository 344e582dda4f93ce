/** The packages that a program needs when it runs, laid out anew: the same folder from every machine and every npm. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import { CommandError } from "../errors.ts";

interface PackageManifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** One package at one place of the image. */
export interface PlacedPackage {
  /** `node_modules/a` or `node_modules/a/node_modules/b`. */
  readonly location: string;
  /** Its folder on this machine, links resolved. */
  readonly folder: string;
}

/**
 * Every package that `dependencies`, `optionalDependencies` and installed peers lead to. A package stands at the top, or
 * below the one that needs it when another version has its place there: each finds what it finds on this machine.
 * @throws CommandError for a dependency that is not installed
 */
export function productionModules(folder: string): PlacedPackage[] {
  const placed = new Map<string, PlacedPackage>();
  const open: PlacedPackage[] = [{ location: "", folder: realpathSync(folder) }];
  for (let parent = open.shift(); parent !== undefined; parent = open.shift()) {
    // all packages that this one needs get their places before theirs do: none of them can come to hide another
    for (const [name, isOptional] of neededBy(parent.folder)) {
      const found = resolvePackage(parent.folder, name);
      if (found === undefined) {
        if (isOptional) continue;
        throw new CommandError(
          `${parent.folder} needs the package ${name}, which is not installed: run npm install`,
        );
      }
      const location = placeFor(placed, parent.location, name, found);
      if (location === undefined) continue;
      const entry = { location, folder: found };
      placed.set(location, entry);
      open.push(entry);
    }
  }
  return [...placed.values()].sort((a, b) => (a.location < b.location ? -1 : 1));
}

function neededBy(folder: string): [name: string, isOptional: boolean][] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifestOf(folder);
  const optional = Object.keys({ ...optionalDependencies, ...peerDependencies });
  const required = Object.keys(dependencies).filter((name) => !(name in optionalDependencies));
  return [
    ...required.map((name): [string, boolean] => [name, false]),
    ...optional.filter((name) => !required.includes(name)).map((name): [string, boolean] => [name, true]),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
}

export function manifestOf(folder: string): PackageManifest {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as PackageManifest;
}

/** As Node looks for packages: in `node_modules` of this folder and of those above it. */
function resolvePackage(from: string, name: string): string | undefined {
  for (let at = from; ; at = path.dirname(at)) {
    const candidate = path.join(at, "node_modules", name);
    if (existsSync(path.join(candidate, "package.json"))) return realpathSync(candidate);
    if (path.dirname(at) === at) return undefined;
  }
}

/** Undefined when the package is found from there already. */
function placeFor(
  placed: ReadonlyMap<string, PlacedPackage>,
  parent: string,
  name: string,
  folder: string,
): string | undefined {
  for (const level of levelsAbove(parent)) {
    const there = placed.get(path.posix.join(level, "node_modules", name));
    if (there?.folder === folder) return undefined;
    if (there !== undefined) return path.posix.join(parent, "node_modules", name);
  }
  return `node_modules/${name}`;
}

/** `node_modules/a/node_modules/b`, `node_modules/a`, and the top. */
function levelsAbove(location: string): string[] {
  const levels = [location];
  for (let at = location; at !== ""; ) {
    at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules/") - 1));
    levels.push(at);
  }
  return levels;
}
