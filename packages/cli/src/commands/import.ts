import type { Command } from "commander";
import type { CustomResourceDefinition } from "@bowline/api";
import { type ClusterFlags, withCluster, withClusterFlags } from "../connection.ts";
import { UsageError } from "../errors.ts";
import { writeFiles } from "../scaffold/write-files.ts";
import type { CommandContext } from "./context.ts";

interface ImportFlags extends ClusterFlags {
  readonly fromCluster?: boolean;
  readonly out: string;
  readonly kind?: readonly string[];
  readonly group?: string;
  readonly force?: boolean;
}

/** `bowline import`: typed kinds from CustomResourceDefinitions. */
export function addImportCommand(program: Command, context: CommandContext): void {
  withClusterFlags(
    program
      .command("import")
      .description("write typed kinds for the CustomResourceDefinitions of others")
      .argument("[file|folder]", "YAML or JSON with CustomResourceDefinitions")
      .option("--from-cluster", "take those of a cluster instead of a file's")
      .option("--kind <kind...>", "only these kinds")
      .option("--group <group>", "only kinds of this API group")
      .option("--out <folder>", "where the sources go", "src/imported")
      .option("--force", "overwrite files that are there"),
  ).action(async (place: string | undefined, flags: ImportFlags) => {
    const crds = await definitions(context.workingFolder, place, flags);
    await writeKinds(crds, flags, context);
  });
}

async function definitions(
  folder: string,
  place: string | undefined,
  flags: ImportFlags,
): Promise<CustomResourceDefinition[]> {
  if ((place === undefined) === (flags.fromCluster !== true)) {
    throw new UsageError("name a file or folder, or say --from-cluster, and not both");
  }
  const { fetchCrds, readCrds } = await import("../import/read-crds.ts");
  if (place === undefined) return withCluster(flags, fetchCrds);
  const { default: path } = await import("node:path");
  return readCrds(path.resolve(folder, place));
}

async function writeKinds(
  crds: readonly CustomResourceDefinition[],
  flags: ImportFlags,
  context: CommandContext,
): Promise<void> {
  const { importedKind } = await import("../import/kind-source.ts");
  const wanted = crds.filter(
    ({ spec }) =>
      (flags.kind === undefined || flags.kind.includes(spec.names.kind)) &&
      (flags.group === undefined || flags.group === spec.group),
  );
  if (wanted.length === 0) {
    const there = crds.map(({ spec }) => `${spec.names.kind} (${spec.group})`).join(", ");
    throw new UsageError(
      there === "" ? "there is no CustomResourceDefinition" : `none of that name: there are ${there}`,
    );
  }
  for (const crd of wanted) {
    const { files, leftOut } = importedKind(crd, flags.out.replace(/\/$/, ""));
    writeFiles(context.workingFolder, files, context.output, { force: flags.force === true });
    for (const text of leftOut) context.output.error(`left out: ${text}\n`);
  }
}
