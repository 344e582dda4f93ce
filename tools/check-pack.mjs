/**
 * Each published package as npm would pack it: complete, with exports and types that resolve; and all of them installed from
 * their tarballs into an empty project, where a cluster starts, an operator runs and TypeScript finds the types.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-pack-"));
let failed = 0;
try {
  const tarballs = new Map();
  for (const name of readdirSync("packages")) {
    const directory = path.join("packages", name);
    const manifest = JSON.parse(readFileSync(path.join(directory, "package.json"), "utf8"));
    if (manifest.private) continue;
    tarballs.set(manifest.name, packOne(manifest, directory));
  }
  if (failed === 0) installAll(tarballs);
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);

function packOne(manifest, directory) {
  const args = ["pack", "--json", "--pack-destination", folder, "--ignore-scripts"];
  const report = execFileSync("npm", args, {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const parsed = JSON.parse(report);
  const { filename, files } = Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
  const tarball = path.join(folder, filename.replace("@", "").replace("/", "-"));
  const stray = files.map((f) => f.path).filter((p) => /\.test\.|\.tsbuildinfo$|(^|\/)test\//.test(p));
  if (stray.length > 0) fail(manifest.name, `packs files that nobody needs: ${stray.slice(0, 5).join(", ")}`);
  for (const wanted of ["dist/index.js", "dist/index.d.ts", "LICENSE", "README.md"]) {
    if (!files.some((f) => f.path === wanted)) fail(manifest.name, `packs no ${wanted}`);
  }
  run(manifest.name, "publint", [tarball, "--strict"]);
  run(manifest.name, "attw", [tarball, "--profile", "esm-only"]);
  return tarball;
}

/** What a user writes first, from the packed packages alone. */
function installAll(tarballs) {
  const project = path.join(folder, "project");
  mkdirSync(project);
  const dependencies = Object.fromEntries([...tarballs].map(([name, file]) => [name, `file:${file}`]));
  const root = JSON.parse(readFileSync("package.json", "utf8"));
  writeFileSync(
    path.join(project, "package.json"),
    JSON.stringify({
      name: "empty",
      private: true,
      type: "module",
      dependencies: { ...dependencies, zod: "4.6.7" },
      devDependencies: {
        typescript: root.devDependencies.typescript,
        "@types/node": root.devDependencies["@types/node"],
      },
      overrides: dependencies,
    }),
  );
  writeFileSync(path.join(project, "main.ts"), readFileSync("tools/fixtures/packed-project.ts", "utf8"));
  const compilerOptions = {
    module: "nodenext",
    target: "es2023",
    lib: ["es2023"],
    strict: true,
    outDir: "out",
    types: ["node"],
  };
  writeFileSync(path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  const inProject = (command, args) => {
    try {
      return execFileSync(command, args, { cwd: project, encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      fail("packed packages", `${command} ${args.join(" ")}:\n${error.stdout}${error.stderr}`);
      return "";
    }
  };
  inProject("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"]);
  inProject("npx", ["--no-install", "tsc"]);
  const said = inProject(process.execPath, ["out/main.js"]);
  if (!said.includes("Hello, packed!"))
    fail("packed packages", `the program did not run to its end: ${said}`);
  const help = inProject("npx", ["--no-install", "bowline", "--help"]);
  if (!help.includes("Usage: bowline")) fail("@bowline/cli", `bowline --help said: ${help}`);
}

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
