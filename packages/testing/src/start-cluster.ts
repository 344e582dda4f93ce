import { appendFileSync } from "node:fs";
import { type AnyCustomKind, type Crd, crdManifest, isCrdConditionTrue } from "@bowline/api";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import {
  type Client,
  type Clock,
  type Random,
  type Transport,
  VirtualClock,
  createClient,
  settle,
} from "@bowline/client";
import { type Cluster, type ClusterOptions, type ServiceResolver, createCluster } from "@bowline/cluster";
import {
  type Logger,
  type Manager,
  type OperatorDefinition,
  type Permission,
  createManager,
  operatorPermissions,
  silentLogger,
} from "@bowline/runtime";
import { grantPermissions } from "./grant-permissions.ts";
import { InProcessWebhooks } from "./in-process-webhooks.ts";
import { waitFor } from "./wait-for.ts";

export interface StartClusterOptions extends ClusterOptions {
  /** Custom kinds to install before `startCluster` resolves. */
  readonly kinds?: readonly (AnyCustomKind | Crd)[];
}

export interface RunOptions {
  /**
   * True: the operator's webhooks are served on a free port of this machine, and the cluster calls them: defaults, refusals
   * and conversions are as on a real cluster. On virtual time, which does not wait for a connection, they are asked within this
   * process, until the cluster is closed. False: they are not served. Default: true for an operator that has some.
   */
  readonly webhooks?: boolean;
  /**
   * What the operator may do. Default `declared`: what follows from its controllers and its declared permissions, which is
   * what `generate` writes into its role, so that a permission that is missing fails the test and not the deployment.
   * `all`: everything, for a test that is not about that.
   */
  readonly permissions?: "declared" | "all" | readonly Permission[];
  /** Default: no log. */
  readonly logger?: Logger;
}

/** A cluster of a test's own: nothing is shared with other tests, and nothing but webhooks is listened on. */
export interface TestCluster extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly transport: Transport;
  /** Creates the CustomResourceDefinitions and waits until the kinds are served. */
  install(...kinds: readonly (AnyCustomKind | Crd)[]): Promise<void>;
  /** Runs an operator in the cluster until the cluster is closed or its manager is stopped. Its kinds are installed first. */
  run(operator: OperatorDefinition, options?: RunOptions): Promise<Manager>;
  /**
   * Moves a cluster on virtual time (`startCluster({ clock: new VirtualClock() })`), with everything that happens on the way
   * and all that follows at once. 0: only lets everything settle that needs no time.
   * @throws Error when the cluster runs on another clock
   */
  advance(milliseconds: number): Promise<void>;
  /** Stops everything. Safe to call twice. */
  close(): Promise<void>;
}

/** Long ways are gone in so many steps, short ones second by second: what a step causes is done before the next. */
const stepsMax = 600;
/** So many turns of the event loop are enough for everything that needs no time. */
const patienceTurns = 100;

/**
 * Starts an isolated cluster in this process, in milliseconds.
 * ```ts
 * await using test = await startCluster({ kinds: [Application] });
 * await test.client.create(Application, { metadata: { name: "a", namespace: "default" }, spec: { image: "nginx" } });
 * ```
 */
export async function startCluster(options: StartClusterOptions = {}): Promise<TestCluster> {
  const { kinds = [], ...rest } = options;
  const served = new InProcessWebhooks();
  const resolveService: ServiceResolver = (service) => served.find(service) ?? rest.resolveService?.(service);
  const cluster = await createCluster({ ...auditFromEnvironment(), ...rest, resolveService });
  const test = new RunningTestCluster(cluster, options, served);
  await test.install(...kinds);
  return test;
}

/** BOWLINE_AUDIT names a file: all test clusters append their requests, from which `bowline rbac --tests` derives a role. */
function auditFromEnvironment(): Pick<ClusterOptions, "audit"> {
  const file = process.env["BOWLINE_AUDIT"];
  if (file === undefined || file === "") return {};
  return { audit: (line) => appendFileSync(file, `${line}\n`) };
}

