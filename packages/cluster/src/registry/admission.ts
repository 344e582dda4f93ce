import type { StoredObject } from "../store/revision.ts";
import type { Resource } from "./resource.ts";
import type { UserInfo } from "./user.ts";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** One request's way through the plug-ins that mutate; they may ask for a second round, in which all run once more. */
export interface MutatingPass {
  readonly isSecond: boolean;
  /** Set by a plug-in whose change others should see. */
  needsSecond: boolean;
  /** What plug-ins remember between the rounds, by their name. */
  readonly memory: Map<string, unknown>;
}

/** One request as admission sees it. Source: k8s.io/apiserver pkg/admission Attributes. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: Resource;
  /** `""`, `status`, `scale`, ... */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Undefined on delete. */
  readonly object: StoredObject | undefined;
  /** Undefined on create. */
  readonly oldObject: StoredObject | undefined;
  readonly options: unknown;
  readonly dryRun: boolean;
  readonly user: UserInfo;
  /** While the request is mutated. */
  readonly pass?: MutatingPass;
  /** Collects texts of Warning headers. */
  warn(text: string): void;
  /** Notes something for the audit log. */
  annotate(key: string, value: string): void;
}

/**
 * One link of the admission chain: may change the object (`mutate`) and may refuse the request (`validate`), by throwing
 * a StatusError. A link without one of the two is skipped in that phase.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /** Returns the object to go on with. Not called on deletes. */
  mutate?(request: AdmissionRequest): StoredObject | Promise<StoredObject>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** The plug-ins in order: all that mutate, then (after the schema was checked) all that validate. */
export class AdmissionChain {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((p) => p.mutate !== undefined);
    this.#validating = plugins.filter((p) => p.validate !== undefined);
  }

  async mutate(request: AdmissionRequest): Promise<StoredObject | undefined> {
    const pass: MutatingPass = { isSecond: false, needsSecond: false, memory: new Map() };
    const object = await this.#round({ ...request, pass });
    if (!pass.needsSecond || object === undefined) return object;
    return this.#round({ ...request, object, pass: { ...pass, isSecond: true } });
  }

  async #round(request: AdmissionRequest): Promise<StoredObject | undefined> {
    let current = request;
    for (const plugin of this.#mutating) {
      const object = await plugin.mutate?.(current);
      if (object !== undefined && object !== current.object) current = { ...current, object };
    }
    return current.object;
  }

  async validate(request: AdmissionRequest): Promise<void> {
    for (const plugin of this.#validating) await plugin.validate?.(request);
  }
}
