/** Parameters of a binding. Source: k8s.io/apiserver pkg/admission/plugin/policy/generic (policy_dispatcher.go CollectParams). */
import { type LabelSelector, type Labels, compileLabelSelector, parseApiVersion } from "@bowline/api";
import type { ResourceCatalog } from "../../registry/resource-catalog.ts";
import { seeOne } from "../../registry/resource.ts";
import type { StoredObject } from "../../store/revision.ts";

export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: "Allow" | "Deny";
}

/** The objects to evaluate a policy with, one after the other; a single null when it takes none. @throws Error */
export async function collectParams(
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  about: { readonly namespace: string; readonly catalog: ResourceCatalog },
): Promise<readonly (StoredObject | null)[]> {
  if (kind === undefined || ref === undefined) return [null];
  const { group, version } = parseApiVersion(kind.apiVersion);
  const resource = about.catalog.findKind(group, version, kind.kind);
  if (resource === undefined)
    throw new Error(`paramKind kind \`${kind.apiVersion}, Kind=${kind.kind}\` not known`);
  const { name = "", namespace = "", selector } = ref;
  if (!resource.api.namespaced && namespace !== "")
    throw new Error("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  const within = namespace === "" ? about.namespace : namespace;
  if (resource.api.namespaced && within === "")
    throw new Error("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources");
  if (name === "" && selector === undefined) throw new Error("one of name or selector must be provided");
  const prefix = resource.api.namespaced ? `${within}/` : "";
  const named = resource.bucket.get(`${prefix}${name}`);
  const matcher = compileLabelSelector(selector ?? {});
  const found =
    name !== ""
      ? named === undefined
        ? []
        : [named]
      : resource.bucket.list(prefix).filter((r) => matcher.matches(r.object.metadata.labels as Labels));
  if (found.length === 0 && ref.parameterNotFoundAction === "Deny")
    throw new Error("no params found for policy binding with `Deny` parameterNotFoundAction");
  return Promise.all(found.map(async (revision) => (await seeOne(resource, revision)).object));
}
