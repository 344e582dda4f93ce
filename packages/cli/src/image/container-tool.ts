/** The programs that build and push images, when one of them is there and works. */
import { spawn } from "node:child_process";
import { CommandError } from "../errors.ts";
import type { Output } from "../output/output.ts";

export const toolNames = ["docker", "podman", "buildah"] as const;
export type ToolName = (typeof toolNames)[number];

/** Runs a program; `output` absent: nobody reads what it writes. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options: {
    readonly output?: Output;
    readonly folder?: string;
    /** Beside that of this process. */
    readonly environment?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
  },
) => Promise<number>;

/** What shows that a tool works: a client of docker says its version also when nobody serves it. */
const probes: Readonly<Record<ToolName, readonly string[]>> = {
  docker: ["info", "--format", "{{.ServerVersion}}"],
  podman: ["info", "--format", "{{.Store.GraphRoot}}"],
  buildah: ["info"],
};

const hasImage: Readonly<Record<ToolName, (image: string) => readonly string[]>> = {
  docker: (image) => ["image", "inspect", image],
  podman: (image) => ["image", "exists", image],
  buildah: (image) => ["inspect", "--type", "image", image],
};

/** The first tool that works. */
export async function workingTool(run: RunProgram, signal?: AbortSignal): Promise<ToolName | undefined> {
  for (const tool of toolNames) if (await answers(run, tool, probes[tool], signal)) return tool;
  return undefined;
}

/** The first tool that works and has this image. */
export async function toolWithImage(
  run: RunProgram,
  image: string,
  signal?: AbortSignal,
): Promise<ToolName | undefined> {
  for (const tool of toolNames) if (await answers(run, tool, hasImage[tool](image), signal)) return tool;
  return undefined;
}

async function answers(
  run: RunProgram,
  tool: ToolName,
  args: readonly string[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return (await run(tool, args, signal === undefined ? {} : { signal })) === 0;
}

interface ToolTask {
  readonly folder: string;
  readonly image: string;
  /** Registries may speak plain HTTP. Docker has no flag for it: its daemon is told which ones may. */
  readonly insecure: boolean;
  readonly output: Output;
  readonly signal?: AbortSignal;
}

export interface ToolBuild extends ToolTask {
  /** `linux/amd64`; several need a tool that builds for several. */
  readonly platforms: readonly string[];
}

/** Builds by the Dockerfile of the project. @throws CommandError when the tool fails; it has said why */
export async function buildByTool(run: RunProgram, tool: ToolName, build: ToolBuild): Promise<void> {
  const { image, platforms, signal } = build;
  const platform = platforms.length === 0 ? [] : ["--platform", platforms.join(",")];
  // podman and buildah would give the tag to one platform after the other; to a list that is there they would add
  const isList = platforms.length > 1 && tool !== "docker";
  if (isList && !(await answers(run, tool, ["manifest", "rm", image], signal)))
    await answers(run, tool, ["rmi", image], signal);
  const name = [isList ? "--manifest" : "-t", image];
  await must(run, tool, ["build", ...plainHttp(tool, build), ...platform, ...name, "."], build);
}

/** Pushes an image, or the images of all platforms. @throws CommandError when the tool fails; it has said why */
export async function pushByTool(run: RunProgram, tool: ToolName, push: ToolTask): Promise<void> {
  const { image, signal } = push;
  const flags = plainHttp(tool, push);
  const isList = tool !== "docker" && (await answers(run, tool, ["manifest", "exists", image], signal));
  const args = isList
    ? ["manifest", "push", "--all", ...flags, image, `docker://${image}`]
    : ["push", ...flags, image];
  await must(run, tool, args, push);
}

function plainHttp(tool: ToolName, { insecure }: ToolTask): string[] {
  return insecure && tool !== "docker" ? ["--tls-verify=false"] : [];
}

async function must(
  run: RunProgram,
  tool: ToolName,
  args: readonly string[],
  options: { folder: string; output: Output; signal?: AbortSignal },
): Promise<void> {
  options.output.write(`${tool} ${args.join(" ")}\n`);
  const code = await run(tool, args, options);
  options.signal?.throwIfAborted();
  if (code !== 0) throw new CommandError(`${tool} ${args[0]} ended with code ${code}`);
}

/** Runs programs of this machine; one that is not installed ends with 127, as in a shell. */
export const runProgram: RunProgram = (program, args, { output, folder, environment, signal }) =>
  new Promise((resolve) => {
    const child = spawn(program, args, {
      ...(folder === undefined ? {} : { cwd: folder }),
      ...(environment === undefined ? {} : { env: { ...process.env, ...environment } }),
      ...(signal === undefined ? {} : { signal }),
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (chunk: Buffer) => output?.write(chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => output?.error(chunk.toString("utf8")));
    child.on("error", () => resolve(127));
    child.on("close", (code) => resolve(code ?? 1));
  });
