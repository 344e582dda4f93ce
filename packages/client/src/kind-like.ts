import type {
  CreateOf,
  DeepReadonly,
  Kind,
  KindOf,
  KubeObject,
  ListMeta,
  ObjectMeta,
  UnstructuredObject,
} from "@bowline/api";

/**
 * A kind named by what every manifest says: `{ apiVersion: "apps/v1", kind: "Deployment" }`. Objects themselves are such
 * references. The client asks the server's discovery (cached) for the resource and the scope.
 */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** What every verb takes first: a kind (typed, no discovery needed), or a reference to one (unstructured). */
export type KindLike = Kind<KubeObject, unknown> | KindRef;

/** What a read of this kind answers. */
export type ReadOf<K> =
  K extends Kind<KubeObject, unknown> ? DeepReadonly<KindOf<K>> : DeepReadonly<UnstructuredObject>;

/** What create and update take: apiVersion, kind and fields with defaults may be left out. */
export type WriteOf<K> =
  K extends Kind<KubeObject, unknown> ? DeepReadonly<CreateOf<K>> : DeepReadonly<UnstructuredObject>;

/** What apply takes: the fields that the caller wants to own, and the name. */
export type ApplyOf<K> =
  K extends Kind<KubeObject, unknown>
    ? { readonly metadata: NamedMeta } & Omit<DeepReadonly<Partial<CreateOf<K>>>, "metadata">
    : DeepReadonly<UnstructuredObject>;

/** What a merge patch takes: any part of the object; null removes a field. */
export type MergePatchOf<K> =
  K extends Kind<KubeObject, unknown> ? MergePatch<KindOf<K>> : { readonly [field: string]: unknown };

/** Any part of `T`, at every depth; null removes a field, and lists are replaced whole. */
export type MergePatch<T> = T extends readonly unknown[]
  ? DeepReadonly<T>
  : T extends object
    ? { readonly [F in keyof T]?: MergePatch<T[F]> | null | undefined }
    : T;

type NamedMeta = DeepReadonly<ObjectMeta> & { readonly name: string };

/** A list as the server answers it, with every item's apiVersion and kind filled in. */
export interface ListOf<K> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<ListMeta>;
  readonly items: readonly ReadOf<K>[];
}

/** Which object: `{ namespace: "default", name: "web" }`; without a namespace for a cluster-scoped kind. */
export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** A key, or the object itself, of which only namespace and name are read. */
export type KeyLike =
  | ObjectKey
  | { readonly metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined } };

/** An object of which only the metadata was asked for. Source: meta/v1 PartialObjectMetadata. */
export interface PartialObjectMetadata extends KubeObject {
  apiVersion: "meta.k8s.io/v1";
  kind: "PartialObjectMetadata";
}

/** A kind whose reads answer metadata alone: see `metadataOnly`. */
export interface MetadataKind extends Kind<PartialObjectMetadata, never> {
  readonly metadataOnly: true;
}

const metadataKinds = new WeakMap<object, MetadataKind>();

/**
 * The same kind, read as metadata alone: gets, lists and watches then move and keep far less. Takes the place of the kind
 * in every read, in patch and in delete. The same kind always gives the same value.
 */
export function metadataOnly(kind: Kind<KubeObject, unknown>): MetadataKind {
  let found = metadataKinds.get(kind);
  if (found === undefined) {
    found = { ...kind, metadataOnly: true } as MetadataKind;
    metadataKinds.set(kind, found);
  }
  return found;
}
