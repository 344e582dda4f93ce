import { jsonEqual } from "@bowline/api";
import type { AdmissionRequest } from "../../registry/admission.ts";
import type { StoredObject } from "../../store/revision.ts";

/**
 * What a mutating plug-in remembers between the two rounds of one request: which of its webhooks or policies want to see
 * later changes. Example: A (wants to see) and B run, B changes the object; in the second round A runs again, B does not.
 * Source: k8s.io/apiserver pkg/admission/plugin/webhook/mutating (reinvocationcontext.go).
 */
export class ReinvocationMemory {
  readonly #request: AdmissionRequest;
  /** Those that ran and want to know of changes that came later. */
  #waiting = new Set<string>();
  readonly #again = new Set<string>();
  #output: StoredObject | undefined;
  #isSecond = false;

  private constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  /** The memory of a plug-in for a request; in the second round that of the first. */
  static of(request: AdmissionRequest, plugin: string): ReinvocationMemory {
    const { pass } = request;
    const known = pass?.memory.get(plugin) as ReinvocationMemory | undefined;
    const memory = known ?? new ReinvocationMemory(request);
    pass?.memory.set(plugin, memory);
    if (pass?.isSecond) memory.#beginSecond(request.object);
    return memory;
  }

  /** Whether one is left out of this round. */
  skips(id: string): boolean {
    return this.#isSecond && !this.#again.has(id);
  }

  /** One changed the object: those that ran before and want to know run again. */
  changed(): void {
    this.#wake();
    if (this.#request.pass !== undefined) this.#request.pass.needsSecond = true;
  }

  /** One ran that wants to see later changes. */
  ran(id: string): void {
    this.#waiting.add(id);
  }

  /** The round is over, with this object. */
  end(object: StoredObject | undefined): void {
    this.#output = object;
  }

  #beginSecond(object: StoredObject | undefined): void {
    this.#isSecond = true;
    // plug-ins between the rounds may have changed it too
    if (!jsonEqual(object as never, this.#output as never)) this.#wake();
  }

  #wake(): void {
    for (const id of this.#waiting) this.#again.add(id);
    this.#waiting = new Set();
  }
}
