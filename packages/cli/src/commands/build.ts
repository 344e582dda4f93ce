import { existsSync } from "node:fs";
import path from "node:path";
import { type Command, Option } from "commander";
import { CommandError, UsageError } from "../errors.ts";
import * as tools from "../image/container-tool.ts";
import type { Platform } from "../image/manifest.ts";
import { findProjectFile, layout as pluginName } from "../scaffold/project-file.ts";
import { stopSignal } from "../stop-signal.ts";
import type { CommandContext } from "./context.ts";

interface ImageFlags {
  readonly tag?: string;
  readonly image?: string;
  readonly insecure?: boolean;
}

interface BuildFlags extends ImageFlags {
  readonly builder: string;
  readonly base?: string;
  readonly platform?: string;
}

/** `bowline build` and `bowline push`: the operator's image. */
export function addImageCommands(program: Command, context: CommandContext): void {
  withImageFlags(
    program
      .command("build")
      .description("build the operator's image: with docker, podman or buildah, or without any of them")
      .addOption(
        new Option("--builder <name>", "who builds; bowline writes an OCI image layout into .bowline/image")
          .choices(["auto", "docker", "podman", "buildah", "bowline"])
          .default("auto"),
      )
      .option(
        "--base <image>",
        "for --builder bowline: reference, OCI layout, or archive of one or of a file system; default: the last FROM of the Dockerfile",
      )
      .option("--platform <list>", "linux/amd64, linux/arm64 or both with a comma"),
  ).action((image: string | undefined, flags: BuildFlags) =>
    stoppable((signal) => build(image, flags, context, signal)),
  );
  withImageFlags(
    program.command("push").description("push the operator's image, with whatever has built it"),
  ).action((image: string | undefined, flags: ImageFlags) =>
    stoppable((signal) => push(image, flags, context, signal)),
  );
}

function withImageFlags(command: Command): Command {
  return command
    .argument("[image]", "registry.example.com/shop:v1; default: IMG, else what PROJECT remembers")
    .option("-t, --tag <image>", "the same as a flag")
    .option("--image <image>", "the same as a flag")
    .option(
      "--insecure",
      "registries may speak plain HTTP and have any certificate; on this machine they always may",
    );
}

async function stoppable(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  try {
    await work(stop.signal);
  } finally {
    stop.dispose();
  }
}

/** @throws UsageError when nothing says which */
function imageName(argument: string | undefined, flags: ImageFlags, folder: string): string {
  const named = [argument, flags.tag, flags.image].filter((name) => name !== undefined);
  if (new Set(named).size > 1) throw new UsageError(`one image at a time, not ${named.join(" and ")}`);
  const name = named[0] ?? (process.env["IMG"] || findProjectFile(folder)?.plugins?.[pluginName]?.image);
  if (name !== undefined) return name;
  throw new UsageError("name the image: bowline build -t registry.example.com/shop:v1");
}

async function build(
  argument: string | undefined,
  flags: BuildFlags,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { workingFolder: folder, output } = context;
  const name = imageName(argument, flags, folder);
  const [{ parseImageReference }, { buildProject, projectLayout }] = await Promise.all([
    import("../image/image-reference.ts"),
    import("../image/build-project.ts"),
  ]);
  const reference = parseImageReference(name);
  if (reference.digest !== undefined)
    throw new UsageError(`${name}: an image that is built has no digest yet`);
  if (!existsSync(path.join(folder, "package.json"))) {
    throw new UsageError(
      `${folder} has no package.json: change to the folder of an operator project, or start one with bowline init`,
    );
  }
  const platforms = platformsOf(flags.platform);
  const isOurs = flags.builder === "bowline" || (flags.builder === "auto" && flags.base !== undefined);
  const tool = isOurs ? undefined : await toolFor(flags.builder, signal);
  if (tool !== undefined) {
    if (flags.base !== undefined)
      throw new UsageError("--base is for --builder bowline: others take it from the Dockerfile");
    await tools.buildByTool(tools.runProgram, tool, {
      ...{ folder, image: name, output, signal },
      insecure: flags.insecure === true || (await areBasesHere(folder)),
      platforms: platforms.map(({ os, architecture }) => `${os}/${architecture}`),
    });
    // an image of the same name that bowline has built is not the newest any more
    projectLayout(folder).removeName(reference.text);
    return;
  }
  await buildProject({
    ...{ folder, reference, platforms, output, signal },
    ...(flags.base === undefined ? {} : { base: flags.base }),
    insecure: flags.insecure === true,
  });
}

/** True when all that the Dockerfile is built on comes from registries of this machine. */
async function areBasesHere(folder: string): Promise<boolean> {
  const [{ basesOfDockerfile }, { isLoopback }] = await Promise.all([
    import("../image/dockerfile.ts"),
    import("../image/image-reference.ts"),
  ]);
  const bases = basesOfDockerfile(folder);
  // a name without a registry has no slash, or one behind a word that is no host
  return bases.length > 0 && bases.every((base) => isLoopback(base.split("/")[0] ?? ""));
}

async function toolFor(builder: string, signal: AbortSignal): Promise<tools.ToolName | undefined> {
  return (
    tools.toolNames.find((name) => name === builder) ?? (await tools.workingTool(tools.runProgram, signal))
  );
}

/** @throws UsageError for what is not a list of platforms */
function platformsOf(text: string | undefined): Platform[] {
  if (text === undefined) return [];
  return text.split(",").map((each) => {
    const [, os, architecture] = /^(linux)\/(amd64|arm64)(?:\/v8)?$/.exec(each.trim()) ?? [];
    if (os === undefined || architecture === undefined) {
      throw new UsageError(`--platform ${each}: linux/amd64 and linux/arm64 are possible`);
    }
    return { os, architecture };
  });
}

async function push(
  argument: string | undefined,
  flags: ImageFlags,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { workingFolder: folder, output } = context;
  const name = imageName(argument, flags, folder);
  const [{ isLoopback, parseImageReference }, { projectLayout, pushProject }] = await Promise.all([
    import("../image/image-reference.ts"),
    import("../image/build-project.ts"),
  ]);
  const reference = parseImageReference(name);
  const insecure = flags.insecure === true;
  if (projectLayout(folder).find(reference.text) !== undefined) {
    return pushProject({ folder, reference, insecure, output, signal });
  }
  const tool = await tools.toolWithImage(tools.runProgram, name, signal);
  if (tool === undefined)
    throw new CommandError(`there is no image ${name} here: run bowline build -t ${name} first`);
  await tools.pushByTool(tools.runProgram, tool, {
    ...{ folder, image: name, output, signal },
    insecure: insecure || isLoopback(reference.registry),
  });
}
