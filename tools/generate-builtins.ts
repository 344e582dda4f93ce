/**
 * Generates the built-in kinds of `packages/api` from `tools/data/kubernetes-VERSION`:
 *
 *     npm run generate                 write packages/api/src/builtin
 *     npm run generate -- --check      compare instead, exit 1 on a difference
 *
 * For the next Kubernetes version put its definitions.json, resources.json (and what changed in names.json) into a new
 * directory beside the old one, change `dataDirectory` below and run the command.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readInputs } from "./builtins/inputs.ts";
import { placeOf } from "./builtins/naming.ts";
import { resourceTable } from "./builtins/resource-table.ts";
import { definitionsText, resourcesText, sourcesText } from "./builtins/table-text.ts";
import { header, moduleText } from "./builtins/type-text.ts";

const tools = dirname(fileURLToPath(import.meta.url));
const dataDirectory = join(tools, "data/kubernetes-1.35");
const outputDirectory = join(tools, "../packages/api/src/builtin");

/** Every generated file by its path below `packages/api/src/builtin`. */
export function generateBuiltins(directory: string = dataDirectory): Map<string, string> {
  const inputs = readInputs(directory);
  const resources = resourceTable(inputs);
  const modules = [...new Set(Object.keys(inputs.definitions).map((name) => placeOf(name).module))].sort();
  const files = new Map<string, string>();
  for (const module of modules) {
    files.set(`${module}.ts`, moduleText(module, inputs, resources));
    files.set(`definitions/${module.replace("/", "-")}.ts`, definitionsText(module, inputs));
  }
  files.set("resources.ts", resourcesText(resources));
  files.set("definition-sources.ts", sourcesText(modules, inputs));
  return files;
}

/** Paths whose committed text is not what the generator makes, generated files that it no longer makes included. */
export function staleFiles(): string[] {
  const files = generateBuiltins();
  const stale = [...files]
    .filter(([path, text]) => readIfThere(join(outputDirectory, path)) !== text)
    .map(([path]) => path);
  return [...stale, ...generatedOnDisk().filter((path) => !files.has(path))];
}

export function main(args: readonly string[]): number {
  if (args.includes("--check")) {
    const stale = staleFiles();
    for (const path of stale)
      process.stdout.write(`stale: packages/api/src/builtin/${path} (run npm run generate)\n`);
    return stale.length === 0 ? 0 : 1;
  }
  for (const path of generatedOnDisk()) rmSync(join(outputDirectory, path));
  const files = generateBuiltins();
  for (const [path, text] of files) {
    mkdirSync(dirname(join(outputDirectory, path)), { recursive: true });
    writeFileSync(join(outputDirectory, path), text);
  }
  process.stdout.write(`${files.size} files written to packages/api/src/builtin\n`);
  return 0;
}

function generatedOnDisk(): string[] {
  if (!existsSync(outputDirectory)) return [];
  const all = readdirSync(outputDirectory, { recursive: true, encoding: "utf8" });
  return all.filter(
    (path) => path.endsWith(".ts") && readIfThere(join(outputDirectory, path))?.startsWith(header),
  );
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
