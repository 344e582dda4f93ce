/** The memory of what was scaffolded: a file PROJECT with the fields of kubebuilder's version 3. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { decodeYaml, encodeYaml } from "@bowline/api";
import { UsageError, messageOf } from "../errors.ts";
import { packageVersion } from "../package-version.ts";

/** Which webhooks a kind has. */
export interface ProjectWebhooks {
  readonly webhookVersion: "v1";
  readonly defaulting?: boolean;
  readonly validation?: boolean;
  readonly conversion?: boolean;
  /** Versions that are converted to and from this one: `["v2"]`. */
  readonly spoke?: readonly string[];
}

/** One version of one kind. */
export interface ProjectResource {
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  readonly domain?: string;
  /** Only when it is not the English plural. */
  readonly plural?: string;
  readonly controller?: boolean;
  readonly api?: { readonly crdVersion: "v1"; readonly namespaced?: boolean };
  readonly webhooks?: ProjectWebhooks;
}

/** How the operator is deployed: what flags of `bowline generate` said last. */
export interface DeploymentSettings {
  readonly image?: string;
  readonly namespace?: string;
  readonly replicas?: number;
  readonly certManager?: boolean;
}

export interface ProjectFile {
  readonly version: "3";
  readonly cliVersion?: string;
  readonly domain: string;
  readonly layout: readonly string[];
  readonly projectName: string;
  readonly repo?: string;
  readonly namespaced?: boolean;
  readonly plugins?: { readonly [layout]?: DeploymentSettings };
  readonly resources?: readonly ProjectResource[];
}

/** Our entry in `layout` and `plugins`. */
export const layout = "bowline.dev/v1";

const header = `# What bowline has scaffolded. Commands read and extend it; it is safe to commit and not meant to be edited.
`;

/** A new project without resources. */
export function newProject(options: {
  domain: string;
  projectName: string;
  repo?: string;
  namespaced?: boolean;
}): ProjectFile {
  return {
    cliVersion: packageVersion(),
    domain: options.domain,
    layout: [layout],
    ...(options.namespaced === true ? { namespaced: true } : {}),
    projectName: options.projectName,
    ...(options.repo === undefined ? {} : { repo: options.repo }),
    version: "3",
  };
}

/** Undefined when the folder has none. @throws UsageError for one that is not ours */
export function findProjectFile(folder: string): ProjectFile | undefined {
  const file = path.join(folder, "PROJECT");
  if (!existsSync(file)) return undefined;
  const project = parsed(file);
  if (project?.version !== "3" || !project.layout?.includes(layout)) {
    throw new UsageError(`${file} was not written by bowline: version 3 with layout ${layout} is expected`);
  }
  return project;
}

function parsed(file: string): ProjectFile | null {
  try {
    return decodeYaml(readFileSync(file, "utf8")).value as ProjectFile | null;
  } catch (error) {
    throw new UsageError(`${file} is no YAML: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws UsageError when there is none */
export function readProjectFile(folder: string): ProjectFile {
  const project = findProjectFile(folder);
  if (project === undefined) {
    throw new UsageError(
      `${path.resolve(folder)} has no PROJECT file: run bowline init first, or change to the project`,
    );
  }
  return project;
}

export function writeProjectFile(folder: string, project: ProjectFile): void {
  writeFileSync(path.join(folder, "PROJECT"), `${header}${encodeYaml(project)}`);
}

/** The project with this resource added, or merged into the one that is there. */
export function withResource(project: ProjectFile, resource: ProjectResource): ProjectFile {
  const resources = [...(project.resources ?? [])];
  const index = resources.findIndex((each) => sameResource(each, resource));
  if (index < 0) resources.push(resource);
  else resources[index] = { ...resources[index], ...resource };
  return { ...project, resources };
}

/** All versions of a kind, in the order they were scaffolded. */
export function versionsOf(
  project: ProjectFile,
  kind: { group?: string; kind: string },
): readonly ProjectResource[] {
  return (project.resources ?? []).filter(
    (each) => each.kind === kind.kind && (each.group ?? "") === (kind.group ?? ""),
  );
}

function sameResource(a: ProjectResource, b: ProjectResource): boolean {
  return a.kind === b.kind && a.version === b.version && (a.group ?? "") === (b.group ?? "");
}
