/** Kubernetes in one process: the one place that knows all of its parts. */
import { type ApiResource, deepFreeze } from "@bowline/api";
import { type Clock, type Random, type Transport, systemClock, systemRandom, turn } from "@bowline/client";
import { AdmissionChain } from "./registry/admission.ts";
import { AccessControl, type AuthorizationMode } from "./access/access-control.ts";
import { authenticated } from "./access/authentication.ts";
import type { RecordingFilter, RequestRecording } from "./access/request-recorder.ts";
import {
  type ClusterCertificates,
  createClusterCertificates,
  isFor,
  issueClientCertificate,
  issueServerCertificate,
} from "./access/cluster-certificates.ts";
import { keptCertificates } from "./access/kept-certificates.ts";
import { kubeconfigOf } from "./access/kubeconfig.ts";
import { AdmissionControl, type AdmissionPlugins } from "./access/admission/admission-control.ts";
import { conversionWebhook } from "./access/webhook/conversion-webhook.ts";
import type { ServiceResolver } from "./access/webhook/webhook-client.ts";
import { type UserInfo, adminUser } from "./registry/user.ts";
import type { ControlPlane } from "./control-plane.ts";
import type { MetricScript } from "./controllers/autoscaler/metric-source.ts";
import type { ImageBehaviors } from "./nodes/image-behavior.ts";
import type { SimulatedNodeOptions } from "./nodes/simulated-node.ts";
import type { Stage } from "./nodes/stages/stage.ts";
import type { SimulatedNodes } from "./nodes/simulated-nodes.ts";
import { ApiServiceRegistrar } from "./registry/api-services.ts";
import { builtinCatalog } from "./registry/builtin/catalog.ts";
import { CrdController } from "./registry/custom-resource-definitions.ts";
import { type WriteContext, createObject } from "./registry/generic-registry.ts";
import { ResourceCatalog } from "./registry/resource-catalog.ts";
import { ApiServer } from "./server/api-server.ts";
import { HttpServer } from "./server/http-server.ts";
import { metricsResources } from "./server/usage-metrics.ts";
import { createInProcessTransport } from "./server/in-process-transport.ts";
import type { HistoryPolicy } from "./store/bucket.ts";
import type { StoredObject } from "./store/revision.ts";
import type { Journal } from "./store/journal.ts";
import { Store, type StoreSnapshot } from "./store/store.ts";

export interface ClusterOptions {
  /** Default: the system's. A virtual one makes the whole cluster stand still until it is moved. */
  readonly clock?: Clock;
  readonly random?: Random;
  /** How much history watches and exact lists can go back to. */
  readonly history?: Partial<HistoryPolicy>;
  /**
   * False: only the API server, as in envtest: no controllers, no nodes, so that nothing but the test changes objects.
   * Default true.
   */
  readonly controllers?: boolean;
  /** Simulated nodes: how many, or which. Default 1. */
  readonly nodes?: number | readonly SimulatedNodeOptions[];
  /** What containers do, by image. Default: they run, are ready at once, and end when they are told to. */
  readonly images?: ImageBehaviors;
  /**
   * kwok's stages, which say what becomes of objects of any kind. Stages for pods take the place of `images`: such pods have no
   * logs and run no commands.
   */
  readonly stages?: readonly Stage[];
  /** Default `RBAC`: who is not allowed gets 403. `AlwaysAllow` lets everybody do everything. */
  readonly authorization?: AuthorizationMode;
  /** Switches single admission plug-ins on or off, by the names of a real server's flags. */
  readonly admission?: AdmissionPlugins;
  /** Where the service that a webhook configuration names is reached. Default: nowhere. */
  readonly resolveService?: ServiceResolver;
  /** Fixed bearer tokens and whose they are. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** Hears of every answered request: one line of JSON each (audit.k8s.io/v1 Event, level Metadata). */
  readonly audit?: (line: string) => void;
  /** What containers use and what other metrics say, for autoscalers and `kubectl top`. */
  readonly metrics?: MetricScript;
  /** From bound to running for images that do not say, milliseconds. Default 0. */
  readonly podStartDelayMs?: number;
  /**
   * A folder in which everything is kept: whatever was answered survives the end of the process. Made when it does not
   * exist. Needs the package `lmdb`. Default: nothing is kept.
   */
  readonly data?: string;
  /** Hears of errors inside the cluster; each is a bug of ours. Default: a line on stderr. */
  readonly onError?: (error: unknown) => void;
}

export interface ListenOptions {
  /** Default `127.0.0.1`: reachable from this machine only. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** True: plain HTTP without certificates. Default false. */
  readonly plainHttp?: boolean;
}

/** Where a cluster listens, and how to reach it. */
export interface Listening {
  /** `https://127.0.0.1:40123`. */
  readonly url: string;
  readonly port: number;
  /** A kubeconfig of the administrator, YAML text. */
  readonly kubeconfig: string;
  /** A kubeconfig of another user: with a client certificate, or a token over plain HTTP. */
  kubeconfigFor(user: UserInfo): string;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** PEM of the authority that signed the server's certificate; undefined for plain HTTP. */
  readonly certificateAuthority: string | undefined;
  close(): Promise<void>;
}

