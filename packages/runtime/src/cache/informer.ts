import type { DeepReadonly, KubeObject } from "@bowline/api";
import type { AnyKind } from "../controller/event-handler.ts";
import type { CacheEvent } from "./cache-event.ts";

/** A registered handler. */
export interface HandlerRegistration {
  /** True when the handler has seen every object of the initial list, not just the store. */
  readonly hasSynced: boolean;
  /** Takes the handler off; it gets no event any more. Safe to call twice. */
  remove(): void;
}

/**
 * A local copy of one kind's objects, kept equal to the server's by list and watch, and telling its handlers every
 * difference. Objects are frozen and shared by everyone: reading never copies.
 */
export interface Informer<T extends KubeObject = KubeObject> {
  readonly kind: AnyKind;
  /** True when the first list is in the store. */
  readonly hasSynced: boolean;
  /** Handlers are called in the order of registration, one event after the other; one that throws harms no other. */
  addHandler(handler: (event: CacheEvent<T>) => void): HandlerRegistration;
  /** The object under `namespace/name` (`/name`), as the store has it now. */
  getByKey(key: string): DeepReadonly<T> | undefined;
  /** Every object. The iterator reads the live store: do not keep it over an await. */
  values(): IterableIterator<DeepReadonly<T>>;
  readonly size: number;
  /** Starts it, if it does not run yet. */
  start(): void;
  /** Waits for the first list. @throws the signal's reason */
  waitForSync(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
