import type { AnyKind } from "@bowline/api";
import type { Clock } from "@bowline/client";
import { StaleCacheError } from "../errors.ts";
import type { SharedInformer } from "./informer.ts";
import { hasReached } from "./resource-version.ts";

/** A write of this manager that its cache has not shown yet. */
interface PendingWrite {
  readonly key: string;
  readonly namespace: string;
  readonly uid: string;
  /** Version that the write made; undefined for a delete whose answer named none. */
  readonly resourceVersion: string | undefined;
}

/** Which objects a read touches: one, those of a namespace, or all. */
export type ReadScope = { readonly key: string } | { readonly namespace: string } | "all";

/** Beyond so many unseen writes of a kind the oldest are forgotten: then nobody reads that kind, or its watch is dead. */
const pendingMax = 10_000;

/**
 * Remembers the writes of one kind until the cache has come past them, so that reads can wait for their own writes. The
 * latest write of a key stands for those before it.
 */
export class OwnWrites {
  readonly #informer: SharedInformer;
  readonly #clock: Clock;
  readonly #pending = new Map<string, PendingWrite>();
  readonly #waiters = new Set<() => void>();

  /** A version that the whole cache must reach first: of writes from before there was an informer. */
  #barrier: string | undefined;

  constructor(informer: SharedInformer, clock: Clock, barrier?: string) {
    this.#informer = informer;
    this.#clock = clock;
    this.#barrier = barrier;
    informer.onProgress((isRewound) => {
      // a server that was restored from an older state has lost the writes: nobody need wait for them
      if (this.#pending.size > 0 || this.#barrier !== undefined) this.#observe(isRewound);
    });
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** A write answered with this object. */
  wrote(key: string, object: { readonly uid: string; readonly resourceVersion: string }): void {
    this.#remember({
      key,
      namespace: namespaceOfKey(key),
      uid: object.uid,
      resourceVersion: object.resourceVersion,
    });
  }

  /** A delete answered that the object is gone. */
  deleted(key: string, uid: string): void {
    this.#remember({ key, namespace: namespaceOfKey(key), uid, resourceVersion: undefined });
  }

  /** True when a read of this scope need not wait. */
  isClear(scope: ReadScope): boolean {
    if (this.#barrier !== undefined) return false;
    if (this.#pending.size === 0) return true;
    if (scope === "all") return false;
    if ("key" in scope) return !this.#pending.has(scope.key);
    for (const write of this.#pending.values()) if (write.namespace === scope.namespace) return false;
    return true;
  }

  /** Waits until the scope is clear. @throws StaleCacheError after `timeoutMs`; the signal's reason */
  wait(
    scope: ReadScope,
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<void> {
    const { timeoutMs, signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const finish = (end: () => void): void => {
        timer.cancel();
        this.#waiters.delete(check);
        signal?.removeEventListener("abort", onAbort);
        end();
      };
      const check = (): void => {
        if (this.isClear(scope)) finish(resolve);
      };
      const onAbort = (): void => finish(() => reject(signal?.reason));
      const timer = this.#clock.setTimer(timeoutMs, () =>
        finish(() => reject(this.#giveUp(scope, timeoutMs))),
      );
      this.#waiters.add(check);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #remember(write: PendingWrite): void {
    this.#pending.delete(write.key);
    if (this.#isSeen(write)) return;
    this.#pending.set(write.key, write);
    if (this.#pending.size > pendingMax) {
      const [oldest] = this.#pending.keys();
      this.#pending.delete(oldest as string);
    }
  }

  #observe(isRewound: boolean): void {
    const before = this.#pending.size;
    const barrier = this.#barrier;
    if (barrier !== undefined && (isRewound || this.#informer.hasReached(barrier))) this.#barrier = undefined;
    for (const write of this.#pending.values()) {
      if (isRewound || this.#isSeen(write)) this.#pending.delete(write.key);
    }
    const isProgress = this.#pending.size < before || this.#barrier !== barrier;
    if (isProgress) for (const waiter of [...this.#waiters]) waiter();
  }

  #isSeen(write: PendingWrite): boolean {
    const stored = this.#informer.getByKey(write.key);
    if (write.resourceVersion === undefined) {
      return (
        stored === undefined ||
        stored.metadata.uid !== write.uid ||
        stored.metadata.deletionTimestamp !== undefined
      );
    }
    if (stored?.metadata.resourceVersion === write.resourceVersion) return true;
    return hasReached(this.#informer.resourceVersionOf(write.namespace), write.resourceVersion);
  }

  /** One read fails; those after it are not held up by the same write again. */
  #giveUp(scope: ReadScope, timeoutMs: number): StaleCacheError {
    const late = [...this.#pending.values()].filter((write) => isInScope(write, scope));
    for (const write of late) this.#pending.delete(write.key);
    const { phase, lastError } = this.#informer.report;
    const first = late[0];
    const barrier = this.#barrier;
    this.#barrier = undefined;
    const newest = first?.resourceVersion ?? barrier;
    const version = newest === undefined ? "a delete" : `resourceVersion ${newest}`;
    const trouble = lastError === undefined ? "" : `, last error: ${lastError}`;
    return new StaleCacheError(
      `cached read of ${resourceText(this.#informer.kind)}: the watch has not shown this manager's write of ` +
        `${first?.key ?? resourceText(this.#informer.kind)} (${version}) within ${timeoutMs} ms; it is at ${this.#informer.resourceVersionOf(first?.namespace ?? "") || "no version"} ` +
        `(${phase}${trouble})`,
    );
  }
}

function isInScope(write: PendingWrite, scope: ReadScope): boolean {
  if (scope === "all") return true;
  return "key" in scope ? write.key === scope.key : write.namespace === scope.namespace;
}

function namespaceOfKey(key: string): string {
  return key.slice(0, key.indexOf("/"));
}

/** `deployments.apps`, `pods`. */
export function resourceText(kind: AnyKind): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}
