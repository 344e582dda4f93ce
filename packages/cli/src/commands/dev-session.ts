/** The operator of a project at work on an embedded cluster, with its samples. */
import path from "node:path";
import { type AnyCustomKind, type JsonObject, crdManifest, isCrdConditionTrue } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { type Client, createClient, systemClock } from "@bowline/client";
import { type Manager, type OperatorDefinition, createManager, silentLogger } from "@bowline/runtime";
import { waitFor } from "@bowline/testing";
import type { DevTarget } from "../dev/dev-target.ts";
import { ReconcileLog } from "../dev/reconcile-log.ts";
import { UsageError, messageOf } from "../errors.ts";
import type { LiveRow } from "../output/live-view.ts";
import { LiveView } from "../output/live-view.ts";
import type { Output } from "../output/output.ts";
import { type Project, loadProject, readSamples } from "../project.ts";
import { aborted } from "../stop-signal.ts";
import { sourceChanges } from "../project/source-changes.ts";
import { ObjectTree } from "./object-tree.ts";
import type { DevOptions } from "./run-dev.ts";

export type SessionOptions = Pick<DevOptions, "folder" | "samples" | "once" | "timeoutMs">;

/** What is to be done at points of a session. */
export interface DevHooks {
  /** Before an operator starts, also one that has changed. */
  beforeOperator?(operator: OperatorDefinition): Promise<void>;
}

/** What a session keeps from its start to its end. */
interface SessionParts {
  readonly target: DevTarget;
  readonly hooks: DevHooks;
  readonly client: Client;
  readonly samples: readonly JsonObject[];
  readonly options: SessionOptions;
  readonly output: Output;
  readonly view: LiveView;
  readonly log: ReconcileLog;
}

/** The operator as its sources are now. */
interface Running {
  readonly manager: Manager;
  readonly kinds: readonly AnyCustomKind[];
}

export class DevSession {
  readonly #parts: SessionParts;
  readonly #client: Client;
  readonly #samples: readonly JsonObject[];
  readonly #options: SessionOptions;
  readonly #output: Output;
  #running: Running;
  #tree: ObjectTree;
  #onTree: () => void = () => {};

  private constructor(parts: SessionParts, running: Running) {
    this.#parts = parts;
    this.#client = parts.client;
    this.#samples = parts.samples;
    this.#options = parts.options;
    this.#output = parts.output;
    this.#running = running;
    this.#tree = new ObjectTree(running.manager.cache, running.kinds);
  }

  /**
   * Installs the kinds, starts what the cluster needs and the operator.
   * @throws UsageError for a project without what was asked for
   */
  static async start(
    target: DevTarget,
    options: SessionOptions,
    output: Output,
    hooks: DevHooks = {},
  ): Promise<DevSession> {
    const project = await loadProject(options.folder);
    const samples = samplesOf(project, target, options);
    const client = createClient({
      transport: target.transport("bowline-dev"),
      fieldManager: "bowline-dev",
    });
    const kinds = await installKinds(client, project, output);
    await target.start();
    const view = new LiveView(output, () => systemClock.monotonic());
    const log = new ReconcileLog(systemClock, (line) => view.log(line));
    const parts = { target, hooks, client, samples, options, output, view, log };
    const manager = await startManager(parts, project);
    output.write(`${project.operator.name} runs\n`);
    return new DevSession(parts, { manager, kinds });
  }

