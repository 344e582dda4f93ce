import type { CrdConversion, CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import type { AnyCustomKind } from "./custom-kind.ts";

export interface CrdOptions {
  /** The version that objects are stored in. Default: the first of the list. */
  readonly storage?: string;
  /** How objects get from one version to another. Default: `None`, which only changes `apiVersion`. */
  readonly conversion?: CrdConversion;
}

/** One CustomResourceDefinition: the versions of one kind, and which of them is stored. */
export interface Crd extends CrdOptions {
  readonly versions: readonly AnyCustomKind[];
  readonly storage: string;
  /** `applications.example.com`. */
  readonly name: string;
}

/**
 * Several versions of one kind as one CustomResourceDefinition.
 *
 * ```ts
 * export const applicationCrd = defineCrd([ApplicationV1, ApplicationV2], { storage: "v2" });
 * ```
 * @throws KindDefinitionError when they are not versions of one kind (group, names, scope must agree)
 */
export declare function defineCrd(versions: readonly AnyCustomKind[], options?: CrdOptions): Crd;

/**
 * The CustomResourceDefinition of a kind, ready to be applied. The order of keys is always the same, so that its text can
 * be kept in a file and compared.
 */
export declare function crdManifest(kind: AnyCustomKind | Crd): CustomResourceDefinition;
