import type { KubeObject } from "../object/object.ts";

/** Carries a kind's static types; never present at run time. */
declare const kindTypes: unique symbol;

/**
 * A kind is a value and a type: what clients, caches and webhooks take to know group, version, resource and scope, and
 * what the compiler takes to type the objects. Made by `defineKind` for custom kinds; built-in kinds have the same shape.
 *
 * `Read` is what a read answers (defaults filled in), `Create` is what a write may send.
 */
export interface Kind<Read extends KubeObject = KubeObject, Create = Read> {
  /** API group, `""` for the core group. */
  readonly group: string;
  /** `v1`, `v1beta1`, ... */
  readonly version: string;
  /** `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string;
  /** `Deployment`. */
  readonly kind: string;
  /** `DeploymentList`. */
  readonly listKind: string;
  /** The resource name in paths: `deployments`. */
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly [kindTypes]?: { readonly read: Read; readonly create: Create };
}

/** A kind of which only the value matters: every kind is assignable to it. */
export type AnyKind = Kind<KubeObject, unknown>;

/** The objects of a kind as a read answers them. */
export type KindOf<K> = K extends Kind<infer Read, infer _Create> ? Read : never;

/** The objects of a kind as a write may send them: fields with defaults are optional, apiVersion and kind too. */
export type CreateOf<K> = K extends Kind<infer _Read, infer Create> ? Create : never;

/** `example.com/v1, Kind=Application`, as the Go tools print a kind. */
export function kindText(kind: { group: string; version: string; kind: string }): string {
  return `${kind.group === "" ? "" : `${kind.group}/`}${kind.version}, Kind=${kind.kind}`;
}

/** The apiVersion field of a group and version: `apps/v1`, `v1`. */
export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Splits an apiVersion field: `apps/v1` is group `apps`, version `v1`; `v1` is the core group. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf("/");
  return slash < 0
    ? { group: "", version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/**
 * The path of a collection, or of one object when `name` is given.
 * @param namespace empty or absent for cluster-scoped kinds and for all namespaces
 */
export function resourcePath(
  kind: { group: string; version: string; plural: string },
  at: { namespace?: string | undefined; name?: string | undefined; subresource?: string | undefined } = {},
): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const namespace = at.namespace ? `/namespaces/${encodeURIComponent(at.namespace)}` : "";
  const name = at.name === undefined ? "" : `/${encodeURIComponent(at.name)}`;
  const subresource = at.subresource === undefined ? "" : `/${at.subresource}`;
  return `${root}${namespace}/${kind.plural}${name}${subresource}`;
}
