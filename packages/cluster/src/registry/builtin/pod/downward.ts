/** References to fields of the pod itself. Source: kubernetes pkg/apis/core/validation, pkg/apis/core/pods. */
import { type DeepReadonly, qualifiedNameErrors } from "@bowline/api";
import type { ObjectFieldSelector, ResourceFieldSelector } from "@bowline/api/core/v1";
import { quantityShown } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";

/** What environment variables can show. */
export const envFieldPaths: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

/** What files of a downward API volume can show. */
export const volumeFieldPaths: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

const knownPaths: ReadonlySet<string> = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
  "spec.host",
]);

export function checkFieldRef(
  problems: FieldProblems,
  path: string,
  reference: DeepReadonly<ObjectFieldSelector>,
  supported: readonly string[],
): void {
  const { apiVersion = "", fieldPath = "" } = reference;
  if (apiVersion === "") return problems.required(`${path}.apiVersion`);
  if (fieldPath === "") return problems.required(`${path}.fieldPath`);
  const subscripted = /^(.*)\['([^']*)'\]$/.exec(fieldPath);
  const base = subscripted?.[1] ?? fieldPath;
  const why =
    apiVersion !== "v1"
      ? `unsupported pod version: ${apiVersion}`
      : knownPaths.has(base)
        ? undefined
        : `field label not supported: ${base}`;
  if (why !== undefined)
    return problems.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`);
  const internal = base === "spec.host" ? "spec.nodeName" : base;
  if (subscripted === null) {
    if (!supported.includes(internal)) problems.notSupported(`${path}.fieldPath`, internal, supported);
    return;
  }
  const key = subscripted[2] ?? "";
  if (base === "metadata.annotations") {
    problems.allInvalid(path, key.toLowerCase(), qualifiedNameErrors(key.toLowerCase()));
  } else if (base === "metadata.labels") problems.allInvalid(path, key, qualifiedNameErrors(key));
  else problems.invalid(path, base, "does not support subscript");
}

const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const byteDivisors = /^1([kMGTPE]|[KMGTPE]i)?$/;
const bytes = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

export function checkResourceFieldRef(
  problems: FieldProblems,
  path: string,
  reference: DeepReadonly<ResourceFieldSelector>,
  options: { readonly inVolume: boolean },
): void {
  const { resource = "", containerName = "" } = reference;
  if (options.inVolume && containerName === "") problems.required(`${path}.containerName`);
  else if (resource === "") problems.required(`${path}.resource`);
  else if (!resources.includes(resource) && !/^(limits|requests)\.hugepages-/.test(resource))
    problems.notSupported(`${path}.resource`, resource, resources);
  const divisor = quantityShown(reference.divisor as string | undefined);
  if (divisor === "0") return;
  const name = resource.slice(resource.indexOf(".") + 1);
  if (name === "cpu") {
    if (divisor !== "1" && divisor !== "1m") {
      problems.invalid(
        `${path}.divisor`,
        resource,
        "only divisor's values 1m and 1 are supported with the cpu resource",
      );
    }
    return;
  }
  const shown =
    name === "ephemeral-storage"
      ? "local ephemeral storage"
      : name.startsWith("hugepages-")
        ? "hugepages"
        : name;
  if (!byteDivisors.test(divisor)) {
    problems.invalid(
      `${path}.divisor`,
      resource,
      `only divisor's values ${bytes} are supported with the ${shown} resource`,
    );
  }
}
