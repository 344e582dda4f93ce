/** A line for each reconcile: why it ran, what it wrote, how long it took. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { KubeObject } from "@bowline/api";
import type { ApiRequest, Clock, Transport } from "@bowline/client";
import {
  type Cause,
  type ControllerDefinition,
  type ReconcileAnswer,
  type ReconcileContext,
  isRetryAfterError,
  isTerminalError,
} from "@bowline/runtime";
import { messageOf } from "../errors.ts";

/** So many causes of one reconcile are named; a burst of events has more. */
const causesShown = 3;
/** So many fields of one patch. */
const fieldsShown = 4;

export class ReconcileLog {
  /** What the reconcile under way has written; writes from elsewhere have no list to go to. */
  readonly #writes = new AsyncLocalStorage<string[]>();
  readonly #clock: Clock;
  readonly #print: (line: string) => void;

  constructor(clock: Clock, print: (line: string) => void) {
    this.#clock = clock;
    this.#print = print;
  }

  /** The same controller, whose runs are printed. */
  observed(controller: ControllerDefinition): ControllerDefinition {
    const { name, reconcile, cleanup, gone } = controller;
    const around =
      <T>(run: ((about: T, ctx: ReconcileContext) => ReconcileAnswer) | undefined) =>
      (about: T, ctx: ReconcileContext): ReconcileAnswer =>
        this.#around(name, ctx, () => run?.(about, ctx));
    return {
      ...controller,
      reconcile: reconcile && around(reconcile),
      cleanup: cleanup && around(cleanup),
      gone: gone && around(gone),
    };
  }

  /** The same transport, whose writes are noted. */
  transport(inner: Transport): Transport {
    return {
      request: async <T>(request: ApiRequest) => {
        const response = await inner.request<T>(request);
        const text = request.method === "GET" ? undefined : writeText(request, response.body);
        if (text !== undefined) this.#writes.getStore()?.push(text);
        return response;
      },
      watch: (request) => inner.watch(request),
      stream: (request) => inner.stream(request),
      ...(inner.openSocket === undefined ? {} : { openSocket: inner.openSocket.bind(inner) }),
      close: () => inner.close(),
    };
  }

  async #around(
    name: string,
    ctx: ReconcileContext,
    run: () => ReconcileAnswer,
  ): Promise<Awaited<ReconcileAnswer>> {
    const started = this.#clock.monotonic();
    const writes: string[] = [];
    let result = "";
    try {
      const answer = await this.#writes.run(writes, async () => run());
      if (answer?.requeueAfterMs !== undefined) result = `; again in ${secondsText(answer.requeueAfterMs)}`;
      return answer;
    } catch (error) {
      result = failureText(error);
      throw error;
    } finally {
      const { namespace, name: object } = ctx.request;
      const key = namespace === "" ? object : `${namespace}/${object}`;
      const did = writes.length === 0 ? "nothing to write" : writes.join(", ");
      const took = Math.round(this.#clock.monotonic() - started);
      this.#print(`${name} ${key}: ${causesText(ctx.causes)}: ${did}${result} (${took} ms)`);
    }
  }
}

/** What failed, and whether it is tried again. */
function failureText(error: unknown): string {
  const message = messageOf(error);
  if (isTerminalError(error)) return `; failed until the object changes: ${message}`;
  if (isRetryAfterError(error)) return `; failed, again in ${secondsText(error.retryAfterMs)}: ${message}`;
  return `; failed: ${message}`;
}

function secondsText(milliseconds: number): string {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${Math.round(milliseconds / 1000)} s`;
}

function causesText(causes: readonly Cause[]): string {
  const texts = new Set(
    causes.map(({ event, kind, object }) =>
      kind === undefined ? event : `${kind} ${object?.split("/").at(-1) ?? ""} ${event}`,
    ),
  );
  const more = texts.size > causesShown ? ` and ${texts.size - causesShown} more` : "";
  return `${[...texts].slice(0, causesShown).join(", ")}${more}`;
}

const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", DELETE: "delete" };

/** `apply Deployment/web`, `patch status of Application/web (conditions)`; nothing for events. */
function writeText(
  { method, path, headers = {}, body: sent }: ApiRequest,
  body: unknown,
): string | undefined {
  const { kind, metadata } = body as Partial<KubeObject>;
  const isApply = String(headers["content-type"] ?? "").includes("apply-patch");
  const verb = verbs[method] ?? (isApply ? "apply" : "patch");
  // /api/v1/..., /apis/GROUP/VERSION/..., then namespaces/NAMESPACE, then resource, name and subresource
  const parts = path.split("/").slice(path.startsWith("/apis/") ? 4 : 3);
  const [resource = "", name = "", subresource] =
    parts[0] === "namespaces" && parts.length > 2 ? parts.slice(2) : parts;
  if (resource === "events") return undefined;
  const title = `${kind === undefined || kind === "Status" ? resource : kind}/${metadata?.name ?? name}`;
  const fields = method === "PATCH" && !isApply ? patchedFields(sent, subresource) : "";
  return `${verb} ${subresource === undefined ? "" : `${subresource} of `}${title}${fields}`;
}

/** ` (spec.replicas, metadata.labels)`: what a merge patch changes, two levels deep, without what its subresource says already. */
function patchedFields(body: unknown, subresource: string | undefined): string {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return "";
  const paths = Object.entries(body).flatMap(([field, value]) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [field];
    const prefix = field === subresource ? "" : `${field}.`;
    return Object.keys(value as object).map((inner) => `${prefix}${inner}`);
  });
  // the version that it was read at is a condition of the write, not a change
  const shown = paths.filter((path) => path !== "metadata.resourceVersion");
  const more = shown.length > fieldsShown ? `, and ${shown.length - fieldsShown} more` : "";
  return shown.length === 0 ? "" : ` (${shown.slice(0, fieldsShown).join(", ")}${more})`;
}
