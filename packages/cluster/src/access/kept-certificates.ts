import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ClusterCertificates } from "./cluster-certificates.ts";

interface Kept {
  readonly host: string;
  readonly certificates: ClusterCertificates;
}

/**
 * The certificates of a cluster that keeps its data: the same after a restart, so that kubeconfigs go on working. They are in
 * a file of the data folder that only its owner can read.
 * @param folder undefined: nothing is kept
 * @param host the server's certificate is good for one address: another one gets new certificates
 */
export function keptCertificates(
  folder: string | undefined,
  host: string,
  create: () => ClusterCertificates,
): ClusterCertificates {
  if (folder === undefined) return create();
  const file = path.join(folder, "certificates.json");
  if (existsSync(file)) {
    const kept = JSON.parse(readFileSync(file, "utf8")) as Kept;
    if (kept.host === host) return kept.certificates;
  }
  const certificates = create();
  const kept: Kept = { host, certificates };
  writeFileSync(file, JSON.stringify(kept), { mode: 0o600 });
  return certificates;
}
