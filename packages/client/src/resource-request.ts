import {
  type Kind,
  type KubeObject,
  type ObjectMeta,
  type DeepReadonly,
  qualifiedResource,
  resourcePath,
} from "@bowline/api";
import type { ClientDefaults } from "./client.ts";
import { InvalidCallError } from "./errors.ts";
import type { KeyLike } from "./kind-like.ts";
import { fieldSelectorText, labelSelectorText } from "./selector-text.ts";
import type { DeleteOptions, SelectOptions, WriteOptions } from "./verb-options.ts";

/** Any resolved kind. */
export type AnyKind = Kind<KubeObject, unknown>;

/** A query with everything undefined left for the transport to drop. */
export type Query = Record<string, string | undefined>;

/** The path of one object. @throws InvalidCallError */
export function objectPath(
  kind: AnyKind,
  key: KeyLike,
  defaults: ClientDefaults,
  subresource?: string,
): string {
  const { name, namespace } = "metadata" in key ? key.metadata : key;
  if (!name) throw new InvalidCallError(`${resourceText(kind)}: the name of the object is missing`);
  return resourcePath(kind, {
    namespace: requiredNamespace(kind, namespace, defaults, name),
    name,
    subresource,
  });
}

/** The path that a new object is posted to; below its name when it goes to a subresource. @throws InvalidCallError */
export function createPath(
  kind: AnyKind,
  metadata: DeepReadonly<ObjectMeta> | undefined,
  defaults: ClientDefaults,
  subresource: string | undefined,
): string {
  const name = metadata?.name ?? metadata?.generateName ?? "";
  if (subresource !== undefined) return objectPath(kind, { metadata: metadata ?? {} }, defaults, subresource);
  return resourcePath(kind, { namespace: requiredNamespace(kind, metadata?.namespace, defaults, name) });
}

/** The path of a collection in one namespace or all. @throws InvalidCallError */
export function collectionPath(
  kind: AnyKind,
  namespace: string | undefined,
  defaults: ClientDefaults,
): string {
  return resourcePath(kind, { namespace: chosenNamespace(kind, namespace, defaults, "") });
}

/** The path of a collection in one namespace, or of a cluster-scoped kind. @throws InvalidCallError */
export function singleCollectionPath(
  kind: AnyKind,
  namespace: string | undefined,
  defaults: ClientDefaults,
): string {
  return resourcePath(kind, { namespace: requiredNamespace(kind, namespace, defaults, "") });
}

/** The selectors of a list, watch or deletion as query parameters. */
export function selectQuery(options: SelectOptions): Query {
  return {
    labelSelector: labelSelectorText(options.labelSelector),
    fieldSelector: fieldSelectorText(options.fieldSelector),
  };
}

/** What every write says in its query, from the call and the client's defaults. */
export function writeQuery(options: WriteOptions, defaults: ClientDefaults): Query {
  return {
    fieldManager: options.fieldManager ?? defaults.fieldManager,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
    dryRun: isDryRun(options, defaults) ? "All" : undefined,
  };
}

/** A client made for dry runs stays one: a call cannot turn it off. */
export function isDryRun(
  options: { readonly dryRun?: boolean | undefined },
  defaults: ClientDefaults,
): boolean {
  return defaults.dryRun === true || options.dryRun === true;
}

/** Source: meta/v1 DeleteOptions. */
export interface DeleteBody {
  readonly kind: "DeleteOptions";
  readonly apiVersion: "v1";
  readonly preconditions: DeleteOptions["preconditions"];
  readonly propagationPolicy: DeleteOptions["propagationPolicy"];
  readonly gracePeriodSeconds: number | undefined;
  readonly dryRun: readonly ["All"] | undefined;
}

/** The body of a deletion; where there is one, the server does not look at the query. */
export function deleteBody(options: DeleteOptions, defaults: ClientDefaults): DeleteBody {
  return {
    kind: "DeleteOptions",
    apiVersion: "v1",
    preconditions: options.preconditions,
    propagationPolicy: options.propagationPolicy,
    gracePeriodSeconds: options.gracePeriodSeconds,
    dryRun: isDryRun(options, defaults) ? ["All"] : undefined,
  };
}

/** `deployments.apps`, or with a name `deployments.apps "web"`. */
export function resourceText(kind: AnyKind, name = ""): string {
  const resource = qualifiedResource({ group: kind.group, resource: kind.plural });
  return name === "" ? resource : `${resource} "${name}"`;
}

function requiredNamespace(
  kind: AnyKind,
  namespace: string | undefined,
  defaults: ClientDefaults,
  name: string,
): string | undefined {
  const chosen = chosenNamespace(kind, namespace, defaults, name);
  if (kind.scope === "Namespaced" && !chosen) {
    const hint = "give it, or use a client made with withDefaults({ namespace })";
    throw new InvalidCallError(`${resourceText(kind, name)}: the namespace is missing; ${hint}`);
  }
  return chosen;
}

function chosenNamespace(
  kind: AnyKind,
  namespace: string | undefined,
  defaults: ClientDefaults,
  name: string,
): string | undefined {
  if (kind.scope === "Cluster") {
    if (!namespace) return undefined;
    throw new InvalidCallError(
      `${resourceText(kind, name)}: the kind is cluster-scoped, but namespace ${namespace} is given`,
    );
  }
  if (!namespace || defaults.namespace === undefined || namespace === defaults.namespace) {
    return namespace || defaults.namespace;
  }
  const text = `this client works in namespace ${defaults.namespace}, but ${namespace} is given`;
  throw new InvalidCallError(`${resourceText(kind, name)}: ${text}`);
}
