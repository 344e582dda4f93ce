import type { Command } from "commander";
import type { Output } from "../output/output.ts";
import type { DevOptions } from "./run-dev.ts";

/** `bowline dev`: the operator on an embedded cluster, with its samples, watched. */
export function addDevCommand(program: Command, output: Output, finish: (code: number) => void): void {
  program
    .command("dev")
    .description("run the operator of a project on an embedded cluster, and show how its samples come up")
    .argument("[folder]", "folder of the project", ".")
    .option("--port <number>", "port of the API server; 0 takes a free one", "0")
    .option("--kubeconfig <file>", "where to write the kubeconfig", ".bowline/kubeconfig")
    .option("--sample <file...>", "objects to apply instead of config/samples/*.yaml")
    .option("--once", "exit as soon as the samples are ready; 1 when they are not in time", false)
    .option("--timeout <seconds>", "how long --once waits", "60")
    .action(async (folder: string, options: Record<string, unknown>) => {
      // loaded only now: other commands need no cluster
      const { runDev } = await import("./run-dev.ts");
      finish(await runDev({ folder, ...parse(options) }, output));
    });
}

function parse(options: Record<string, unknown>): Omit<DevOptions, "folder"> {
  return {
    port: Number(options["port"]),
    kubeconfig: String(options["kubeconfig"]),
    once: options["once"] === true,
    timeoutMs: Number(options["timeout"]) * 1000,
    ...(options["sample"] === undefined ? {} : { samples: options["sample"] as string[] }),
  };
}
