/**
 * Pods and services of a server that is killed again and again: whoever has an address keeps it, and nobody gets it twice.
 */
import type { Answer, Request } from "../crash.ts";

const replicas = 10;
const limitMs = 30_000;
const services = "/api/v1/namespaces/default/services";
const pods = "/api/v1/namespaces/default/pods";

interface Pod {
  readonly metadata: { readonly uid: string; readonly name: string; readonly deletionTimestamp?: string };
  readonly status?: { readonly phase?: string; readonly podIP?: string };
}

interface Service {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort?: number }[] };
}

/** What is known of the addresses. */
export class Workloads {
  readonly #podAddresses = new Map<string, string>();
  readonly #services = new Map<string, string>();
  #made = 0;

  /** Makes a Deployment whose pods come and go. */
  async begin(send: Request): Promise<void> {
    const labels = { app: "web" };
    await send("POST", "/apis/apps/v1/namespaces/default/deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    });
  }

  /** Waits until all pods run, and answers what is wrong with addresses and ports. Then some pods go and a service comes. */
  async check(send: Request): Promise<string[]> {
    const found = await untilRunning(send);
    if (found === undefined) return [`${replicas} pods do not run within ${limitMs / 1000} s of a start`];
    const problems = [...this.#checkPods(found), ...(await this.#checkServices(send))];
    for (const { metadata } of found.slice(0, 2)) await send("DELETE", `${pods}/${metadata.name}`);
    await send("POST", services, {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: `open-${this.#made++}` },
      spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80 }] },
    });
    return problems;
  }

  #checkPods(found: readonly Pod[]): string[] {
    const problems: string[] = [];
    const owners = new Map<string, string>();
    for (const { metadata, status } of found) {
      const { name, uid } = metadata;
      const address = status?.podIP ?? "";
      const before = this.#podAddresses.get(uid);
      if (before !== undefined && before !== address)
        problems.push(`${name} had ${before} and has ${address}`);
      const other = owners.get(address);
      if (other !== undefined) problems.push(`${address} is of ${name} and of ${other}`);
      owners.set(address, name);
      this.#podAddresses.set(uid, address);
    }
    return problems;
  }

  async #checkServices(send: Request): Promise<string[]> {
    const problems: string[] = [];
    const owners = new Map<string, string>();
    const { body } = await send("GET", services);
    for (const { metadata, spec } of (body.items ?? []) as unknown as readonly Service[]) {
      const { name } = metadata;
      const parts = [spec.clusterIP, ...spec.ports.map(({ nodePort }) => String(nodePort ?? ""))];
      const before = this.#services.get(name);
      if (before !== undefined && before !== parts.join())
        problems.push(`service ${name} had ${before} and has ${parts.join()}`);
      this.#services.set(name, parts.join());
      for (const part of parts.filter((one) => one !== "")) {
        const other = owners.get(part);
        if (other !== undefined) problems.push(`${part} is of the services ${name} and ${other}`);
        owners.set(part, name);
      }
    }
    return problems;
  }
}

/** The pods, when all of them run; undefined when they do not in time. */
async function untilRunning(send: Request): Promise<readonly Pod[] | undefined> {
  for (const end = performance.now() + limitMs; performance.now() < end; ) {
    const { body }: Answer = await send("GET", pods);
    const found = ((body.items ?? []) as unknown as readonly Pod[]).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    const running = found.filter(({ status }) => status?.phase === "Running" && status.podIP !== undefined);
    if (running.length === replicas && found.length === replicas) return running;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}
