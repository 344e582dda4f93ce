/** The operator project that a command works on. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type JsonObject, decodeYaml } from "@bowline/api";
import type { OperatorDefinition } from "@bowline/runtime";
import { UsageError, messageOf } from "./errors.ts";
import { currentProgram } from "./project/program.ts";

export interface Project {
  /** Absolute. */
  readonly folder: string;
  readonly operator: OperatorDefinition;
}

/**
 * Loads the operator of a project: the default export of its package's main entry. When the compiled files are missing or
 * older than the sources, the sources are what counts.
 * @throws UsageError that says what is missing
 */
export async function loadProject(
  folder: string,
  options: { readonly fresh?: boolean } = {},
): Promise<Project> {
  const absolute = path.resolve(folder);
  const manifest = path.join(absolute, "package.json");
  if (!existsSync(manifest))
    throw new UsageError(
      `${absolute} has no package.json: change to the folder of an operator project, or start one with bowline init`,
    );
  const { exports, main } = JSON.parse(readFileSync(manifest, "utf8")) as {
    exports?: unknown;
    main?: string;
  };
  const entry = currentProgram(absolute, entryOf(exports) ?? main ?? "dist/index.js", options);
  let module: { default?: OperatorDefinition };
  try {
    module = (await import(pathToFileURL(entry).href)) as typeof module;
  } catch (error) {
    throw new UsageError(`${absolute} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
  const operator = module.default;
  if (operator === undefined || !Array.isArray(operator.controllers)) {
    throw new UsageError(`${entry} must have \`export default defineOperator({ ... })\``);
  }
  return { folder: absolute, operator };
}

function entryOf(exports: unknown): string | undefined {
  if (typeof exports === "string") return exports;
  if (typeof exports !== "object" || exports === null) return undefined;
  const { ".": dot, default: plain, import: esm } = exports as Record<string, unknown>;
  return entryOf(dot) ?? entryOf(plain) ?? entryOf(esm);
}

/** The files of `config/samples`, by name, without those of kustomize. */
export function sampleFiles(folder: string): string[] {
  const directory = path.join(folder, "config", "samples");
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => /\.ya?ml$/.test(file) && file !== "kustomization.yaml")
    .sort();
}

/**
 * The sample objects of a project, from `config/samples/*.yaml`, in the order of the file names.
 * @throws UsageError for a file that holds no object
 */
export function readSamples(folder: string, files?: readonly string[]): JsonObject[] {
  return (files ?? sampleFiles(folder).map((file) => path.join(folder, "config", "samples", file))).flatMap(
    readObjects,
  );
}

/** The objects of one YAML file. @throws UsageError for a file that holds no object */
export function readObjects(file: string): JsonObject[] {
  if (!existsSync(file)) throw new UsageError(`${file} does not exist`);
  return documentsOf(readFileSync(file, "utf8")).map((text) => {
    const { value } = decodeYaml(text);
    if (typeof value !== "object" || value === null || Array.isArray(value) || value["kind"] === undefined) {
      throw new UsageError(
        `${file} does not hold a Kubernetes object: apiVersion, kind and metadata are needed`,
      );
    }
    return value as JsonObject;
  });
}

function documentsOf(text: string): string[] {
  return text.split(/^---\s*$/m).filter((part) => part.replace(/^\s*#.*$/gm, "").trim() !== "");
}
