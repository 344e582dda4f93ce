import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { type Command, Option } from "commander";
import { UsageError } from "../errors.ts";
import { required } from "../output/prompter.ts";
import { packageVersion } from "../package-version.ts";
import { checkDomain, checkProjectName } from "../scaffold/names.ts";
import { findProjectFile, newProject, writeProjectFile } from "../scaffold/project-file.ts";
import { agentsGuide, readme } from "../scaffold/templates/documents.ts";
import { projectFiles } from "../scaffold/templates/project-files.ts";
import { writeFiles } from "../scaffold/write-files.ts";
import type { CommandContext } from "./context.ts";

interface InitFlags {
  readonly domain?: string;
  readonly projectName?: string;
  readonly repo?: string;
  readonly namespaced?: boolean;
  readonly license?: string;
  readonly owner?: string;
  readonly bowline?: string;
  readonly force?: boolean;
}

/** `bowline init`: a new operator project. */
export function addInitCommand(program: Command, context: CommandContext): void {
  program
    .command("init")
    .description("start a new operator project in this folder, or in the one named")
    .argument("[folder]", "folder of the project", ".")
    .option("--domain <domain>", "domain of the API groups, for example example.com")
    .option("--project-name <name>", "begins the names of all manifests; default: the folder's name")
    .option("--repo <name>", "name of the npm package; default: the project's name")
    .option("--namespaced", "the operator works in its own namespace only")
    .option(
      "--license <license>",
      "of the project: apache2, another SPDX identifier, or none (default: none)",
    )
    .option("--owner <name>", "who owns the copyright")
    .option("--force", "overwrite files that are there")
    .addOption(
      new Option(
        "--bowline <source>",
        "file:FOLDER with packed packages, for the development of bowline",
      ).hideHelp(),
    )
    .action(async (folder: string, flags: InitFlags) => {
      await init(path.resolve(context.workingFolder, folder), flags, context);
    });
}

async function init(folder: string, flags: InitFlags, context: CommandContext): Promise<void> {
  const { output, ask } = context;
  const before = findProjectFile(folder);
  const named =
    flags.projectName ?? before?.projectName ?? flags.repo?.replace(/^.*\//, "") ?? projectNameOf(folder);
  const domain = checkDomain(
    await required(ask, "--domain", flags.domain ?? before?.domain, {
      text: "Domain of your API groups",
      suggestion: "example.com",
    }),
  );
  const projectName = checkProjectName(named);
  if (before !== undefined && (before.domain !== domain || before.projectName !== projectName)) {
    throw new UsageError(
      `${folder} is the project ${before.projectName} of domain ${before.domain} already; start another one in an empty folder`,
    );
  }
  if (before === undefined && existsSync(path.join(folder, "package.json")) && flags.force !== true) {
    throw new UsageError(
      `${folder} has a package.json but no PROJECT file: choose an empty folder, or --force`,
    );
  }
  mkdirSync(folder, { recursive: true });
  const repo = flags.repo ?? before?.repo;
  const files = [
    ...projectFiles({
      projectName,
      packageName: repo ?? projectName,
      packageSpec: packageSource(flags.bowline, context),
      license: licenseOf(flags.license),
      owner: flags.owner,
    }),
    { path: "README.md", text: readme(projectName) },
    { path: "AGENTS.md", text: agentsGuide(projectName) },
  ];
  // what is there was written by the person since: repeating init only adds what is missing
  const wanted =
    before === undefined ? files : files.filter((file) => !existsSync(path.join(folder, file.path)));
  writeFiles(folder, wanted, output, { force: flags.force === true });
  if (before === undefined) {
    writeProjectFile(folder, {
      ...newProject({
        domain,
        projectName,
        ...(repo === undefined ? {} : { repo }),
        namespaced: flags.namespaced === true,
      }),
    });
  }
  output.write(`\nNext:\n  npm install\n  npx bowline create api --group apps --version v1 --kind MyKind\n`);
}

/** kubebuilder's names, or an SPDX identifier. @throws UsageError */
function licenseOf(text = "none"): string | undefined {
  if (text === "none") return undefined;
  if (text === "apache2") return "Apache-2.0";
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(text))
    throw new UsageError(
      `--license ${JSON.stringify(text)}: apache2, none or an SPDX identifier such as MIT is expected`,
    );
  return text;
}

/** A folder's name made into a label: `My Shop` is `my-shop`. */
function projectNameOf(folder: string): string {
  return path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}

function packageSource(source: string | undefined, context: CommandContext): (name: string) => string {
  if (source === undefined) return () => packageVersion();
  if (!source.startsWith("file:")) throw new UsageError(`--bowline ${source}: file:FOLDER is expected`);
  const folder = path.resolve(context.workingFolder, source.slice("file:".length));
  return (name) => `file:${folder}/bowline-${name}-${packageVersion()}.tgz`;
}