/** An API server with its store. Make one with `createCluster`. */
export interface Cluster {
  /** A transport into this process's server. @param user default the administrator */
  transport(options?: { readonly user?: UserInfo; readonly userAgent?: string }): Transport;
  /** Opens it to the network. @throws ListenError */
  listen(options?: ListenOptions): Promise<Listening>;
  /** Starts controllers and nodes of a cluster that was made without them. Does nothing when they run. */
  startControllers(): Promise<void>;
  /** Notes every request from now on, for deriving the permissions that a program needs (see `leastPrivilege`). */
  recordRequests(filter?: RecordingFilter): RequestRecording;
  /** The simulated nodes: add one, let one fail. @throws Error on a cluster without controllers */
  readonly nodes: SimulatedNodes;
  /** Forgets the history up to now, so that older watches and continue tokens get 410 Expired. */
  compact(): void;
  /** What is stored now, to come back to with `restore`. Costs next to nothing: all objects are shared. */
  snapshot(): StoreSnapshot;
  /**
   * Makes the cluster hold what it held at a snapshot. Watches go on and see the difference. Stop operators first: they and
   * the cluster's own controllers react to what they see.
   */
  restore(snapshot: StoreSnapshot): void;
  /** Ends all watches and stops listening. Safe to call twice. */
  close(): Promise<void>;
}

const defaultHost = "127.0.0.1";

/** Namespaces that every cluster has. */
const initialNamespaces = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Starts a cluster in this process. It listens on nothing until told to. */
export async function createCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const journal = options.data === undefined ? undefined : await openJournal(options.data);
  const cluster = new EmbeddedCluster(options, journal);
  await cluster.start();
  return cluster;
}

/** Loaded only for clusters that keep their data. */
async function openJournal(folder: string): Promise<Journal> {
  const { openLmdbJournal } = await import("./store/lmdb-journal.ts");
  return openLmdbJournal(folder);
}

class EmbeddedCluster implements Cluster {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #store: Store;
  readonly #catalog = new ResourceCatalog();
  readonly #builtin: readonly ApiResource[];
  readonly #access: AccessControl;
  readonly #admissionControl: AdmissionControl;
  readonly #admission: AdmissionChain;
  readonly #api: ApiServer;
  readonly #onError: (error: unknown) => void;
  readonly #options: ClusterOptions;
  readonly #listening = new Set<Listening>();
  readonly #transports = new Set<Transport>();
  #isClosed = false;
  #controlPlane: ControlPlane | undefined;
  #definitions: CrdController | undefined;
  #apiServices: ApiServiceRegistrar | undefined;
  #certificates: ClusterCertificates | undefined;

