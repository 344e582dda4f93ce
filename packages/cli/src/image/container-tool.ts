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

export interface ToolBuild {
  readonly folder: string;
  readonly image: string;
  /** `linux/amd64`; several need a tool that builds for several. */
  readonly platforms: readonly string[];
  readonly output: Output;
  readonly signal?: AbortSignal;
}

/** Builds by the Dockerfile of the project. @throws CommandError when the tool fails; it has said why */
export async function buildByTool(run: RunProgram, tool: ToolName, build: ToolBuild): Promise<void> {
  const platform = build.platforms.length === 0 ? [] : ["--platform", build.platforms.join(",")];
  await must(run, tool, ["build", ...platform, "-t", build.image, "."], build);
}

/** @throws CommandError when the tool fails; it has said why */
export async function pushByTool(
  run: RunProgram,
  tool: ToolName,
  push: Omit<ToolBuild, "platforms"> & { readonly insecure: boolean },
): Promise<void> {
  const flags = push.insecure && tool !== "docker" ? ["--tls-verify=false"] : [];
  await must(run, tool, ["push", ...flags, push.image], push);
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
