/** The deployment model of a project: its operator, and what flags and PROJECT say. */
import { loadProject } from "../project.ts";
import {
  type DeploymentSettings,
  type ProjectFile,
  findProjectFile,
  layout,
} from "../scaffold/project-file.ts";
import type { DeploymentModel } from "./model.ts";

/** @param settings of the flags: they win over what PROJECT remembers */
export async function projectModel(
  folder: string,
  settings: DeploymentSettings = {},
): Promise<DeploymentModel> {
  const { operator } = await loadProject(folder);
  const project = findProjectFile(folder);
  return deploymentModel(operator, project, settings);
}

/** An operator with all that was left open filled in. */
export function deploymentModel(
  operator: DeploymentModel["operator"],
  project: Pick<ProjectFile, "projectName" | "namespaced" | "plugins"> | undefined,
  settings: DeploymentSettings,
): DeploymentModel {
  const projectName = project?.projectName ?? operator.name;
  const remembered = { ...project?.plugins?.[layout], ...settings };
  return {
    operator,
    projectName,
    namespace: remembered.namespace ?? `${projectName}-system`,
    image: remembered.image ?? "controller:latest",
    replicas: remembered.replicas ?? 1,
    certManager: remembered.certManager ?? false,
    namespaced: project?.namespaced ?? false,
  };
}
