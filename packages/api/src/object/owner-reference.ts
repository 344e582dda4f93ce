import { parseApiVersion } from "../kind/kind.ts";
import type { DeepReadonly, KubeObject, OwnerReference } from "./object.ts";

/**
 * An owner: any object with the fields that a reference needs. `kind` and `apiVersion` must be there, which objects out of
 * lists of built-in kinds may lack on the wire; the client and the cache fill them in.
 */
export type Owner = DeepReadonly<KubeObject>;

export interface OwnerReferenceOptions {
  /** Whether foreground deletion of the owner waits for the object. Default: true for controllers, absent for plain owners. */
  readonly blockOwnerDeletion?: boolean;
}

const mark = Symbol.for("bowline.AlreadyOwnedError");

/**
 * The object has another controller already, and an object has at most one. Not worth a retry: two controllers fight over
 * the object, or an object of that name was there before.
 */
export class AlreadyOwnedError extends Error {
  override readonly name: string = "AlreadyOwnedError";
  readonly code: string = "BOWLINE_ALREADY_OWNED";
  /** The controller that the object has. */
  readonly owner: DeepReadonly<OwnerReference>;

  constructor(object: DeepReadonly<KubeObject>, owner: DeepReadonly<OwnerReference>) {
    const { namespace, name } = object.metadata;
    const where = namespace === undefined ? `${name}` : `${namespace}/${name}`;
    super(`${object.kind} ${where} is already owned by another ${owner.kind} controller ${owner.name}`);
    this.owner = owner;
    Object.defineProperty(this, mark, { value: true });
  }
}

export function isAlreadyOwnedError(error: unknown): error is AlreadyOwnedError {
  return typeof error === "object" && error !== null && mark in error;
}

const scopeMark = Symbol.for("bowline.OwnerScopeError");

/** The owner lives in another scope: the garbage collector would delete the object at once. A mistake in the operator. */
export class OwnerScopeError extends Error {
  override readonly name: string = "OwnerScopeError";
  readonly code: string = "BOWLINE_OWNER_SCOPE";

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, scopeMark, { value: true });
  }
}

export function isOwnerScopeError(error: unknown): error is OwnerScopeError {
  return typeof error === "object" && error !== null && scopeMark in error;
}

/**
 * The object with `owner` as its one managing controller; the same object when it already is. An existing reference to the
 * owner is replaced in its place.
 * @throws AlreadyOwnedError when another object is its controller
 * @throws OwnerScopeError when the owner is namespaced and the object is cluster-scoped or in another namespace
 * Source of the rules: sigs.k8s.io/controller-runtime pkg/controller/controllerutil (controllerutil.go).
 */
export function setControllerReference<T extends DeepReadonly<KubeObject>>(
  object: T,
  owner: Owner,
  options: OwnerReferenceOptions = {},
): T {
  checkScope(object, owner);
  const reference = {
    ...referenceTo(owner),
    controller: true,
    blockOwnerDeletion: options.blockOwnerDeletion ?? true,
  };
  const existing = controllerOf(object);
  if (existing !== undefined && !sameOwner(existing, reference))
    throw new AlreadyOwnedError(object, existing);
  return withReference(object, reference);
}

/**
 * The object with `owner` among its owners, not as its controller; the same object when nothing changes.
 * @throws OwnerScopeError as `setControllerReference`
 */
export function setOwnerReference<T extends DeepReadonly<KubeObject>>(
  object: T,
  owner: Owner,
  options: OwnerReferenceOptions = {},
): T {
  checkScope(object, owner);
  const block = options.blockOwnerDeletion;
  return withReference(object, {
    ...referenceTo(owner),
    ...(block === undefined ? {} : { blockOwnerDeletion: block }),
  });
}

/** The object without its reference to `owner`; the same object when it has none. */
export function removeOwnerReference<T extends DeepReadonly<KubeObject>>(object: T, owner: Owner): T {
  const references = object.metadata.ownerReferences ?? [];
  const wanted = referenceTo(owner);
  const rest = references.filter((reference) => !sameOwner(reference, wanted));
  if (rest.length === references.length) return object;
  return { ...object, metadata: { ...object.metadata, ownerReferences: rest } };
}

/** Whether the object refers to `owner`, as its controller or not. Compares group, kind and name, not the version. */
export function hasOwnerReference(object: DeepReadonly<KubeObject>, owner: Owner): boolean {
  const wanted = referenceTo(owner);
  return object.metadata.ownerReferences?.some((reference) => sameOwner(reference, wanted)) ?? false;
}

/** The reference to the object's managing controller, if it has one. */
export function controllerOf(object: DeepReadonly<KubeObject>): DeepReadonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` (by uid) is the managing controller of the object. Source: meta/v1 IsControlledBy. */
export function isControlledBy(object: DeepReadonly<KubeObject>, owner: Owner): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid;
}

function referenceTo(owner: Owner): DeepReadonly<OwnerReference> {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

function sameOwner(a: DeepReadonly<OwnerReference>, b: DeepReadonly<OwnerReference>): boolean {
  return (
    a.name === b.name &&
    a.kind === b.kind &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}

function checkScope(object: DeepReadonly<KubeObject>, owner: Owner): void {
  const of = owner.metadata.namespace;
  const at = object.metadata.namespace;
  if (of === undefined || of === "" || of === at) return;
  if (at === undefined || at === "") {
    throw new OwnerScopeError(
      `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${of}`,
    );
  }
  throw new OwnerScopeError(
    `cross-namespace owner references are disallowed, owner's namespace ${of}, obj's namespace ${at}`,
  );
}

function withReference<T extends DeepReadonly<KubeObject>>(
  object: T,
  reference: DeepReadonly<OwnerReference>,
): T {
  const references = object.metadata.ownerReferences ?? [];
  const index = references.findIndex((existing) => sameOwner(existing, reference));
  const before = references[index];
  if (before !== undefined && sameReference(before, reference)) return object;
  const ownerReferences =
    before === undefined ? [...references, reference] : references.with(index, reference);
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function sameReference(a: DeepReadonly<OwnerReference>, b: DeepReadonly<OwnerReference>): boolean {
  return (
    a.apiVersion === b.apiVersion &&
    a.uid === b.uid &&
    a.controller === b.controller &&
    a.blockOwnerDeletion === b.blockOwnerDeletion
  );
}
