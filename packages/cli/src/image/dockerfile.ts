/** What the Dockerfile of a project is built on. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Of the last stage, which is the one that runs. */
export function baseOfDockerfile(folder: string): string | undefined {
  return stagesOf(folder).at(-1)?.base;
}

/** The images that have to be there for a build, without stages of the file's own and the empty `scratch`. */
export function basesOfDockerfile(folder: string): string[] {
  const stages = stagesOf(folder);
  const own = new Set(["scratch", ...stages.map((stage) => stage.name)]);
  return stages.map((stage) => stage.base).filter((base) => !own.has(base.toLowerCase()));
}

interface Stage {
  readonly base: string;
  readonly name: string | undefined;
}

function stagesOf(folder: string): Stage[] {
  const file = path.join(folder, "Dockerfile");
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").matchAll(/^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/gim);
  return [...lines].map(([, base = "", name]) => ({ base, name: name?.toLowerCase() }));
}
