import type { IncomingMessage, ServerResponse } from "node:http";
import { type StatusError, alreadyExists, conflict, notFound } from "@bowline/api";
import { readBody, sendJson } from "./https-server.ts";

type ConfigMap = { apiVersion: "v1"; kind: "ConfigMap"; metadata: Record<string, unknown>; data?: unknown };

const resource = { group: "", resource: "configmaps" };

/**
 * As much of an API server as the transport suite needs: ConfigMaps in one namespace, with watches; `/version` and
 * `/healthz`. Only the transport is under test with it, so it is no model of a real one.
 */
export class ConfigMapServer {
  #revision = 10;
  readonly #objects = new Map<string, ConfigMap>();
  readonly #events: { revision: number; line: string }[] = [];
  readonly #watchers = new Set<ServerResponse>();

  get watchCount(): number {
    return this.#watchers.size;
  }

  readonly handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "https://localhost");
    if (url.pathname === "/version") return sendJson(response, 200, { major: "1", minor: "35" });
    if (url.pathname === "/healthz")
      return void response.writeHead(200, { "content-type": "text/plain" }).end("ok");
    const match = /^\/api\/v1\/namespaces\/default\/configmaps(?:\/([^/]+))?$/.exec(url.pathname);
    if (match === null) return void response.writeHead(404).end("404 page not found");
    const name = decodeURIComponent(match[1] ?? "");
    try {
      await this.#answer(request, response, url, name);
    } catch (error) {
      const { status } = error as StatusError;
      sendJson(response, status.code ?? 500, status);
    }
  };

  async #answer(request: IncomingMessage, response: ServerResponse, url: URL, name: string): Promise<void> {
    const current = this.#objects.get(name);
    if (request.method === "GET" && name === "") {
      if (url.searchParams.get("watch") === "true") return this.#watch(response, url);
      const items = [...this.#objects.values()].filter((one) =>
        matches(one, url.searchParams.get("labelSelector")),
      );
      return sendJson(response, 200, {
        kind: "ConfigMapList",
        apiVersion: "v1",
        metadata: this.#listMeta(),
        items,
      });
    }
    if (request.method === "POST") {
      const body = JSON.parse(await readBody(request)) as ConfigMap & { surprise?: unknown };
      const newName = String(body.metadata["name"]);
      if (this.#objects.has(newName)) throw alreadyExists(resource, newName);
      const { surprise, ...rest } = body;
      const warning = surprise === undefined ? {} : { warning: '299 - "unknown field \\"surprise\\""' };
      return sendJson(response, 201, this.#store("ADDED", newName, rest), warning);
    }
    if (current === undefined) throw notFound(resource, name);
    if (request.method === "GET") return sendJson(response, 200, current);
    if (request.method === "PUT") {
      const body = JSON.parse(await readBody(request)) as ConfigMap;
      if (body.metadata["resourceVersion"] !== current.metadata["resourceVersion"]) {
        throw conflict(
          resource,
          name,
          "the object has been modified; please apply your changes to the latest version and try again",
        );
      }
      return sendJson(response, 200, this.#store("MODIFIED", name, body));
    }
    this.#store("DELETED", name, current);
    this.#objects.delete(name);
    return sendJson(response, 200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
  }

  #listMeta(): object {
    return { resourceVersion: String(this.#revision) };
  }

  #store(type: string, name: string, object: ConfigMap): ConfigMap {
    const revision = ++this.#revision;
    const metadata = { namespace: "default", ...object.metadata, resourceVersion: String(revision) };
    const stored: ConfigMap = { ...object, metadata };
    this.#objects.set(name, stored);
    const line = `${JSON.stringify({ type, object: stored })}\n`;
    this.#events.push({ revision, line });
    for (const watcher of this.#watchers) watcher.write(line);
    return stored;
  }

  #watch(response: ServerResponse, url: URL): void {
    const from = url.searchParams.get("resourceVersion") ?? "";
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders?.();
    if (from === "" || from === "0") {
      for (const object of this.#objects.values())
        response.write(`${JSON.stringify({ type: "ADDED", object })}\n`);
    } else {
      for (const event of this.#events) if (event.revision > Number(from)) response.write(event.line);
    }
    this.#watchers.add(response);
    response.on("close", () => this.#watchers.delete(response));
  }
}

/** Only what the suite asks: `key=value` and `key in (a,b)`. */
function matches(object: ConfigMap, selector: string | null): boolean {
  if (selector === null) return true;
  const labels = (object.metadata["labels"] ?? {}) as Record<string, string>;
  const set = /^(\S+) in \((.*)\)$/.exec(selector);
  if (set !== null) return (set[2] ?? "").split(",").includes(labels[set[1] ?? ""] ?? "");
  const [key = "", value] = selector.split("=");
  return labels[key] === value;
}
