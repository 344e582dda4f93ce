import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { encodeYaml } from "@bowline/api";
import type { RecordedRequest } from "@bowline/cluster";
import type { Command } from "commander";
import { CommandError, UsageError } from "../errors.ts";
import type { DeploymentModel } from "../manifests/model.ts";
import { stopSignal } from "../stop-signal.ts";
import type { CommandContext } from "./context.ts";

interface Flags {
  readonly record?: boolean;
  readonly tests?: boolean;
  readonly audit?: string;
  readonly user?: string;
  readonly userAgent?: string;
  readonly resourceNames?: boolean;
  readonly check?: boolean;
}

/** `bowline rbac`: what the operator may do, and what it needs. */
export function addRbacCommand(program: Command, context: CommandContext): void {
  program
    .command("rbac")
    .description(
      "print the operator's role; or what it needs, from requests that were recorded, beside what it declares",
    )
    .option("--record", "run the operator here with its samples, on a cluster of its own")
    .option("--tests", "run npm test, and take the requests that the operator makes in the tests")
    .option("--audit <file>", "take an audit log: of bowline cluster start --audit, or of another API server")
    .option("--user <name>", "for --audit: only requests of this user")
    .option(
      "--user-agent <start>",
      "for --audit: only requests of this program; default: the name of the operator",
    )
    .option("--resource-names", "limit access to single objects to the names that were seen")
    .option("--check", "exit code 1 also when something declared is not used")
    .action((flags: Flags) => rbac(flags, context));
}

async function rbac(flags: Flags, context: CommandContext): Promise<void> {
  const sources = [flags.record === true, flags.tests === true, flags.audit !== undefined];
  if (sources.filter(Boolean).length > 1)
    throw new UsageError("one of --record, --tests and --audit at a time");
  const [{ projectModel }, reports] = await Promise.all([
    import("../manifests/project-model.ts"),
    import("../rbac/permission-report.ts"),
  ]);
  const model = await projectModel(context.workingFolder);
  if (!sources.includes(true)) {
    context.output.write(encodeYaml(reports.declaredRole(model) as never));
    return;
  }
  const requests = await recorded(model, flags, context);
  if (requests.length === 0) {
    throw new CommandError(
      `no request of ${flags.user ?? flags.userAgent ?? model.operator.name} was recorded`,
    );
  }
  const report = reports.permissionReport(model, requests, { resourceNames: flags.resourceNames === true });
  context.output.write(reports.reportText(report));
  if (report.missing.length > 0) {
    throw new CommandError("permissions are missing: add them to `permissions` in the operator's definition");
  }
  if (flags.check === true && report.unused.length > 0) {
    throw new CommandError("permissions are declared that nothing has used");
  }
}

async function recorded(
  model: DeploymentModel,
  flags: Flags,
  context: CommandContext,
): Promise<readonly RecordedRequest[]> {
  const folder = context.workingFolder;
  if (flags.record === true) {
    const [{ recordRun }, { readSamples }] = await Promise.all([
      import("../rbac/record-run.ts"),
      import("../project.ts"),
    ]);
    return recordRun(model.operator, readSamples(folder));
  }
  const { requestsInLog } = await import("../rbac/audit-log.ts");
  if (flags.tests === true)
    return inTests(folder, context, (file) => requestsInLog(file, { userAgent: model.operator.name }));
  const file = path.resolve(folder, flags.audit ?? "");
  if (!existsSync(file)) throw new UsageError(`${flags.audit} does not exist`);
  const byAgent = flags.user === undefined || flags.userAgent !== undefined;
  return requestsInLog(file, {
    ...(flags.user === undefined ? {} : { user: flags.user }),
    ...(byAgent ? { userAgent: flags.userAgent ?? model.operator.name } : {}),
  });
}

/** Test clusters append to the file that BOWLINE_AUDIT names. */
async function inTests<T>(folder: string, { output }: CommandContext, read: (file: string) => T): Promise<T> {
  const { runProgram } = await import("../image/container-tool.ts");
  const scratch = mkdtempSync(path.join(os.tmpdir(), "bowline-audit-"));
  const stop = stopSignal();
  try {
    const file = path.join(scratch, "audit.log");
    const environment = { BOWLINE_AUDIT: file };
    const quiet = {
      ...output,
      write: (text: string) => output.error(text),
      error: (text: string) => output.error(text),
    };
    const code = await runProgram("npm", ["test"], {
      folder,
      environment,
      output: quiet,
      signal: stop.signal,
    });
    if (code !== 0)
      throw new CommandError(`npm test ended with code ${code}: what was recorded is not whole`);
    if (!existsSync(file))
      throw new CommandError("no test has started a cluster with startCluster of @bowline/testing");
    return read(file);
  } finally {
    stop.dispose();
    rmSync(scratch, { recursive: true, force: true });
  }
}
