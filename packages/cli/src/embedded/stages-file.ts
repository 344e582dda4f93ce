import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Stage, parseStages } from "@bowline/cluster";
import { UsageError } from "../errors.ts";

/** The stages in a file. @throws UsageError when there is none, or it has something else in it */
export function readStages(folder: string, file: string): Stage[] {
  const full = path.resolve(folder, file);
  if (!existsSync(full)) throw new UsageError(`--stages: ${file} does not exist`);
  try {
    return parseStages(readFileSync(full, "utf8"));
  } catch (error) {
    throw new UsageError(`--stages: ${file}: ${(error as Error).message}`);
  }
}
