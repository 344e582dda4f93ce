/**
 * Brings the examples up to what the command line scaffolds now, and the code in their tutorials up to the examples:
 * `npm run examples`, after a change of a template, of an example or of what is generated. A test says when it is needed.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  exampleFolder,
  exampleManifest,
  exampleNames,
  partOf,
  scaffoldedFiles,
} from "./examples/scaffold-example.ts";
import { withFilesOf } from "./tutorials/page.ts";
import { root } from "./tutorials/workplace.ts";

export async function main(): Promise<number> {
  for (const name of exampleNames) {
    const folder = exampleFolder(name);
    for (const [file, text] of await scaffoldedFiles(name)) {
      const target = path.join(folder, file);
      const isManifest = file === "package.json";
      if (partOf(file) !== "same" && !isManifest) continue;
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, isManifest ? exampleManifest(name, text, readFileSync(target, "utf8")) : text);
    }
    execFileSync(process.execPath, [path.join(root, "packages/cli/dist/bin.js"), "generate", "--force"], {
      cwd: folder,
      stdio: "inherit",
    });
    const page = path.join(root, "docs/tutorials", `${name}.md`);
    writeFileSync(
      page,
      withFilesOf(readFileSync(page, "utf8"), (source) => readFileSync(path.join(root, source), "utf8")),
    );
  }
  return 0;
}
