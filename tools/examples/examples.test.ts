import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root } from "../tutorials/workplace.ts";
import { exampleFolder, exampleManifest, exampleNames, partOf, scaffoldedFiles } from "./scaffold-example.ts";

/** When one of these fails, `npm run examples` brings the examples up to the templates. */
describe.each(exampleNames)("examples/%s", (name) => {
  const folder = exampleFolder(name);
  const read = (file: string): string => readFileSync(path.join(folder, file), "utf8");

  it("is what the commands of its tutorial scaffold, beside what a person writes", async () => {
    const files = await scaffoldedFiles(name);
    expect(files.size).toBeGreaterThan(15);
    for (const [file, text] of files) {
      expect(existsSync(path.join(folder, file)), file).toBe(partOf(file) !== "absent");
      if (partOf(file) === "same") expect(read(file), file).toBe(text);
      if (file === "package.json") expect(read(file)).toBe(exampleManifest(name, text, read(file)));
    }
  });

  it("has the manifests that its program gives", async () => {
    const bin = path.join(root, "packages/cli/dist/bin.js");
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "generate", "--check"], {
      cwd: folder,
    });
    expect(stdout).toMatch(/^\d+ files are as the program says\n$/);
  });
});
