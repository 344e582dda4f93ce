import { managerName } from "@bowline/api";
import type { Clock, Random } from "@bowline/client";
import type { AccessControl } from "../access/access-control.ts";
import type { AdmissionChain } from "../registry/admission.ts";
import type { WriteContext } from "../registry/generic-registry.ts";
import type { Resource } from "../registry/resource.ts";
import type { ResourceCatalog } from "../registry/resource-catalog.ts";
import type { Store } from "../store/store.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServerRequest } from "./request.ts";
import type { PodSessionPort } from "../session-port.ts";

/** What the verbs need of their server. */
export interface ServerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly admission: AdmissionChain;
  readonly access: AccessControl;
  /** Those who run the pods; undefined while nobody does. */
  sessions(): PodSessionPort | undefined;
}

/** One resource request on its way through a verb. */
export interface VerbContext {
  readonly ports: ServerPorts;
  readonly request: ServerRequest;
  readonly info: RequestInfo;
  readonly resource: Resource;
  /** Texts of the Warning headers collected so far, each once. */
  readonly warnings: Set<string>;
  /** Of the audit log. */
  readonly annotations: Map<string, string>;
}

/** What a write of this request is made with. */
export function writeContext(
  context: VerbContext,
  given: { readonly dryRun: boolean; readonly fieldManager: string; readonly options: unknown },
): WriteContext {
  const { ports, request, warnings } = context;
  return {
    clock: ports.clock,
    random: ports.random,
    admission: ports.admission,
    user: request.user,
    dryRun: given.dryRun,
    manager: managerName(given.fieldManager, request.headers["user-agent"]),
    options: given.options,
    warn: (text) => void warnings.add(text),
    annotate: (key, value) => void context.annotations.set(key, value),
  };
}
