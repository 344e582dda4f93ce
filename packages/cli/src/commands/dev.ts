import type { Command } from "commander";
import { UsageError } from "../errors.ts";
import type { CommandContext } from "./context.ts";

interface Flags {
  readonly port?: string;
  readonly kubeconfig?: string;
  readonly sample?: string[];
  readonly once: boolean;
  readonly timeout: string;
  readonly context?: string;
  readonly yes: boolean;
  readonly takeover?: string | true;
  readonly webhookHost?: string;
}

/** `bowline dev`: the operator on an embedded cluster with its samples, or on the cluster of a context, watched. */
export function addDevCommand(program: Command, { output, ask, finish }: CommandContext): void {
  program
    .command("dev")
    .description("run the operator of a project, restarted when it changes, and show what it does")
    .argument("[folder]", "folder of the project", ".")
    .option("--port <number>", "port of the embedded API server; 0 takes a free one (default: 0)")
    .option(
      "--kubeconfig <file>",
      "where to write the kubeconfig of the embedded cluster (default: .bowline/kubeconfig); with --context the file to read",
    )
    .option("--sample <file...>", "objects to apply instead of config/samples/*.yaml")
    .option("--once", "exit as soon as the samples are ready; 1 when they are not in time", false)
    .option("--timeout <seconds>", "how long --once waits", "60")
    .option(
      "--context <name>",
      "run in the cluster of this context of the kubeconfig; applies no samples but those named",
    )
    .option("--yes", "do not ask whether the context is the right one", false)
    .option(
      "--takeover [lease]",
      "make the deployed operator stand by: borrow its lease (NAMESPACE/NAME; default: that of bowline deploy), and give it back",
    )
    .option(
      "--webhook-host <host>",
      "HOST or HOST:PORT at which the API server of the context reaches this machine (port: 9443)",
    )
    .action(async (folder: string, flags: Flags) => {
      const common = {
        folder,
        once: flags.once,
        timeoutMs: Number(flags.timeout) * 1000,
        ...(flags.sample === undefined ? {} : { samples: flags.sample }),
      };
      // loaded only now: other commands need no cluster
      const { checkOptions, runDev } = await import("./run-dev.ts");
      const { context, kubeconfig, port } = flags;
      checkOptions({ port: Number(port ?? 0), timeoutMs: common.timeoutMs });
      if (context === undefined) {
        checkEmbedded(flags);
        const file = kubeconfig ?? ".bowline/kubeconfig";
        return finish(await runDev({ ...common, port: Number(port ?? 0), kubeconfig: file }, output));
      }
      if (port !== undefined) throw new UsageError("--port is of the embedded cluster: not with --context");
      const { runDevOnContext } = await import("./run-dev-on-context.ts");
      const { yes, takeover, webhookHost } = flags;
      finish(
        await runDevOnContext({ ...common, context, kubeconfig, yes, takeover, webhookHost }, output, ask),
      );
    });
}

/** @throws UsageError for a flag that says nothing about an embedded cluster */
function checkEmbedded({ takeover, webhookHost }: Flags): void {
  if (takeover !== undefined)
    throw new UsageError("--takeover needs --context: nothing is deployed on the embedded cluster");
  if (webhookHost !== undefined) throw new UsageError("--webhook-host needs --context");
}
