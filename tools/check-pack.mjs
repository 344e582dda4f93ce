/** Each published package: what npm would pack is complete, its exports and types resolve for every kind of importer. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-pack-"));
let failed = 0;
try {
  for (const name of readdirSync("packages")) {
    const directory = path.join("packages", name);
    const manifest = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
    if (manifest.private) continue;
    const report = execFileSync("npm", ["pack", "--json", "--pack-destination", folder, "--ignore-scripts"], {
      cwd: directory,
      encoding: "utf8",
    });
    const [{ filename, files }] = JSON.parse(report);
    const tarball = path.join(folder, filename);
    const stray = files.map((f) => f.path).filter((p) => /\.test\.|\.tsbuildinfo$|(^|\/)test\//.test(p));
    if (stray.length > 0)
      fail(manifest.name, `packs files that nobody needs: ${stray.slice(0, 5).join(", ")}`);
    if (!files.some((f) => f.path === "dist/index.js"))
      fail(manifest.name, "packs no dist/index.js: build first");
    run(manifest.name, "publint", [tarball, "--strict"]);
    run(manifest.name, "attw", [tarball, "--profile", "esm-only"]);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);

function run(name, command, args) {
  try {
    execFileSync("npx", ["--no-install", command, ...args], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    fail(name, `${command}:\n${error.stdout}${error.stderr}`);
  }
}

function fail(name, why) {
  failed++;
  console.error(`${name}: ${why}`);
}
