/** Keeps what the embedded cluster of a folder holds in a file, and puts it back. */
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { isStatusError } from "@bowline/api";
import { type Transport, createHttpTransport, isConnectionError, loadConnection } from "@bowline/client";
import { CommandError, UsageError, messageOf } from "../errors.ts";
import type { Output } from "../output/output.ts";
import { runningCluster } from "./cluster-state.ts";

const endpoint = "/bowline/snapshot";

/** Writes the file whole or not at all; only its owner may read it, for it holds all secrets. */
export async function snapshotBackground(folder: string, file: string, output: Output): Promise<void> {
  const full = path.resolve(folder, file);
  const chunks: Uint8Array[] = [];
  await withRunning(folder, async (transport) => {
    for await (const chunk of await transport.stream({ method: "GET", path: endpoint })) chunks.push(chunk);
  });
  const bytes = Buffer.concat(chunks);
  await writeWhole(full, bytes).catch((error: unknown) => {
    throw new CommandError(`${file} cannot be written: ${messageOf(error)}`, { cause: error });
  });
  output.write(`everything the cluster holds is in ${file} (${Math.ceil(bytes.length / 1024)} KiB)\n`);
}

/** What the cluster says of a file that is no good stands behind the file's name; nothing has changed then. */
export async function restoreBackground(folder: string, file: string, output: Output): Promise<void> {
  const body = await readFile(path.resolve(folder, file)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`${file} does not exist`);
    throw new CommandError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  });
  const headers = { "content-type": "application/gzip" };
  const difference = await withRunning(folder, async (transport) => {
    const answer = await transport.request({ method: "PUT", path: endpoint, headers, body });
    return answer.body as { readonly written: number; readonly deleted: number };
  }).catch((error: unknown) => {
    if (!isStatusError(error)) throw error;
    throw new CommandError(`${file}: ${error.message}`, { cause: error });
  });
  const { written, deleted } = difference;
  output.write(`the cluster is as in ${file}: ${written} objects written, ${deleted} deleted\n`);
}

async function withRunning<T>(folder: string, work: (transport: Transport) => Promise<T>): Promise<T> {
  const state = runningCluster(folder);
  if (state === undefined) throw new UsageError("no cluster runs here: bowline cluster start");
  const connection = await loadConnection({ kubeconfig: state.kubeconfig });
  const transport = createHttpTransport(connection, { userAgent: "bowline" });
  try {
    return await work(transport);
  } catch (error) {
    if (!isConnectionError(error)) throw error;
    throw new CommandError(`the cluster at ${state.url} does not answer: ${messageOf(error)}`, {
      cause: error,
    });
  } finally {
    await transport.close();
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const beside = `${file}.${process.pid}`;
  try {
    await writeFile(beside, bytes, { mode: 0o600, flag: "wx" });
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
