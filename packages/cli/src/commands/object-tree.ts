import {
  type AnyCustomKind,
  type AnyKind,
  type DeepReadonly,
  type JsonObject,
  type KubeObject,
  type TablePrinter,
  crdManifest,
  customPrinter,
} from "@bowline/api";
import { Deployment, ReplicaSet } from "@bowline/api/apps/v1";
import { builtinPrinter } from "@bowline/api/catalog";
import { Pod } from "@bowline/api/core/v1";
import { systemClock } from "@bowline/client";
import type { Cache, HandlerRegistration } from "@bowline/runtime";
import type { LiveRow } from "../output/live-view.ts";

type Item = DeepReadonly<KubeObject> & {
  readonly status?: DeepReadonly<{ conditions?: { type: string; status: string; message?: string }[] }>;
};

/** The samples with everything they own, as rows under their owners. */
export class ObjectTree {
  readonly #cache: Cache;
  readonly #kinds: readonly AnyKind[];
  readonly #printers = new Map<string, TablePrinter>();
  readonly #objects = new Map<string, Item>();
  readonly #registrations: HandlerRegistration[] = [];
  #changed: () => void = () => {};
  #pending = false;

  constructor(cache: Cache, customKinds: readonly AnyCustomKind[]) {
    this.#cache = cache;
    const builtin: AnyKind[] = [Deployment, ReplicaSet, Pod];
    this.#kinds = [...customKinds, ...builtin];
    for (const kind of builtin) this.#printers.set(kind.kind, builtinPrinter(kind));
    for (const kind of customKinds) {
      const [version] = crdManifest(kind).spec.versions;
      this.#printers.set(kind.kind, customPrinter(version?.additionalPrinterColumns));
    }
  }

  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** Begins to watch; resolves when the present state is known. */
  async start(): Promise<void> {
    await Promise.all(
      this.#kinds.map(async (kind) => {
        const informer = this.#cache.informer(kind);
        this.#registrations.push(
          informer.addHandler((event) => {
            const { uid = "" } = event.object.metadata;
            if (event.type === "deleted") this.#objects.delete(uid);
            else this.#objects.set(uid, event.object as Item);
            this.#schedule();
          }),
        );
        await this.#cache.list(kind);
      }),
    );
  }

  stop(): void {
    for (const registration of this.#registrations) registration.remove();
  }

  /** The samples that exist, each followed by what it owns. */
  rows(samples: readonly JsonObject[]): LiveRow[] {
    const rows: LiveRow[] = [];
    for (const sample of samples) {
      const name = (sample["metadata"] as JsonObject | undefined)?.["name"];
      const root = [...this.#objects.values()].find(
        (o) => o.kind === sample["kind"] && o.metadata.name === name,
      );
      if (root !== undefined) this.#addRows(root, 0, rows);
    }
    return rows;
  }

  /** Several events of one batch become one redraw. */
  #schedule(): void {
    if (this.#pending) return;
    this.#pending = true;
    systemClock.setTimer(10, () => {
      this.#pending = false;
      this.#changed();
    });
  }

  #addRows(object: Item, depth: number, rows: LiveRow[]): void {
    const { uid = "", name = "" } = object.metadata;
    rows.push({
      id: uid,
      name: `${object.kind}/${name}`,
      state: this.#stateOf(object),
      depth,
      done: isDone(object),
    });
    const children = [...this.#objects.values()].filter((o) =>
      o.metadata.ownerReferences?.some((owner) => owner.uid === uid),
    );
    for (const child of children.sort((a, b) =>
      (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1,
    )) {
      this.#addRows(child, depth + 1, rows);
    }
  }

  /** The columns that `kubectl get` shows, without name and age. */
  #stateOf(object: Item): string {
    if (object.metadata.deletionTimestamp !== undefined) return "Terminating";
    const printer = this.#printers.get(object.kind);
    if (printer === undefined) return "";
    const { cells } = printer.row(object, systemClock.now());
    const shown = printer.columns
      .map((column, i) => ({ column, cell: cells[i] }))
      .filter(
        ({ column, cell }) =>
          column.priority === 0 &&
          !["Name", "Age"].includes(column.name) &&
          cell !== null &&
          cell !== undefined,
      )
      .map(({ column, cell }) => `${column.name.toLowerCase()} ${String(cell)}`);
    const waiting = object.status?.conditions?.find((c) => c.type === "Available" || c.type === "Ready");
    if (waiting?.status === "False" && waiting.message) shown.push(waiting.message);
    return shown.join(", ");
  }
}

/** Whether an object says that it is as it should be: Available or Ready, or nothing to the contrary. */
function isDone(object: Item): boolean {
  const conditions = object.status?.conditions ?? [];
  const condition =
    conditions.find((c) => c.type === "Available") ?? conditions.find((c) => c.type === "Ready");
  if (condition !== undefined) return condition.status === "True";
  if (object.kind !== "ReplicaSet") return false;
  const { spec, status } = object as unknown as {
    spec?: { replicas?: number };
    status?: { readyReplicas?: number };
  };
  return (status?.readyReplicas ?? 0) >= (spec?.replicas ?? 1);
}
