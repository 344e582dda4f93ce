import { accessPrinters } from "./builtin/access.ts";
import { autoscalerPrinter } from "./builtin/autoscaler.ts";
import { clusterPrinters } from "./builtin/cluster.ts";
import { networkPrinters } from "./builtin/network.ts";
import { podPrinter } from "./builtin/pod.ts";
import { serverPrinters } from "./builtin/server.ts";
import { storagePrinters } from "./builtin/storage.ts";
import { workloadPrinters } from "./builtin/workload.ts";
import { column, nameColumn, printerOf } from "./column.ts";
import { timestampMs } from "./human-duration.ts";
import type { TablePrinter } from "./table.ts";

const printers: Readonly<Record<string, TablePrinter>> = {
  "/Pod": podPrinter,
  "autoscaling/HorizontalPodAutoscaler": autoscalerPrinter,
  ...accessPrinters,
  ...clusterPrinters,
  ...networkPrinters,
  ...serverPrinters,
  ...storagePrinters,
  ...workloadPrinters,
};

/** What kinds show that have no columns of their own, CustomResourceDefinitions among them. Source: apiserver registry/rest (table.go). */
const defaultPrinter: TablePrinter = printerOf(
  [nameColumn, column("Created At", "date", "When the object was created.")],
  ({ metadata }) => [metadata.name ?? "", createdAt(metadata.creationTimestamp)],
);

function createdAt(timestamp: string | undefined): string {
  const time = timestampMs(timestamp);
  return time === undefined ? "0001-01-01T00:00:00Z" : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** The printer of a built-in kind, with the columns of the real server; kinds without their own show Name and Created At. */
export function builtinPrinter(kind: { readonly group: string; readonly kind: string }): TablePrinter {
  return printers[`${kind.group}/${kind.kind}`] ?? defaultPrinter;
}
