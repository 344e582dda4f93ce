import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { required, yesOrNo } from "../output/prompter.ts";
import { type OperatorPart, withOperatorPart } from "../scaffold/edit-operator.ts";
import {
  checkGroup,
  checkKind,
  checkPlural,
  checkVersion,
  qualifiedGroup,
  variableName,
} from "../scaffold/names.ts";
import {
  type ProjectFile,
  type ProjectResource,
  readProjectFile,
  versionsOf,
  withResource,
  writeProjectFile,
} from "../scaffold/project-file.ts";
import {
  apiFiles,
  controllerFile,
  controllerFiles,
  crdFile,
  crdSource,
  kindFile,
} from "../scaffold/templates/kind-files.ts";
import { type FileOutcome, type PlannedFile, writeFiles } from "../scaffold/write-files.ts";
import type { CommandContext } from "./context.ts";

interface ApiFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly plural?: string;
  readonly namespaced: boolean;
  readonly resource?: boolean;
  readonly controller?: boolean;
  readonly force?: boolean;
}

/** `bowline create api`: a kind, its controller and a sample. */
export function addCreateApiCommand(create: Command, context: CommandContext): void {
  create
    .command("api")
    .description("add a kind with its controller, or a controller for a built-in kind")
    .option("--group <group>", "API group without the domain; leave it empty for the domain alone")
    .option("--version <version>", "API version, for example v1 or v1beta1")
    .option("--kind <kind>", "the kind, for example CronJob")
    .option("--plural <plural>", "name of the resource in paths; default: the English plural")
    .option("--namespaced [bool]", "false: the kind belongs to the whole cluster", booleanFlag, true)
    .option("--resource [bool]", "write the kind", booleanFlag)
    .option("--controller [bool]", "write the controller", booleanFlag)
    .option("--force", "overwrite files that are there")
    .action(async (flags: ApiFlags) => createApi(context.workingFolder, flags, context));
}

/** `--controller`, `--controller=false`. */
export function booleanFlag(value: string): boolean {
  if (value !== "true" && value !== "false") throw new UsageError(`${value} is neither true nor false`);
  return value === "true";
}

async function createApi(folder: string, flags: ApiFlags, context: CommandContext): Promise<void> {
  const { ask, output } = context;
  const project = readProjectFile(folder);
  const group = checkGroup(
    flags.group ?? (await ask("Group, without the domain (empty for none)", "")) ?? "",
  );
  const version = checkVersion(
    await required(ask, "--version", flags.version, { text: "Version", suggestion: "v1" }),
  );
  const kind = checkKind(await required(ask, "--kind", flags.kind, { text: "Kind, for example CronJob" }));
  const builtin = flags.resource === false ? await builtinModule(group, version, kind) : undefined;
  const wantsResource =
    builtin !== undefined
      ? false
      : await yesOrNo(ask, flags.resource, { text: "Write the kind", byDefault: true });
  const others = versionsOf(project, { ...(group === "" ? {} : { group }), kind });
  const wantsController = await yesOrNo(ask, flags.controller, {
    text: "Write the controller",
    byDefault: !others.some((other) => other.version !== version && other.controller === true),
  });
  checkClashes(project, { group, version, kind });
  const resource: ProjectResource = {
    ...(builtin !== undefined ? {} : { domain: project.domain }),
    ...(group === "" ? {} : { group }),
    version,
    kind,
    ...(flags.plural === undefined ? {} : { plural: checkPlural(flags.plural) }),
    ...(wantsController || others.some((o) => o.version === version && o.controller)
      ? { controller: true }
      : {}),
    ...(wantsResource
      ? { api: { crdVersion: "v1" as const, ...(flags.namespaced ? { namespaced: true } : {}) } }
      : {}),
  };
  const planned = plan(folder, project, resource, { wantsResource, wantsController, builtin });
  const outcomes = writeFiles(folder, planned.files, output, { force: flags.force === true });
  sayWhenAllWasThere(outcomes, editOperator(folder, planned.parts, context), context);
  writeProjectFile(folder, withResource(project, resource));
  if (wantsResource)
    output.write(
      "\nNext: put your fields into the kind, then\n  npm test\n  npx bowline generate\n  npx bowline dev\n",
    );
}

