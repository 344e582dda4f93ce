import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { decodeYaml } from "@bowline/api";
import type { Command } from "commander";
import type { CsvBase } from "../bundle/cluster-service-version.ts";
import { CommandError, UsageError } from "../errors.ts";
import { writeGenerated } from "../scaffold/write-generated.ts";
import { versionOf } from "./chart.ts";
import type { CommandContext } from "./context.ts";
import { settingsOf } from "./edit.ts";
import { type DeploymentFlags, rememberSettings, withDeploymentFlags } from "./generate.ts";

type Flags = DeploymentFlags & {
  readonly outputFolder: string;
  readonly version?: string;
  readonly package?: string;
  readonly channels: string;
  readonly defaultChannel?: string;
  readonly replaces?: string;
  readonly check?: boolean;
  readonly force?: boolean;
};

/** `bowline bundle` and `bowline bundle validate`: what the Operator Lifecycle Manager installs. */
export function addBundleCommand(program: Command, context: CommandContext): void {
  const bundle = withDeploymentFlags(
    program
      .command("bundle")
      .description("write an OLM bundle from the program")
      .option("--output-folder <folder>", "where to", "bundle")
      .option("--version <version>", "version of the operator; default: that of package.json")
      .option("--package <name>", "name of the package; default: that of the project")
      .option("--channels <list>", "channels that it is in, with commas", "alpha")
      .option("--default-channel <name>", "the channel for those who name none; default: the first")
      .option("--replaces <name>", "the version that this one replaces: shop.v1.1.0")
      .option("--check", "write nothing; exit code 1 when something would change")
      .option("--force", "overwrite files that were edited"),
  ).action((flags: Flags) => writeBundle(flags, context));
  bundle
    .command("validate")
    .description("check a bundle by the rules that operator-sdk has; exit code 1 when it is invalid")
    .argument("[folder]", "folder with manifests/ and metadata/", "bundle")
    .action((folder: string) => validate(path.resolve(context.workingFolder, folder), folder, context));
}

async function writeBundle(flags: Flags, context: CommandContext): Promise<void> {
  const folder = context.workingFolder;
  const [{ projectModel }, { baseFile, bundleFiles }, { readSamples }] = await Promise.all([
    import("../manifests/project-model.ts"),
    import("../bundle/bundle-files.ts"),
    import("../project.ts"),
  ]);
  const model = await projectModel(folder, settingsOf(flags));
  const channels = flags.channels.split(",").map((each) => each.trim());
  const version = flags.version ?? versionOf(folder);
  if (!/^\d+\.\d+\.\d+(?:[-+].*)?$/.test(version)) {
    throw new UsageError(`--version ${version} is not a semantic version like 1.2.0`);
  }
  const base = baseFile(model);
  const files = bundleFiles(model, flags.outputFolder, {
    ...{ version, channels },
    packageName: flags.package ?? model.projectName,
    defaultChannel: flags.defaultChannel ?? (channels[0] as string),
    ...(flags.replaces === undefined ? {} : { replaces: flags.replaces }),
    samples: readSamples(folder),
    base: readBase(path.join(folder, base.path), base.text),
  });
  const about = { below: [flags.outputFolder], command: "bundle" };
  writeGenerated([base, ...files], about, flags, context);
  if (flags.check !== true) rememberSettings(folder, flags);
}

/** What people have written, or the beginning. */
function readBase(file: string, beginning: string): CsvBase {
  return decodeYaml(existsSync(file) ? readFileSync(file, "utf8") : beginning).value as CsvBase;
}

async function validate(folder: string, title: string, context: CommandContext): Promise<void> {
  if (!existsSync(path.join(folder, "manifests"))) {
    throw new UsageError(
      `${title} has no folder manifests: name the folder of a bundle; bowline bundle writes one`,
    );
  }
  const [{ readBundle }, { validateBundle }] = await Promise.all([
    import("../bundle/read-bundle.ts"),
    import("../bundle/validate-bundle.ts"),
  ]);
  const findings = validateBundle(readBundle(folder));
  for (const { level, file, text } of findings) context.output.write(`${level.padEnd(7)} ${file}: ${text}\n`);
  const count = (level: string): number => findings.filter((finding) => finding.level === level).length;
  const summary = `${count("error")} errors, ${count("warning")} warnings`;
  if (count("error") > 0) throw new CommandError(`${title} is not a valid bundle: ${summary}`);
  context.output.write(`${title} is a valid bundle: ${summary}\n`);
}