  /** Shows the samples until they are ready (`once`) or the signal is aborted. Resolves with the exit code. */
  async follow(signal: AbortSignal): Promise<number> {
    const done = new AbortController();
    const both = AbortSignal.any([signal, done.signal]);
    const { view } = this.#parts;
    let ready = false;
    const becameReady = new Promise<boolean>((resolve) => {
      this.#onTree = (): void => {
        const rows = this.#tree.rows(this.#samples);
        view.show(rows);
        if (ready || !samplesReady(rows, this.#samples.length)) return;
        ready = true;
        resolve(true);
      };
      void aborted(both).then(() => resolve(false));
    });
    const timer = systemClock.setTimer(this.#options.timeoutMs, () => this.#options.once && done.abort());
    await this.#startTree();
    for (const sample of this.#samples) await this.#apply(sample);
    const restarts = this.#options.once ? undefined : this.#restartOnChange(signal);
    if (this.#samples.length === 0) this.#output.write("Ctrl-C stops it.\n");
    const inTime = await becameReady;
    timer.cancel();
    if (this.#options.once) return this.#finishOnce(inTime);
    if (inTime) this.#printHints();
    if (!signal.aborted) await aborted(signal);
    await restarts;
    this.#tree.stop();
    view.close();
    this.#output.write("stopping\n");
    return 0;
  }

  /** Stops the operator. */
  async close(): Promise<void> {
    await this.#running.manager.stop();
  }

  async #startTree(): Promise<void> {
    // a large cluster is not watched for nothing
    if (this.#samples.length === 0) return;
    this.#tree.onChange(() => this.#onTree());
    await this.#tree.start();
  }

  async #restartOnChange(signal: AbortSignal): Promise<void> {
    const sources = path.join(this.#options.folder, "src");
    for await (const _ of sourceChanges(sources, systemClock, signal)) {
      try {
        await this.#restart();
      } catch (error) {
        this.#parts.view.log(`not restarted: ${messageOf(error)}`);
      }
    }
  }

  /** A program that cannot be loaded, or kinds that are refused, leave the old one running. */
  async #restart(): Promise<void> {
    const project = await loadProject(this.#options.folder, { fresh: true });
    const kinds = await installKinds(this.#client, project, { write: () => {} });
    this.#tree.stop();
    await this.#running.manager.stop();
    const manager = await startManager(this.#parts, project);
    this.#running = { manager, kinds };
    this.#tree = new ObjectTree(manager.cache, kinds);
    await this.#startTree();
    this.#parts.view.log(`${project.operator.name} runs again, with what has changed`);
  }

  async #apply(sample: JsonObject): Promise<void> {
    const metadata = (sample["metadata"] ?? {}) as JsonObject;
    const object = { ...sample, metadata: { namespace: this.#parts.target.namespace, ...metadata } };
    const kind = { apiVersion: String(sample["apiVersion"]), kind: String(sample["kind"]) };
    await this.#client.apply(kind as never, object as never, { force: true });
  }

  #finishOnce(inTime: boolean): number {
    const rows = this.#tree.rows(this.#samples);
    this.#tree.stop();
    this.#parts.view.close();
    const main = rows.filter((row) => row.depth === 0).map((row) => `${row.name}  ${row.state}`);
    if (inTime) {
      this.#output.write(
        `ready after ${(systemClock.monotonic() / 1000).toFixed(2)} s: ${main.join(", ")}\n`,
      );
      return 0;
    }
    this.#output.error(`not ready after ${this.#options.timeoutMs / 1000} s:\n`);
    for (const row of rows.filter((r) => !r.done)) this.#output.error(`  ${row.name}  ${row.state}\n`);
    return 1;
  }

  #printHints(): void {
    const [sample] = this.#samples;
    const kind = this.#running.kinds.find((k) => k.kind === sample?.["kind"]);
    const resource = kind?.singular ?? "all";
    const name = String((sample?.["metadata"] as JsonObject | undefined)?.["name"] ?? "");
    this.#output.write(
      [
        "",
        "Try, in another terminal:",
        `  ${this.#parts.target.kubectlSetup}`,
        `  kubectl get ${kind?.plural ?? "all"}`,
        `  kubectl get deployments,pods`,
        `  kubectl explain ${resource}.spec`,
        `  kubectl patch ${resource} ${name} --type merge -p '{"spec":{"replicas":5}}'`,
        `  kubectl get pods -w`,
        `  kubectl delete ${resource} ${name}`,
        "",
        "Ctrl-C stops everything.",
        "",
      ].join("\n"),
    );
  }
}

function samplesOf(project: Project, target: DevTarget, options: SessionOptions): JsonObject[] {
  const isAsked = options.samples !== undefined || target.appliesSamples;
  const samples = isAsked ? readSamples(project.folder, options.samples) : [];
  if (samples.length === 0 && target.appliesSamples)
    throw new UsageError(`there is no sample in ${project.folder}/config/samples: name one with --sample`);
  if (samples.length === 0 && options.once)
    throw new UsageError("--once waits for samples: name them with --sample");
  return samples;
}

function samplesReady(rows: readonly LiveRow[], count: number): boolean {
  const samples = rows.filter((row) => row.depth === 0);
  return samples.length >= count && samples.every((row) => row.done);
}

/** With its webhooks and certificates of its own for them. */
async function startManager({ target, hooks, log }: SessionParts, { operator }: Project): Promise<Manager> {
  await hooks.beforeOperator?.(operator);
  const { webhookServer } = target;
  const manager = createManager({
    transport: log.transport(target.transport(operator.name)),
    name: operator.name,
    controllers: operator.controllers.map((controller) => log.observed(controller)),
    logger: silentLogger,
    webhooks: webhookServer !== false && (operator.webhooks ?? []),
    ...(webhookServer === false ? {} : { webhookServer }),
  });
  await manager.start();
  return manager;
}

async function installKinds(
  client: Client,
  project: Project,
  output: Pick<Output, "write">,
): Promise<AnyCustomKind[]> {
  const kinds: AnyCustomKind[] = [];
  for (const kind of project.operator.kinds) {
    const manifest = crdManifest(kind);
    const name = manifest.metadata.name ?? "";
    await client.apply(CustomResourceDefinition, manifest as never, { force: true });
    await waitFor(client, CustomResourceDefinition, name, {
      until: (crd) => crd !== undefined && isCrdConditionTrue(crd as never, "Established"),
      what: "be Established",
    });
    output.write(`customresourcedefinition ${name} installed\n`);
    kinds.push(...("versions" in kind ? kind.versions : [kind]));
  }
  return kinds;
}
