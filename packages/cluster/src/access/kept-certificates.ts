import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { writeKeptFile } from "../store/kept-file.ts";
import type { ClusterCertificates } from "./cluster-certificates.ts";

/**
 * The certificates of a cluster that keeps its data: the same after a restart, so that kubeconfigs go on working, whatever
 * address it listens on then. They are in a file of the data folder that only its owner can read.
 * @param folder undefined: nothing is kept
 */
export function keptCertificates(
  folder: string | undefined,
  create: () => ClusterCertificates,
): ClusterCertificates {
  if (folder === undefined) return create();
  const file = path.join(folder, "certificates.json");
  if (existsSync(file))
    return (JSON.parse(readFileSync(file, "utf8")) as { certificates: ClusterCertificates }).certificates;
  const certificates = create();
  writeKeptFile(file, JSON.stringify({ certificates }));
  return certificates;
}
