/**
 * ComponentStatuses, which old instructions still tell people to look at: asked of the components on every request, and
 * never stored. Source: kubernetes pkg/registry/core/componentstatus, pkg/registry/core/rest (storage_core.go).
 */
import { deepFreeze, failure, methodNotSupported } from "@bowline/api";
import { resourceName } from "../registry/generic-registry.ts";
import { Revision, type StoredObject } from "../store/revision.ts";
import { listAnswer, negotiated, objectAnswer } from "./answer.ts";
import { parseListOptions } from "./options.ts";
import type { ServerResponse } from "./request.ts";
import { selection } from "./selection.ts";
import type { VerbContext } from "./verb-context.ts";

/** Where the real components say how they are; undefined: it is the server's own storage. */
const components: Readonly<Record<string, number | undefined>> = {
  "controller-manager": 10_257,
  "etcd-0": undefined,
  scheduler: 10_259,
};

/** GET of one or all. @throws StatusError 405 for all other verbs, 500 for a component that there is not */
export function answerComponentStatus(context: VerbContext): ServerResponse {
  const { info, resource, request, ports } = context;
  if (info.verb !== "get" && info.verb !== "list")
    throw methodNotSupported(resourceName(resource), info.verb);
  const form = negotiated(context);
  const isRunning = ports.sessions() !== undefined;
  if (info.verb === "get") {
    // the real server has no Status for this either
    if (!(info.name in components)) throw failure(500, "", `Component not found: ${info.name}`);
    return objectAnswer(context, form, { status: 200, revision: statusOf(info.name, isRunning) });
  }
  const matches = selection(resource, parseListOptions(request.query, false));
  const all = Object.keys(components).map((name) => statusOf(name, isRunning));
  const items = matches === undefined ? all : all.filter(({ object }) => matches(object));
  return listAnswer(context, form, { items, metadata: {} });
}

function statusOf(name: string, isRunning: boolean): Revision {
  const port = components[name];
  const isHealthy = port === undefined || isRunning;
  const message = isHealthy
    ? "ok"
    : `Get "https://127.0.0.1:${port}/healthz": dial tcp 127.0.0.1:${port}: connect: connection refused`;
  const conditions = [{ type: "Healthy", status: isHealthy ? "True" : "False", message }];
  const object = { apiVersion: "v1", kind: "ComponentStatus", metadata: { name }, conditions };
  return new Revision(name, 0, deepFreeze(object) as unknown as StoredObject);
}
