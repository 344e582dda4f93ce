import type { AnyKind, DeepReadonly, KindOf, KubeObject } from "@bowline/api";
import type { Deployment } from "@bowline/api/apps/v1";
import { type Client, VirtualClock, createClient, rfc3339, seededRandom, settle } from "@bowline/client";
import { onTestFinished } from "vitest";
import { type Cluster, type ClusterOptions, createCluster } from "../../src/cluster.ts";

/** A cluster on a virtual clock, closed when the test is over. */
export interface World {
  readonly cluster: Cluster;
  readonly clock: VirtualClock;
  readonly client: Client;
  /** Errors inside the cluster. */
  readonly errors: unknown[];
  /** Lets everything settle that needs no time, until the probe answers something else than false or undefined. */
  until<T>(what: string, probe: () => Promise<T | false | undefined>): Promise<T>;
  /** Lets everything settle that needs no time. */
  quiet(): Promise<void>;
  /** Moves time, with everything that happens on the way. */
  pass(milliseconds: number): Promise<void>;
  /** Moves time in steps of a second at most until the probe answers. */
  wait<T>(what: string, probe: () => Promise<T | false | undefined>, limitMs?: number): Promise<T>;
  list<K extends AnyKind>(
    kind: K,
    options?: { namespace?: string; labelSelector?: string },
  ): Promise<readonly DeepReadonly<KindOf<K>>[]>;
  names(kind: AnyKind, namespace?: string): Promise<string[]>;
  /** `Reason: message` of the events about an object, oldest first. */
  events(about: { kind: string; name: string; namespace?: string }): Promise<string[]>;
}

export async function newWorld(options: ClusterOptions = {}): Promise<World> {
  const clock = new VirtualClock();
  const errors: unknown[] = [];
  const cluster = await createCluster({
    clock,
    random: seededRandom(1),
    onError: (error) => void errors.push(error),
    ...options,
  });
  onTestFinished(() => cluster.close());
  const client = createClient({
    transport: cluster.transport({ userAgent: "test" }),
    clock,
    random: seededRandom(2),
  });
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await settle();
  };
  const world: World = {
    cluster,
    clock,
    client,
    errors,
    quiet,
    async until(what, probe) {
      for (let turn = 0; turn < 200; turn++) {
        const found = await probe();
        if (found !== false && found !== undefined) return found;
        await settle();
      }
      throw new Error(`not without time passing: ${what}`);
    },
    async pass(milliseconds) {
      await quiet();
      await clock.advance(milliseconds);
      await quiet();
    },
    async wait(what, probe, limitMs = 3_600_000) {
      const end = clock.now() + limitMs;
      for (;;) {
        await quiet();
        const found = await probe();
        if (found !== false && found !== undefined) return found;
        if (clock.now() >= end)
          throw new Error(`not within ${limitMs} ms (now ${rfc3339(clock.now())}): ${what}`);
        await clock.advance(1000);
      }
    },
    async list(kind, given = {}) {
      return (await client.list(kind, given)).items as never;
    },
    async names(kind, namespace) {
      const { items } = await client.list(kind, namespace === undefined ? {} : { namespace });
      return items.map((item) => (item as DeepReadonly<KubeObject>).metadata.name ?? "").sort();
    },
    async events({ kind, name, namespace = "default" }) {
      await quiet();
      const { items } = await client.list({ apiVersion: "v1", kind: "Event" }, { namespace });
      interface Seen {
        readonly involvedObject?: { readonly kind?: string; readonly name?: string };
        readonly reason?: string;
        readonly message?: string;
        readonly metadata: { readonly resourceVersion?: string };
      }
      return (items as unknown as Seen[])
        .filter((event) => event.involvedObject?.kind === kind && event.involvedObject.name === name)
        .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .map((event) => `${event.reason}: ${event.message}`);
    },
  };
  return world;
}

/** A pod template with labels `app=NAME`. */
export function template(
  name: string,
  image = "nginx:1",
): { metadata: object; spec: { containers: { name: string; image: string }[] } } {
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image }] } };
}

export function deploymentOf(name: string, spec: object = {}, namespace = "default"): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: { app: name } }, template: template(name) as never, ...spec } as never,
  };
}
