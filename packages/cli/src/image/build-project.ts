/** The image of a project, made and sent by bowline itself. */
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { type Clock, systemClock } from "@bowline/client";
import { CommandError, UsageError } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { newest } from "../project/program.ts";
import { type BaseImage, loadBase } from "./base-image.ts";
import { buildImage } from "./build-image.ts";
import { runProgram } from "./container-tool.ts";
import { baseOfDockerfile } from "./dockerfile.ts";
import type { ImageReference } from "./image-reference.ts";
import { type Platform, platformText } from "./manifest.ts";
import { OciLayout } from "./oci-layout.ts";
import { pushImage } from "./push-image.ts";
import type { RegistryAccess } from "./registry-client.ts";
import { keptCredentials } from "./registry-credentials.ts";

interface ImageTask {
  /** Of the project. */
  readonly folder: string;
  readonly reference: ImageReference;
  readonly insecure: boolean;
  readonly output: Output;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

export interface BuildTask extends ImageTask {
  readonly base?: string;
  readonly platforms: readonly Platform[];
}

/** Where bowline keeps the images that it has built, and the blobs of their bases. */
export function projectLayout(folder: string): OciLayout {
  return new OciLayout(path.join(folder, ".bowline", "image"));
}

/** @throws CommandError when the program or the base is missing */
export async function buildProject(task: BuildTask): Promise<void> {
  const { folder, output, reference } = task;
  const base = task.base ?? baseOfDockerfile(folder);
  if (base === undefined) {
    throw new UsageError(
      "there is no Dockerfile that says on which base image to build: name it with --base",
    );
  }
  await compileProgram(task);
  const layout = projectLayout(folder);
  const bases = await loadBase({ base, folder, platforms: task.platforms, layout, access: accessOf(task) });
  const image = buildImage(folder, bases, layout, output);
  layout.setName(reference.text, image);
  output.write(`base      ${base}\n`);
  output.write(`built     ${reference.text} ${image.digest} for ${bases.map(platformOf).join(", ")}\n`);
}

function platformOf({ config }: BaseImage): string {
  return platformText({ os: config.os, architecture: config.architecture });
}

/** Only when it is older than its sources. */
async function compileProgram({ folder, output, signal }: ImageTask): Promise<void> {
  const [main, sources] = [path.join(folder, "dist", "main.js"), path.join(folder, "src")];
  if (!existsSync(sources) || (existsSync(main) && statSync(main).mtimeMs >= newest(sources))) return;
  output.write("npm run build\n");
  const code = await runProgram("npm", ["run", "--silent", "build"], { folder, output, signal });
  signal.throwIfAborted();
  if (code !== 0) throw new CommandError(`npm run build ended with code ${code}`);
}

/** @throws CommandError as the registry refuses it */
export async function pushProject(task: ImageTask): Promise<void> {
  const { folder, reference, output } = task;
  const layout = projectLayout(folder);
  const image = layout.find(reference.text);
  if (image === undefined)
    throw new CommandError(`${reference.text} was not built here: run bowline build first`);
  await pushImage(reference, image, layout, accessOf(task));
  output.write(`pushed    ${reference.text} ${image.digest}\n`);
}

function accessOf({ insecure, output, signal, clock = systemClock }: ImageTask): RegistryAccess {
  return { credentials: keptCredentials(process.env), insecure, output, clock, signal };
}
