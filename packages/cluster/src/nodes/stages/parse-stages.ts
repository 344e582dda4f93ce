import { decodeYaml } from "@bowline/api";
import { compileStage } from "./compile-stage.ts";
import { type Stage, StageError } from "./stage.ts";

/**
 * The stages in a YAML text of one or several documents; documents of other kinds of kwok's configuration are left out.
 * @throws StageError for a document that is none
 */
export function parseStages(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const part of text.split(/^---.*$/m)) {
    const document = documentOf(part);
    if (document?.kind !== "Stage") continue;
    compileStage(document as Stage);
    stages.push(document as Stage);
  }
  if (stages.length === 0) throw new StageError("there is no Stage in the text");
  return stages;
}

function documentOf(text: string): Partial<Stage> | null {
  try {
    return decodeYaml(text).value as Partial<Stage> | null;
  } catch (error) {
    throw new StageError(`a document of the stages is no YAML: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
