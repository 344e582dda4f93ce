/** What is wrong with a project, without any cluster. */
import { deploymentModel } from "../manifests/project-model.ts";
import { layoutFiles } from "../manifests/layout.ts";
import type { DeploymentModel } from "../manifests/model.ts";
import { UsageError, messageOf } from "../errors.ts";
import { loadProject, sampleFiles } from "../project.ts";
import { type ProjectFile, findProjectFile } from "../scaffold/project-file.ts";
import { writeFiles } from "../scaffold/write-files.ts";
import type { Finding } from "./finding.ts";

/** The findings, and what the cluster is compared with when the project could be loaded. */
export async function checkProject(
  folder: string,
): Promise<{ readonly findings: Finding[]; readonly model?: DeploymentModel }> {
  const findings: Finding[] = [];
  let file: ProjectFile | undefined;
  try {
    file = findProjectFile(folder);
  } catch (error) {
    findings.push({
      check: "project-file",
      where: "PROJECT",
      what: messageOf(error),
      todo: "take the file back from version control: commands read and extend it",
    });
  }
  try {
    const { operator } = await loadProject(folder);
    const model = deploymentModel(operator, file, {});
    if (file !== undefined) findings.push(...outOfDate(folder, model));
    return { findings, model };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const todo = "repair what it says; npm run typecheck tells more";
    return {
      findings: [...findings, { check: "project-load", where: folder, what: messageOf(error), todo }],
    };
  }
}

/** Files that were generated once and would now be others. A project that has none yet has not forgotten any. */
function outOfDate(folder: string, model: DeploymentModel): Finding[] {
  const silent = { write() {}, error() {}, isTerminal: false, columns: 80 };
  const outcomes = writeFiles(folder, layoutFiles(model, sampleFiles(folder)), silent, { check: true });
  const changed = [...outcomes].filter(([, outcome]) => outcome === "updated" || outcome === "kept");
  const missing = [...outcomes].filter(([, outcome]) => outcome === "created");
  const files = missing.length === outcomes.size ? [] : [...changed, ...missing];
  return files.map(([where, outcome]) => ({
    check: "generated-file",
    where,
    what:
      outcome === "kept"
        ? "was edited, and is not as the program says"
        : outcome === "created"
          ? "is missing"
          : "is older than the program",
    todo: outcome === "kept" ? "compare it with bowline generate --check" : "run bowline generate",
  }));
}