/** Two kinds of one name would share their files. */
function checkClashes(project: ProjectFile, at: { group: string; version: string; kind: string }): void {
  for (const other of project.resources ?? []) {
    const sameFile = other.kind.toLowerCase() === at.kind.toLowerCase();
    if (!sameFile || (other.kind === at.kind && (other.group ?? "") === at.group)) continue;
    const there = `${other.kind} of group ${qualifiedGroup(other.group ?? "", other.domain ?? "")}`;
    throw new UsageError(
      `--kind ${at.kind}: there is ${there} already, and their files would have the same names`,
    );
  }
}

interface Plan {
  readonly files: readonly PlannedFile[];
  readonly parts: readonly OperatorPart[];
}

function plan(
  folder: string,
  project: ProjectFile,
  resource: ProjectResource,
  wants: { wantsResource: boolean; wantsController: boolean; builtin: string | undefined },
): Plan {
  const { version, kind } = resource;
  const files: PlannedFile[] = [];
  const parts: OperatorPart[] = [];
  const namespaced = resource.api?.namespaced === true;
  if (wants.wantsResource) {
    const group = qualifiedGroup(resource.group ?? "", project.domain);
    const plural = resource.plural === undefined ? {} : { plural: resource.plural };
    files.push(...apiFiles({ group, version, kind, ...plural, namespaced }));
    const { files: more, part } = kindPart(project, resource);
    files.push(...more);
    parts.push(part);
  }
  if (wants.wantsController) {
    const own = `../api/${version}/${kind.toLowerCase()}.ts`;
    const isOwn = wants.wantsResource || existsSync(path.join(folder, kindFile(version, kind)));
    const importFrom = isOwn ? own : wants.builtin;
    if (importFrom === undefined) {
      throw new UsageError(
        `there is no ${kindFile(version, kind)} and no built-in kind ${kind}: let --resource write it, or import it`,
      );
    }
    files.push(...controllerFiles({ kind, importFrom, namespaced, isOwn }));
    const name = `${variableName(kind)}Controller`;
    const file = controllerFile(kind).replace(/^src\//, "./");
    parts.push({ importLine: `import { ${name} } from "${file}";`, list: "controllers", name });
  }
  return { files, parts };
}

/** The only version of a kind is listed itself; from the second on, a definition of all of them. */
function kindPart(
  project: ProjectFile,
  resource: ProjectResource,
): { files: PlannedFile[]; part: OperatorPart } {
  const { kind, version } = resource;
  const others = versionsOf(project, resource).filter(
    (other) => other.version !== version && other.api !== undefined,
  );
  if (others.length === 0) {
    const importLine = `import { ${kind} } from "./api/${version}/${kind.toLowerCase()}.ts";`;
    return { files: [], part: { importLine, list: "kinds", name: kind } };
  }
  const versions = [...others.map((other) => other.version), version];
  const name = `${variableName(kind)}Crd`;
  const importLine = `import { ${name} } from "${crdFile(kind).replace(/^src\//, "./")}";`;
  const files = [{ path: crdFile(kind), text: crdSource(kind, versions, versions[0] as string) }];
  return { files, part: { importLine, list: "kinds", name, replaces: [kind] } };
}

/** `@bowline/api/apps/v1` when it has such a kind. */
async function builtinModule(group: string, version: string, kind: string): Promise<string | undefined> {
  const name = `@bowline/api/${group === "" ? "core" : group.split(".")[0]}/${version}`;
  try {
    return kind in ((await import(name)) as object) ? name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Puts the parts into `src/operator.ts`, or says what to put there.
 * @returns whether the file was written, or a person has to write it
 */
export function editOperator(
  folder: string,
  parts: readonly OperatorPart[],
  context: CommandContext,
): boolean {
  const file = path.join(folder, "src/operator.ts");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  const left: OperatorPart[] = [];
  let after = before;
  for (const part of parts) {
    const edited = withOperatorPart(after, part);
    if (edited === undefined) left.push(part);
    else after = edited;
  }
  if (after !== before) {
    writeFileSync(file, after);
    context.output.write(`${"updated".padEnd(9)} src/operator.ts\n`);
  }
  for (const part of left) {
    context.output.write(
      `src/operator.ts was changed too much to be edited; add:\n  ${part.importLine}\n  ${part.list}: [${part.name}]\n`,
    );
  }
  return after !== before || left.length > 0;
}

/** A command that was repeated says so, instead of nothing. */
export function sayWhenAllWasThere(
  outcomes: ReadonlyMap<string, FileOutcome>,
  edited: boolean,
  context: CommandContext,
): void {
  if (edited || [...outcomes.values()].some((outcome) => outcome !== "unchanged")) return;
  for (const file of outcomes.keys()) context.output.write(`unchanged ${file}\n`);
}
