#!/usr/bin/env node
/**
 * Builds what is named (everything without a name): `tsc -b` checks the types and writes declarations, then the JavaScript of
 * each package that has changed is bundled into its entry points and what they share. Loading a module costs a third of a
 * millisecond whatever is in it, and there are 800 of them: one file each would be half of the time to start.
 *
 *     node tools/build.mjs [FOLDER ...]
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/**
 * Dependencies that become part of a package, and the ES modules to take. `yaml` is 60 CommonJS files for Node, which every
 * process would load for its parser: 35 ms, and 5 ms like this.
 */
const takenInto = { api: { yaml: path.join(root, "node_modules/yaml/browser/index.js") } };

const { status, error } = spawnSync("npx", ["--no-install", "tsc", "-b", ...process.argv.slice(2)], {
  stdio: "inherit",
});
if (error !== undefined) throw error;
if (status !== 0) process.exit(status ?? 1);
for (const name of readdirSync(path.join(root, "packages"))) await bundle(path.join(root, "packages", name));

/** Written again only when a source file, the manifest or this program has changed. */
async function bundle(folder) {
  const stamp = path.join(folder, "dist", ".bundle");
  const state = stateOf(folder);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === state) return;
  rmSync(stamp, { force: true });
  const taken = takenInto[path.basename(folder)] ?? {};
  const build = await rolldown({
    input: entriesOf(folder),
    platform: "node",
    tsconfig: path.join(folder, "tsconfig.json"),
    // other packages stay apart: each is loaded once, whoever imports it
    external: (id) => !id.startsWith(".") && !path.isAbsolute(id) && !(id in taken),
    resolve: { alias: taken },
    transform: { target: "node20.19" },
  });
  const { output } = await build.write({
    dir: path.join(folder, "dist"),
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    // beside the entries: what looks for a file of the package from its own place finds it
    chunkFileNames: "[name]-[hash].js",
    comments: false,
  });
  await build.close();
  removeOthers(path.join(folder, "dist"), new Set(output.map((file) => path.normalize(file.fileName))));
  for (const name of Object.keys(taken)) {
    const licence = readFileSync(path.join(root, "node_modules", name, "LICENSE"), "utf8");
    writeFileSync(path.join(folder, "dist", `LICENSE.${name}`), licence);
  }
  writeFileSync(stamp, state);
}

/** The entry points that the manifest names, by their path below `dist` without `.js`. */
function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const entries = {};
  for (const target of Object.values(exports)) {
    if (typeof target === "string") continue;
    const [before, after] = target["@bowline/source"].split("*");
    const names = after === undefined ? [before] : matching(folder, before, after);
    for (const name of names)
      entries[path.relative("src", name).replace(/\.ts$/, "")] = path.join(folder, name);
  }
  if (existsSync(path.join(folder, "src/bin.ts"))) entries.bin = path.join(folder, "src/bin.ts");
  return entries;
}

function matching(folder, before, after) {
  return filesBelow(path.join(folder, before))
    .map((file) => before + file)
    .filter((file) => /\/v\d\w*\.ts$/.test(file) && file.endsWith(after));
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
}

function stateOf(folder) {
  const files = [
    ...filesBelow(path.join(folder, "src")).map((file) => path.join("src", file)),
    "package.json",
  ];
  const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
  for (const file of files.sort()) hash.update(`${file} ${statSync(path.join(folder, file)).mtimeMs}\n`);
  return hash.digest("hex");
}

/** JavaScript of an earlier build: nothing imports it, but it would be published. */
function removeOthers(dist, written) {
  for (const file of filesBelow(dist)) {
    if (/\.js(\.map)?$/.test(file) && !written.has(file)) rmSync(path.join(dist, file));
  }
}