  constructor(options: ClusterOptions, journal: Journal | undefined) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#onError =
      options.onError ?? ((error) => process.stderr.write(`bowline cluster: ${errorText(error)}\n`));
    this.#store = new Store({
      now: () => this.#clock.now(),
      journal,
      ...(options.history === undefined ? {} : { history: options.history }),
    });
    const builtin = builtinCatalog(this.#store);
    this.#builtin = builtin.map(({ api }) => api);
    this.#catalog.add(builtin);
    this.#access = new AccessControl({
      store: this.#store,
      clock: this.#clock,
      random: this.#random,
      authorization: options.authorization,
      tokens: options.tokens,
      audit: options.audit,
      keyFolder: options.data,
    });
    this.#admissionControl = new AdmissionControl({
      store: this.#store,
      catalog: this.#catalog,
      clock: this.#clock,
      random: this.#random,
      access: this.#access,
      resolveService: options.resolveService,
      switches: options.admission,
      hasControllers: () => this.#controlPlane !== undefined,
      afterTurn: (run) => void turn().then(run),
    });
    this.#admission = new AdmissionChain(this.#admissionControl.plugins);
    this.#api = new ApiServer({
      store: this.#store,
      catalog: this.#catalog,
      clock: this.#clock,
      random: this.#random,
      admission: this.#admission,
      access: this.#access,
      sessions: () => this.#controlPlane?.sessions,
      metrics: () => this.#controlPlane?.metrics,
      onInternalError: this.#onError,
    });
  }

  async start(): Promise<void> {
    const definitions = this.#catalog.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const namespaces = this.#catalog.find("", "v1", "namespaces");
    if (definitions === undefined || namespaces === undefined)
      throw new Error("built-in resources are missing");
    this.#definitions = new CrdController({
      store: this.#store,
      catalog: this.#catalog,
      clock: this.#clock,
      definitions,
      writeContext: () => this.#systemWrite(),
      webhookConverter: (crd) =>
        conversionWebhook(crd, {
          clock: this.#clock,
          random: this.#random,
          resolveService: this.#admissionControl.resolveService,
        }),
      onError: this.#onError,
    });
    this.#access.bootstrap();
    this.#apiServices = new ApiServiceRegistrar({
      store: this.#store,
      clock: this.#clock,
      random: this.#random,
      builtin: this.#builtin,
      onError: this.#onError,
    });
    this.#admissionControl.bootstrap();
    for (const name of initialNamespaces) {
      if (namespaces.bucket.get(name) !== undefined) continue;
      const object = namespaces.strategy.applyDefaults({
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name },
      }) as unknown as StoredObject;
      await createObject(namespaces, this.#systemWrite(), {
        namespace: "",
        object: deepFreeze(object) as StoredObject,
      });
    }
    if (this.#options.controllers !== false) await this.startControllers();
  }

  async startControllers(): Promise<void> {
    // loaded only now: a server answers before it has controllers
    const { ControlPlane } = await import("./control-plane.ts");
    if (this.#controlPlane !== undefined) return;
    const controlPlane = new ControlPlane({
      clock: this.#clock,
      random: this.#random,
      nodes: this.#options.nodes,
      images: this.#options.images,
      podStartDelayMs: this.#options.podStartDelayMs,
      stages: this.#options.stages,
      metrics: this.#options.metrics,
      rootCertificate: () => this.#certificates?.authority.certificatePem ?? "",
      certificateAuthority: () => (this.#certificates ?? this.#ensureCertificates(defaultHost)).authority,
      transport: (component) =>
        this.transport({
          user: { name: `system:${component}`, groups: ["system:masters"] },
          userAgent: component,
        }),
    });
    this.#controlPlane = controlPlane;
    this.#catalog.publish(metricsResources);
    await controlPlane.start();
  }

  get nodes(): SimulatedNodes {
    if (this.#controlPlane === undefined)
      throw new Error("the cluster was made without controllers: it has no nodes");
    return this.#controlPlane.nodes;
  }

  transport(options: { readonly user?: UserInfo; readonly userAgent?: string } = {}): Transport {
    const transport = createInProcessTransport(this.#api, {
      user: authenticated(options.user ?? adminUser),
      userAgent: options.userAgent ?? "bowline",
    });
    this.#transports.add(transport);
    return transport;
  }

  async listen(options: ListenOptions = {}): Promise<Listening> {
    const host = options.host ?? defaultHost;
    const certificates = options.plainHttp === true ? undefined : this.#ensureCertificates(host);
    this.#controlPlane?.rootCertificateChanged();
    const token = Buffer.from(this.#random.bytes(24)).toString("base64url");
    this.#access.addToken(token, adminUser);
    const server = await HttpServer.listen({
      api: this.#api,
      authenticator: this.#access.authenticator,
      host,
      port: options.port ?? 0,
      tls: certificates && {
        cert: certificates.server.certificatePem,
        key: certificates.server.keyPem,
        clientCa: certificates.authority.certificatePem,
      },
    });
    const listening: Listening = {
      url: server.url,
      port: server.port,
      token,
      certificateAuthority: certificates?.authority.certificatePem,
      kubeconfig: kubeconfigOf({ url: server.url, token, certificates }),
      kubeconfigFor: (user) => this.#kubeconfigFor(user, server.url, certificates),
      close: () => server.close(),
    };
    this.#listening.add(listening);
    return listening;
  }

  recordRequests(filter: RecordingFilter = {}): RequestRecording {
    return this.#access.recorder.start(filter);
  }

  compact(): void {
    this.#store.compact(this.#store.revision);
  }

  snapshot(): StoreSnapshot {
    return this.#store.snapshot();
  }

  restore(snapshot: StoreSnapshot): void {
    this.#store.restore(snapshot);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#controlPlane?.stop();
    this.#definitions?.close();
    this.#apiServices?.close();
    for (const transport of this.#transports) await transport.close();
    for (const listening of this.#listening) await listening.close();
    this.#admissionControl.close();
    this.#access.close();
    await this.#store.close();
  }

  #kubeconfigFor(user: UserInfo, url: string, certificates: ClusterCertificates | undefined): string {
    const random = (n: number): Uint8Array => this.#random.bytes(n);
    if (certificates !== undefined) {
      const { name, groups } = user;
      const now = this.#clock.now();
      const client = issueClientCertificate(certificates.authority, { name, groups, now, random });
      return kubeconfigOf({ url, token: "", certificates, client });
    }
    const token = Buffer.from(random(24)).toString("base64url");
    this.#access.addToken(token, user);
    return kubeconfigOf({ url, token, certificates });
  }

  #ensureCertificates(host: string): ClusterCertificates {
    const given = { host, now: this.#clock.now(), random: (n: number) => this.#random.bytes(n) };
    this.#certificates ??= keptCertificates(this.#options.data, () => createClusterCertificates(given));
    // one authority, whatever addresses the cluster listens on
    if (!isFor(this.#certificates, host)) {
      const server = issueServerCertificate(this.#certificates.authority, given);
      return { ...this.#certificates, server };
    }
    return this.#certificates;
  }

  #systemWrite(): WriteContext {
    return {
      clock: this.#clock,
      random: this.#random,
      admission: this.#admission,
      user: adminUser,
      dryRun: false,
      manager: "kube-apiserver",
      options: {},
      warn: () => {},
    };
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
