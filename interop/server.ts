/**
 * The server that the clients talk to: one embedded cluster in a process of its own, so that a client cannot share
 * anything with it but the wire.
 *
 *     node tools/run.mjs interop/server.ts KUBECONFIG
 *
 * It writes the administrator's kubeconfig, prints `ready URL`, and ends when its standard input does. What goes wrong
 * inside the cluster is a line on stderr.
 */
import { writeFileSync } from "node:fs";
import { createCluster } from "@bowline/cluster";

export async function main(args: readonly string[]): Promise<number> {
  const [file] = args;
  if (file === undefined) {
    process.stderr.write("usage: node tools/run.mjs interop/server.ts KUBECONFIG\n");
    return 2;
  }
  const cluster = await createCluster({ nodes: 2 });
  const listening = await cluster.listen();
  writeFileSync(file, listening.kubeconfig, { mode: 0o600 });
  process.stdout.write(`ready ${listening.url}\n`);
  await ended(process.stdin);
  await cluster.close();
  return 0;
}

function ended(stream: NodeJS.ReadStream): Promise<void> {
  return new Promise((resolve) => {
    stream.once("end", resolve);
    stream.once("close", resolve);
    stream.resume();
  });
}
