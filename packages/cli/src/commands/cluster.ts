import type { Command } from "commander";
import type { CommandContext } from "./context.ts";

/** Flags of the commands about the embedded cluster. */
export interface EmbeddedFlags {
  readonly port: string;
  readonly data?: string;
  readonly audit?: string;
  readonly stages?: string;
  readonly kubeconfig: string;
  readonly nodes: string;
}

/** `bowline cluster start|stop|status|kubeconfig|snapshot|restore`: an embedded cluster in a process of its own. */
export function addClusterCommand(program: Command, context: CommandContext): void {
  const cluster = program
    .command("cluster")
    .description("an embedded cluster that stays when the command has ended");
  const service = () => import("../embedded/background-cluster.ts");
  const withFlags = (command: Command): Command =>
    command
      .option("--port <number>", "port of the API server; 0 takes a free one", "0")
      .option("--data <folder>", "keep everything in this folder; default: in memory")
      .option("--audit <file>", "append a line of JSON per request: who did what")
      .option("--stages <file>", "kwok Stages (YAML) that say what becomes of pods and nodes")
      .option("--kubeconfig <file>", "where to write the kubeconfig", ".bowline/kubeconfig")
      .option("--nodes <count>", "simulated nodes", "1");
  withFlags(cluster.command("start").description("start it, unless it runs")).action(
    async (flags: EmbeddedFlags) =>
      (await service()).startBackground(context.workingFolder, flags, context.output),
  );
  cluster
    .command("stop")
    .description("stop it")
    .action(async () => (await service()).stopBackground(context.workingFolder, context.output));
  cluster
    .command("status")
    .description("say whether it runs, and where; exit code 1 when it does not")
    .action(async () =>
      context.finish(await (await service()).statusOfBackground(context.workingFolder, context.output)),
    );
  cluster
    .command("kubeconfig")
    .description("print its kubeconfig")
    .action(async () => (await service()).printKubeconfig(context.workingFolder, context.output));
  const snapshots = () => import("../embedded/snapshot-file.ts");
  cluster
    .command("snapshot <file>")
    .description("keep everything it holds in a file")
    .action(async (file: string) =>
      (await snapshots()).snapshotBackground(context.workingFolder, file, context.output),
    );
  cluster
    .command("restore <file>")
    .description("put it back, while it runs, to what a snapshot holds")
    .action(async (file: string) =>
      (await snapshots()).restoreBackground(context.workingFolder, file, context.output),
    );
  withFlags(cluster.command("serve", { hidden: true })).action(async (flags: EmbeddedFlags) => {
    const { serveCluster } = await import("../embedded/serve-cluster.ts");
    await serveCluster(context.workingFolder, flags);
  });
}
