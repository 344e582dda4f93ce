import { existsSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { required } from "../output/prompter.ts";
import type { OperatorPart } from "../scaffold/edit-operator.ts";
import { checkGroup, checkKind, checkVersion, qualifiedGroup, variableName } from "../scaffold/names.ts";
import {
  type ProjectFile,
  type ProjectResource,
  type ProjectWebhooks,
  readProjectFile,
  versionsOf,
  withResource,
  writeProjectFile,
} from "../scaffold/project-file.ts";
import { kindFile } from "../scaffold/templates/kind-files.ts";
import {
  conversionFile,
  conversionSource,
  conversionTest,
  webhookFile,
  webhookFiles,
} from "../scaffold/templates/webhook-files.ts";
import { type PlannedFile, writeFiles } from "../scaffold/write-files.ts";
import type { CommandContext } from "./context.ts";
import { editOperator, sayWhenAllWasThere } from "./create-api.ts";

interface WebhookFlags {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly defaulting?: boolean;
  readonly programmaticValidation?: boolean;
  readonly conversion?: boolean;
  readonly spoke?: string;
  readonly defaultingPath?: string;
  readonly validationPath?: string;
  readonly force?: boolean;
}

/** `bowline create webhook`: defaulting, validation and conversion of a kind. */
export function addCreateWebhookCommand(create: Command, context: CommandContext): void {
  create
    .command("webhook")
    .description("add webhooks to a kind of the project")
    .option("--group <group>", "API group without the domain")
    .option("--version <version>", "API version; for --conversion the one in the middle")
    .option("--kind <kind>", "the kind")
    .option("--defaulting", "fill fields in")
    .option("--programmatic-validation", "refuse what is wrong")
    .option("--conversion", "convert between versions")
    .option("--spoke <versions>", "with --conversion: the other versions, with commas")
    .option("--defaulting-path <path>", "path of the defaulting webhook")
    .option("--validation-path <path>", "path of the validating webhook")
    .option("--force", "overwrite files that are there")
    .action(async (flags: WebhookFlags) => createWebhook(context.workingFolder, flags, context));
}

async function createWebhook(folder: string, flags: WebhookFlags, context: CommandContext): Promise<void> {
  const { ask, output } = context;
  const project = readProjectFile(folder);
  const group = checkGroup(
    flags.group ?? (await ask("Group, without the domain (empty for none)", "")) ?? "",
  );
  const version = checkVersion(
    await required(ask, "--version", flags.version, { text: "Version", suggestion: "v1" }),
  );
  const kind = checkKind(await required(ask, "--kind", flags.kind, { text: "Kind" }));
  if (!flags.defaulting && !flags.programmaticValidation && !flags.conversion) {
    throw new UsageError(
      "say which webhooks: --defaulting, --programmatic-validation, --conversion, or several",
    );
  }
  const resource = findResource(project, { group, version, kind });
  if (!existsSync(path.join(folder, kindFile(version, kind)))) {
    throw new UsageError(
      `${kindFile(version, kind)} does not exist: webhooks are scaffolded for kinds of the project`,
    );
  }
  const spokes = spokesOf(project, resource, flags);
  const files: PlannedFile[] = [];
  const parts: OperatorPart[] = [];
  if (flags.defaulting || flags.programmaticValidation) {
    files.push(...webhookFiles({ ...template(project, resource), ...pathsOf(flags), ...which(flags) }));
    const name = `${variableName(kind)}Webhook`;
    parts.push({ importLine: importOf(name, webhookFile(kind)), list: "webhooks", name });
  }
  if (flags.conversion) {
    const file = conversionFile(kind);
    const test = conversionTest(kind, qualifiedGroup(group, project.domain), [version, ...spokes]);
    files.push({ path: file, text: conversionSource(kind, version, spokes) });
    files.push({ path: file.replace(/\.ts$/, ".test.ts"), text: test });
    const name = `${variableName(kind)}Conversion`;
    parts.push({ importLine: importOf(name, file), list: "webhooks", name });
  }
  const outcomes = writeFiles(folder, files, output, { force: flags.force === true });
  sayWhenAllWasThere(outcomes, editOperator(folder, parts, context), context);
  const webhooks: ProjectWebhooks = {
    ...resource.webhooks,
    webhookVersion: "v1",
    ...(flags.defaulting ? { defaulting: true } : {}),
    ...(flags.programmaticValidation ? { validation: true } : {}),
    ...(flags.conversion ? { conversion: true, spoke: spokes } : {}),
  };
  writeProjectFile(folder, withResource(project, { ...resource, webhooks }));
}

function importOf(name: string, file: string): string {
  return `import { ${name} } from "${file.replace(/^src\//, "./")}";`;
}

function findResource(
  project: ProjectFile,
  at: { group: string; version: string; kind: string },
): ProjectResource {
  const versions = versionsOf(project, { ...(at.group === "" ? {} : { group: at.group }), kind: at.kind });
  const found = versions.find((each) => each.version === at.version);
  if (found !== undefined) return found;
  const known = (project.resources ?? []).map(
    (each) => `${qualifiedGroup(each.group ?? "", each.domain ?? "")}/${each.version} ${each.kind}`,
  );
  throw new UsageError(
    `${qualifiedGroup(at.group, project.domain)}/${at.version} ${at.kind} is not in this project; ${known.length === 0 ? "it has no kinds: run bowline create api" : `there are: ${known.join(", ")}`}`,
  );
}

function spokesOf(project: ProjectFile, resource: ProjectResource, flags: WebhookFlags): string[] {
  if (!flags.conversion) return [];
  const others = versionsOf(project, resource)
    .map((each) => each.version)
    .filter((version) => version !== resource.version);
  const spokes =
    flags.spoke === undefined ? others : flags.spoke.split(",").map((each) => checkVersion(each.trim()));
  const missing = spokes.filter((spoke) => !others.includes(spoke));
  if (spokes.length === 0 || missing.length > 0) {
    const what =
      missing.length > 0
        ? `${missing.join(", ")} of ${resource.kind}`
        : `a second version of ${resource.kind}`;
    throw new UsageError(
      `--conversion needs ${what} in the project: run bowline create api --kind ${resource.kind} --version ... first`,
    );
  }
  return spokes;
}

function template(
  project: ProjectFile,
  resource: ProjectResource,
): { kind: string; importFrom: string; apiVersion: string } {
  const { kind, version } = resource;
  return {
    kind,
    importFrom: `../api/${version}/${kind.toLowerCase()}.ts`,
    apiVersion: `${qualifiedGroup(resource.group ?? "", project.domain)}/${version}`,
  };
}

function which(flags: WebhookFlags): { defaulting: boolean; validation: boolean } {
  return { defaulting: flags.defaulting === true, validation: flags.programmaticValidation === true };
}

function pathsOf(flags: WebhookFlags): { mutatePath?: string; validatePath?: string } {
  return {
    ...(flags.defaultingPath === undefined ? {} : { mutatePath: flags.defaultingPath }),
    ...(flags.validationPath === undefined ? {} : { validatePath: flags.validationPath }),
  };
}
