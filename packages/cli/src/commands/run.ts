import type { Command } from "commander";
import { type ClusterFlags, withClusterFlags } from "../connection.ts";
import type { CommandContext } from "./context.ts";

/** `bowline run`: the operator on this machine. */
export function addRunCommand(program: Command, context: CommandContext): void {
  withClusterFlags(
    program
      .command("run")
      .description(
        "run the operator on this machine, against the cluster of the kubeconfig or an embedded one",
      )
      .option("--embedded", "start an embedded cluster for it, with the CRDs installed")
      .allowUnknownOption()
      .argument("[flags...]", "flags of the manager, after --: --leader-elect, --metrics-bind-address=:8080"),
  ).action(async (args: string[], flags: ClusterFlags & { embedded?: boolean }) => {
    const { runProject } = await import("./run-project.ts");
    await runProject(context.workingFolder, { args, ...flags }, context.output);
  });
}
