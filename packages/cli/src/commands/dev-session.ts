/** The operator of a project at work on an embedded cluster, with its samples. */
import { type AnyCustomKind, type JsonObject, crdManifest, isCrdConditionTrue } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { type Client, createClient, systemClock } from "@bowline/client";
import type { Cluster } from "@bowline/cluster";
import { type Manager, createManager, silentLogger } from "@bowline/runtime";
import { waitFor } from "@bowline/testing";
import { UsageError } from "../errors.ts";
import type { LiveRow } from "../output/live-view.ts";
import { LiveView } from "../output/live-view.ts";
import type { Output } from "../output/output.ts";
import { type Project, loadProject, readSamples } from "../project.ts";
import { ObjectTree } from "./object-tree.ts";
import type { DevOptions } from "./run-dev.ts";

export class DevSession {
  readonly #client: Client;
  readonly #manager: Manager;
  readonly #samples: readonly JsonObject[];
  readonly #kinds: readonly AnyCustomKind[];
  readonly #options: DevOptions;
  readonly #output: Output;

  private constructor(parts: {
    client: Client;
    manager: Manager;
    samples: readonly JsonObject[];
    kinds: readonly AnyCustomKind[];
    options: DevOptions;
    output: Output;
  }) {
    this.#client = parts.client;
    this.#manager = parts.manager;
    this.#samples = parts.samples;
    this.#kinds = parts.kinds;
    this.#options = parts.options;
    this.#output = parts.output;
  }

  /** Installs the kinds, starts the control plane and the operator, applies the samples. */
  static async start(cluster: Cluster, options: DevOptions, output: Output): Promise<DevSession> {
    const project = await loadProject(options.folder);
    const samples = readSamples(project.folder, options.samples);
    if (samples.length === 0)
      throw new UsageError(`there is no sample in ${project.folder}/config/samples: name one with --sample`);
    const client = createClient({
      transport: cluster.transport({ userAgent: "bowline-dev" }),
      fieldManager: "bowline-dev",
    });
    const kinds = await installKinds(client, project, output);
    await cluster.startControllers();
    const { operator } = project;
    const manager = createManager({
      transport: cluster.transport({ userAgent: operator.name }),
      name: operator.name,
      controllers: operator.controllers,
      logger: silentLogger,
      webhooks: false,
    });
    await manager.start();
    output.write(`${operator.name} runs\n`);
    return new DevSession({ client, manager, samples, kinds, options, output });
  }

  /** Shows the samples until they are ready (`once`) or the signal is aborted. Resolves with the exit code. */
  async follow(signal: AbortSignal): Promise<number> {
    const done = new AbortController();
    const both = AbortSignal.any([signal, done.signal]);
    const view = new LiveView(this.#output, () => systemClock.monotonic());
    const tree = new ObjectTree(this.#manager.cache, this.#kinds);
    let ready = false;
    const becameReady = new Promise<boolean>((resolve) => {
      const update = (): void => {
        const rows = tree.rows(this.#samples);
        view.show(rows);
        if (ready || !samplesReady(rows, this.#samples.length)) return;
        ready = true;
        resolve(true);
      };
      tree.onChange(update);
      both.addEventListener("abort", () => resolve(false), { once: true });
    });
    await tree.start();
    for (const sample of this.#samples) await this.#apply(sample);
    const timer = systemClock.setTimer(this.#options.timeoutMs, () => this.#options.once && done.abort());
    const inTime = await becameReady;
    timer.cancel();
    if (this.#options.once) return this.#finishOnce(inTime, tree);
    if (inTime) this.#printHints();
    if (!signal.aborted) await aborted(signal);
    tree.stop();
    this.#output.write("stopping\n");
    return 0;
  }

  /** Stops the operator. */
  async close(): Promise<void> {
    await this.#manager.stop();
  }

  async #apply(sample: JsonObject): Promise<void> {
    const metadata = (sample["metadata"] ?? {}) as JsonObject;
    const object = { ...sample, metadata: { namespace: "default", ...metadata } };
    const kind = { apiVersion: String(sample["apiVersion"]), kind: String(sample["kind"]) };
    await this.#client.apply(kind as never, object as never, { force: true });
  }

  #finishOnce(inTime: boolean, tree: ObjectTree): number {
    const rows = tree.rows(this.#samples);
    tree.stop();
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
    const kind = this.#kinds.find((k) => k.kind === sample?.["kind"]);
    const resource = kind?.singular ?? "all";
    const name = String((sample?.["metadata"] as JsonObject | undefined)?.["name"] ?? "");
    this.#output.write(
      [
        "",
        "Try, in another terminal:",
        `  export KUBECONFIG=${this.#options.kubeconfig}`,
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

function samplesReady(rows: readonly LiveRow[], count: number): boolean {
  const samples = rows.filter((row) => row.depth === 0);
  return samples.length >= count && samples.every((row) => row.done);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function installKinds(client: Client, project: Project, output: Output): Promise<AnyCustomKind[]> {
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
