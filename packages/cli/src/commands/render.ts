import path from "node:path";
import { type JsonObject, encodeYaml } from "@bowline/api";
import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import { loadProject, readObjects } from "../project.ts";
import type { RenderedWrite } from "../render/render-writes.ts";
import { textDiff } from "../scaffold/text-diff.ts";
import type { CommandContext } from "./context.ts";

interface RenderFlags {
  readonly filename?: readonly string[];
  readonly output: string;
}

/** `bowline render -f app.yaml`: what a reconcile would write, offline. */
export function addRenderCommand(program: Command, context: CommandContext): void {
  program
    .command("render")
    .description("show what the operator would write when it sees these objects; no cluster is asked")
    .option("-f, --filename <file...>", "objects: what is reconciled, and what is there beside it")
    .option("-o, --output <format>", "yaml (new objects whole, given ones as a difference) or json", "yaml")
    .action(async (flags: RenderFlags) => render(flags, context));
}

async function render(flags: RenderFlags, context: CommandContext): Promise<void> {
  if (flags.output !== "yaml" && flags.output !== "json") {
    throw new UsageError(`--output ${flags.output}: yaml or json`);
  }
  if (flags.filename === undefined)
    throw new UsageError("-f is missing: a file with the object to reconcile");
  const objects = flags.filename.flatMap((file) => readObjects(path.resolve(context.workingFolder, file)));
  const { operator } = await loadProject(context.workingFolder);
  const { renderWrites } = await import("../render/render-writes.ts");
  const writes = await renderWrites(operator, objects);
  if (flags.output === "json") context.output.write(`${JSON.stringify(writes, undefined, 2)}\n`);
  else
    context.output.write(writes.length === 0 ? "# nothing is written\n" : writes.map(yamlOf).join("---\n"));
}

function yamlOf({ title, before, after }: RenderedWrite): string {
  const text = (object: JsonObject): string => encodeYaml(object as never);
  if (after === undefined) return `# delete ${title}\n`;
  if (before === undefined) return `# create ${title}\n${text(after)}`;
  return `# update ${title}\n${textDiff(text(before), text(after)).replace(/^(?=.)/gm, "# ")}`;
}
