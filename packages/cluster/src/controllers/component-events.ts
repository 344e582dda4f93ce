/**
 * Events (core/v1) as the components of a real control plane write them, with the component as source.
 * Source of the rules: client-go tools/record (event.go, events_cache.go).
 */
import type { DeepReadonly, KubeObject } from "@bowline/api";
import { Event } from "@bowline/api/core/v1";
import { type Client, rfc3339 } from "@bowline/client";
import type { Logger } from "@bowline/runtime";

/** What a recorder needs; every ReconcileContext is one. */
export interface EventPorts {
  readonly client: Client;
  readonly log: Logger;
}

export interface ComponentEvent {
  /** Default Normal. */
  readonly type?: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
  /** The part of the object that it is about: `spec.containers{web}`. */
  readonly fieldPath?: string;
}

type About = DeepReadonly<KubeObject>;

/** An event that the server has. */
interface Written {
  readonly name: string;
  readonly namespace: string;
  readonly writing: Promise<unknown>;
  count: number;
}

interface Budget {
  tokens: number;
  at: number;
}

/** Memory is bounded: what is forgotten makes a new event instead of a higher count. */
const writtenMax = 4096;
/** So many events about one object in a burst, then one in five minutes. */
const burst = 25;
const refillMs = 300_000;

/** Records events of one component. An equal event (object, type, reason, message) raises the count of the first one. */
export class ComponentEvents {
  readonly #component: string;
  readonly #host: string | undefined;
  readonly #written = new Map<string, Written>();
  readonly #budgets = new Map<string, Budget>();

  /** @param host name of the node that the component runs on, if it does */
  constructor(component: string, host?: string) {
    this.#component = component;
    this.#host = host;
  }

  /** Never throws and never waits: an event is a help, not a record. */
  record({ client, log }: EventPorts, object: About, event: ComponentEvent): void {
    const now = client.clock.now();
    if (!this.#mayWrite(object, now)) return;
    const { uid, namespace, name } = object.metadata;
    const key = JSON.stringify([
      object.kind,
      namespace,
      name,
      uid,
      event.type,
      event.reason,
      event.message,
      event.fieldPath,
    ]);
    const known = this.#written.get(key);
    if (known !== undefined) {
      known.count++;
      void known.writing.then(() => this.#count(client, known, now));
      return;
    }
    if (this.#written.size >= writtenMax) this.#written.delete(this.#written.keys().next().value as string);
    const body = this.#eventOf(object, event, now, client.random.next());
    const { name: eventName, namespace: eventNamespace } = body.metadata;
    const writing = client.create(Event, body as never).catch((error: unknown) => {
      this.#written.delete(key);
      log.debug({ err: error }, "an event could not be written");
    });
    this.#written.set(key, { name: eventName, namespace: eventNamespace, writing, count: 1 });
  }

  #eventOf(object: About, event: ComponentEvent, now: number, random: number): EventBody {
    const { uid, name = "", namespace, resourceVersion } = object.metadata;
    const optional = Object.entries({ uid, resourceVersion, namespace, fieldPath: event.fieldPath });
    const at = rfc3339(now);
    const suffix = `${now.toString(16)}${Math.floor(random * 2 ** 24)
      .toString(16)
      .padStart(6, "0")}`;
    return {
      metadata: { name: `${name.slice(0, 200)}.${suffix}`, namespace: namespace ?? "default" },
      involvedObject: {
        apiVersion: object.apiVersion,
        kind: object.kind,
        name,
        ...Object.fromEntries(optional.filter(([, value]) => value !== undefined)),
      },
      type: event.type ?? "Normal",
      reason: event.reason,
      message: event.message.slice(0, 1024),
      source: { component: this.#component, ...(this.#host === undefined ? {} : { host: this.#host }) },
      reportingComponent: this.#component,
      reportingInstance: this.#host ?? "",
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    };
  }

  async #count(client: Client, event: Written, now: number): Promise<void> {
    const merge = { count: event.count, lastTimestamp: rfc3339(now) };
    await client.patch(Event, event, { merge }).catch(() => undefined);
  }

  /** Spends one of the object's tokens. */
  #mayWrite(object: About, now: number): boolean {
    const key = object.metadata.uid ?? `${object.metadata.namespace}/${object.metadata.name}`;
    const budget = this.#budgets.get(key) ?? { tokens: burst, at: now };
    const earned = Math.floor((now - budget.at) / refillMs);
    if (earned > 0) {
      budget.tokens = Math.min(burst, budget.tokens + earned);
      budget.at += earned * refillMs;
    }
    if (budget.tokens <= 0) return false;
    budget.tokens--;
    if (!this.#budgets.has(key) && this.#budgets.size >= writtenMax) {
      this.#budgets.delete(this.#budgets.keys().next().value as string);
    }
    this.#budgets.set(key, budget);
    return true;
  }
}

interface EventBody {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}