class RunningTestCluster implements TestCluster {
  readonly cluster: Cluster;
  readonly client: Client;
  readonly transport: Transport;
  readonly #ports: { readonly clock?: Clock; readonly random?: Random };
  readonly #managers: Manager[] = [];
  readonly #served: InProcessWebhooks;

  constructor(cluster: Cluster, options: ClusterOptions, served: InProcessWebhooks) {
    this.cluster = cluster;
    this.#served = served;
    this.#ports = {
      ...(options.clock === undefined ? {} : { clock: options.clock }),
      ...(options.random === undefined ? {} : { random: options.random }),
    };
    this.transport = cluster.transport({ userAgent: "test" });
    this.client = createClient({ transport: this.transport, fieldManager: "test", ...this.#ports });
  }

  async install(...kinds: readonly (AnyCustomKind | Crd)[]): Promise<void> {
    await this.#inTime(Promise.all(kinds.map((kind) => installKind(this.client, kind))));
  }

  async run(operator: OperatorDefinition, options: RunOptions = {}): Promise<Manager> {
    await this.install(...operator.kinds);
    const { permissions = "declared", logger = silentLogger } = options;
    const isVirtual = this.#ports.clock instanceof VirtualClock;
    const { webhooks = (operator.webhooks ?? []).length > 0 } = options;
    if (webhooks && isVirtual) await this.#inTime(this.#served.serve(operator, this.client, this.#ports));
    const granted = permissions === "declared" ? operatorPermissions(operator) : permissions;
    const rules = granted === "all" || !webhooks ? granted : [...granted, ...registering];
    const user = rules === "all" ? {} : { user: await grantPermissions(this.client, operator.name, rules) };
    const manager = createManager({
      transport: this.cluster.transport({ ...user, userAgent: operator.name }),
      name: operator.name,
      controllers: operator.controllers,
      logger,
      webhooks: webhooks && !isVirtual ? (operator.webhooks ?? []) : false,
      webhookServer: { address: "127.0.0.1:0" },
      ...this.#ports,
    });
    this.#managers.push(manager);
    await this.#inTime(manager.start());
    return manager;
  }

  async advance(milliseconds: number): Promise<void> {
    const { clock } = this.#ports;
    if (!(clock instanceof VirtualClock))
      throw new Error("only virtual time can be moved: startCluster({ clock: new VirtualClock() })");
    const stepMs = Math.max(1000, milliseconds / stepsMax);
    const end = clock.now() + milliseconds;
    await quiet();
    while (clock.now() < end) {
      await clock.advance(Math.min(stepMs, end - clock.now()));
      await quiet();
    }
  }

  async close(): Promise<void> {
    await this.#inTime(Promise.all(this.#managers.map((manager) => manager.stop())));
    await this.#inTime(this.cluster.close());
  }

  /** On virtual time: fires what is due now until the work is done; only when nothing is left to do does time pass. */
  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock } = this.#ports;
    if (!(clock instanceof VirtualClock)) return work;
    let isDone = false;
    const ended = work.finally(() => {
      isDone = true;
    });
    ended.catch(() => {});
    for (let turn = 1; !isDone; turn++) {
      const { nextAt = clock.now() } = clock;
      await clock.advance(turn % patienceTurns === 0 ? Math.max(0, nextAt - clock.now()) : 0);
    }
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** What a manager needs to keep its certificate and to tell the API server whom to call; deployments have it, too. */
const registering: readonly Permission[] = [
  { apiGroups: [""], resources: ["secrets"], verbs: ["create", "get", "update"] },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: ["create", "delete", "get", "patch"],
  },
  {
    apiGroups: ["apiextensions.k8s.io"],
    resources: ["customresourcedefinitions"],
    verbs: ["get", "patch"],
  },
];

/** A request in this process takes several turns, and what it causes takes more. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settle();
}

async function installKind(client: Client, kind: AnyCustomKind | Crd): Promise<void> {
  const manifest = crdManifest(kind);
  await client.apply(CustomResourceDefinition, manifest as never, { fieldManager: "bowline", force: true });
  await waitFor(client, CustomResourceDefinition, manifest.metadata.name ?? "", {
    until: (crd) => crd !== undefined && isCrdConditionTrue(crd as never, "Established"),
    what: "be Established",
  });
}
