/** The files of a bundle, as far as they can be read. */
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { messageOf } from "../errors.ts";

export interface BundleObject {
  /** Path within the bundle: `manifests/a.yaml`. */
  readonly file: string;
  readonly object: Readonly<Record<string, unknown>>;
}

export interface Bundle {
  readonly objects: readonly BundleObject[];
  /** Of metadata/annotations.yaml; undefined when there is no such file. */
  readonly annotations: Readonly<Record<string, unknown>> | undefined;
  /** What could not be read. */
  readonly problems: readonly { readonly file: string; readonly text: string }[];
  readonly sizeBytes: number;
}

export function readBundle(folder: string): Bundle {
  const problems: { file: string; text: string }[] = [];
  const objects: BundleObject[] = [];
  let sizeBytes = 0;
  for (const name of filesIn(path.join(folder, "manifests"))) {
    const file = `manifests/${name}`;
    const text = readFileSync(path.join(folder, file), "utf8");
    sizeBytes += Buffer.byteLength(text);
    for (const document of parseAllDocuments(text)) {
      const [error] = document.errors;
      if (error !== undefined) {
        problems.push({ file, text: `is no YAML: ${error.message.split("\n")[0]}` });
        continue;
      }
      const object = document.toJS() as unknown;
      if (typeof object === "object" && object !== null && !Array.isArray(object)) {
        objects.push({ file, object: object as BundleObject["object"] });
      } else if (object !== null) problems.push({ file, text: "is not a Kubernetes object" });
    }
  }
  const metadata = path.join(folder, "metadata", "annotations.yaml");
  let annotations: Bundle["annotations"];
  if (existsSync(metadata)) {
    try {
      const read = parse(readFileSync(metadata, "utf8")) as { annotations?: Bundle["annotations"] } | null;
      annotations = read?.annotations ?? {};
    } catch (error) {
      annotations = {};
      problems.push({
        file: "metadata/annotations.yaml",
        text: `is no YAML: ${messageOf(error).split("\n")[0]}`,
      });
    }
  }
  return { objects, annotations, problems, sizeBytes };
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.(?:ya?ml|json)$/.test(name) && statSync(path.join(folder, name)).isFile())
    .sort();
}
