/**
 * The rules that `operator-sdk bundle validate` has for a bundle. Sources: operator-framework/api pkg/validation/internal
 * (bundle.go, csv.go, crd.go, good_practices.go) and operator-registry pkg/lib/bundle (validate.go).
 */
import { dns1123SubdomainErrors } from "@bowline/api";
import { checkCsv } from "./csv-rules.ts";
import type { Bundle, BundleObject } from "./read-bundle.ts";

/** Something that is wrong with a bundle. */
export interface Finding {
  /** A warning does not make the bundle invalid. */
  readonly level: "error" | "warning";
  /** Path within the bundle. */
  readonly file: string;
  readonly text: string;
}

/** Kinds that OLM can install beside the CSV. Source: operator-registry pkg/lib/bundle/supported_resources.go. */
const supportedKinds = new Set([
  "ClusterServiceVersion",
  "CustomResourceDefinition",
  "Secret",
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "ServiceAccount",
  "Service",
  "Role",
  "RoleBinding",
  "PrometheusRule",
  "ServiceMonitor",
  "PodDisruptionBudget",
  "PriorityClass",
  "VerticalPodAutoscaler",
  "ConsoleYAMLSample",
  "ConsoleQuickStart",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "NetworkPolicy",
]);

/** Versions of API groups that clusters have stopped to serve. */
const removedApis: readonly (readonly [apiVersion: string, kinds: readonly string[], since: string])[] = [
  ["apiextensions.k8s.io/v1beta1", ["CustomResourceDefinition"], "1.22"],
  ["rbac.authorization.k8s.io/v1beta1", ["Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"], "1.22"],
  ["scheduling.k8s.io/v1beta1", ["PriorityClass"], "1.22"],
  ["policy/v1beta1", ["PodDisruptionBudget"], "1.25"],
];

/** OLM keeps a bundle in one ConfigMap. */
const sizeBytesMax = 1024 * 1024;
const prefix = "operators.operatorframework.io.bundle";

/** Errors first, by file. */
export function validateBundle(bundle: Bundle): Finding[] {
  const findings: Finding[] = bundle.problems.map((problem) => ({ level: "error", ...problem }));
  const report = (level: Finding["level"], file: string, text: string): void =>
    void findings.push({ level, file, text });
  checkAnnotations(bundle, report);
  for (const each of bundle.objects) checkObject(each, report);
  if (bundle.objects.length === 0) report("error", "manifests", "has no manifests");
  if (bundle.sizeBytes > sizeBytesMax) {
    report(
      "warning",
      "manifests",
      `is ${bundle.sizeBytes} bytes long; OLM may not take more than ${sizeBytesMax} compressed`,
    );
  }
  const csvs = bundle.objects.filter(({ object }) => object["kind"] === "ClusterServiceVersion");
  const [csv] = csvs;
  if (csvs.length !== 1)
    report("error", "manifests", `must have one ClusterServiceVersion, and has ${csvs.length}`);
  if (csv !== undefined) checkCsv(csv, bundle, report);
  const order = (finding: Finding): string => `${finding.level}\0${finding.file}`;
  return findings.sort((a, b) => (order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0));
}

/** Notes a finding. */
export type Report = (level: Finding["level"], file: string, text: string) => void;

function checkAnnotations({ annotations }: Bundle, report: Report): void {
  const file = "metadata/annotations.yaml";
  if (annotations === undefined) return report("error", file, "is missing");
  const value = (name: string): string => {
    const found = annotations[`${prefix}.${name}`];
    return typeof found === "string" ? found : "";
  };
  const expected = {
    "mediatype.v1": "registry+v1",
    "manifests.v1": "manifests/",
    "metadata.v1": "metadata/",
  };
  for (const [name, wanted] of Object.entries(expected)) {
    if (value(name) !== wanted)
      report("error", file, `${prefix}.${name} must be ${wanted}, not ${JSON.stringify(value(name))}`);
  }
  for (const name of ["package.v1", "channels.v1"]) {
    if (value(name) === "") report("error", file, `${prefix}.${name} is missing`);
  }
  const channels = value("channels.v1").split(",");
  const defaultChannel = value("channel.default.v1");
  if (defaultChannel === "") report("warning", file, `${prefix}.channel.default.v1 is missing`);
  else if (!channels.includes(defaultChannel)) {
    report(
      "warning",
      file,
      `the default channel ${defaultChannel} is not among the channels ${channels.join(", ")}`,
    );
  }
}

function checkObject({ file, object }: BundleObject, report: Report): void {
  const { apiVersion, kind } = object;
  const { name, namespace } = (object["metadata"] ?? {}) as { name?: unknown; namespace?: unknown };
  if (typeof apiVersion !== "string" || typeof kind !== "string") {
    return report("error", file, "has no apiVersion and kind");
  }
  if (!supportedKinds.has(kind))
    report("error", file, `${kind} is not a kind that OLM installs from a bundle`);
  if (typeof name !== "string" || name === "") report("error", file, `${kind} has no name`);
  else
    for (const text of dns1123SubdomainErrors(name)) report("error", file, `metadata.name ${name}: ${text}`);
  if (namespace !== undefined)
    report("warning", file, `metadata.namespace ${String(namespace)} is ignored: OLM decides`);
  const removed = removedApis.find(([version, kinds]) => version === apiVersion && kinds.includes(kind));
  if (removed !== undefined)
    report("error", file, `${apiVersion} ${kind} was removed in Kubernetes ${removed[2]}`);
  if (kind === "CustomResourceDefinition") checkCrd(file, object, report);
}

interface CrdSpec {
  readonly group?: string;
  readonly names?: { readonly plural?: string; readonly kind?: string };
  readonly versions?: readonly { name?: string; storage?: boolean; schema?: { openAPIV3Schema?: object } }[];
}

function checkCrd(file: string, object: BundleObject["object"], report: Report): void {
  const { group, names, versions = [] } = (object["spec"] ?? {}) as CrdSpec;
  const expected = `${names?.plural ?? ""}.${group ?? ""}`;
  const { name } = (object["metadata"] ?? {}) as { name?: string };
  if (name !== expected)
    report("error", file, `metadata.name must be ${expected}, the plural and the group, not ${name}`);
  if (versions.length === 0) report("error", file, "spec.versions is empty");
  const stored = versions.filter((version) => version.storage === true);
  if (versions.length > 0 && stored.length !== 1) {
    report("error", file, `one version must be stored, and ${stored.length} are`);
  }
  const seen = new Set<string>();
  for (const { name: version = "", schema } of versions) {
    if (seen.has(version)) report("error", file, `version ${version} is there twice`);
    seen.add(version);
    if (schema?.openAPIV3Schema === undefined) report("error", file, `version ${version} has no schema`);
  }
}
