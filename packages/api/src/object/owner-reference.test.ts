import { describe, expect, it } from "vitest";
import { deepFreeze } from "./freeze.ts";
import type { KubeObject, OwnerReference } from "./object.ts";
import {
  AlreadyOwnedError,
  OwnerScopeError,
  controllerOf,
  hasOwnerReference,
  isAlreadyOwnedError,
  isControlledBy,
  isOwnerScopeError,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.ts";

function make(
  kind: string,
  name: string,
  namespace?: string,
  ownerReferences?: OwnerReference[],
): KubeObject {
  return deepFreeze({
    apiVersion: kind === "Application" ? "example.com/v1" : "apps/v1",
    kind,
    metadata: {
      name,
      uid: `uid-${name}`,
      ...(namespace === undefined ? {} : { namespace }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
  }) as KubeObject;
}

const owner = make("Application", "app", "default");
const child = make("Deployment", "web", "default");
const reference = { apiVersion: "example.com/v1", kind: "Application", name: "app", uid: "uid-app" };
const controllerReference = { ...reference, controller: true, blockOwnerDeletion: true };

describe("setControllerReference", () => {
  it("makes the owner the controller, whose deletion waits", () => {
    const owned = setControllerReference(child, owner);
    expect(owned.metadata.ownerReferences).toEqual([controllerReference]);
    expect(child.metadata.ownerReferences).toBeUndefined();
  });

  it("gives the same object when nothing changes", () => {
    const owned = deepFreeze(setControllerReference(child, owner)) as KubeObject;
    expect(setControllerReference(owned, owner)).toBe(owned);
  });

  it("does not let the deletion wait when told so", () => {
    const owned = setControllerReference(child, owner, { blockOwnerDeletion: false });
    expect(owned.metadata.ownerReferences).toEqual([{ ...controllerReference, blockOwnerDeletion: false }]);
  });

  it("replaces an older reference to the owner in its place, whatever its version and uid", () => {
    const other = { apiVersion: "v1", kind: "ConfigMap", name: "c", uid: "1" };
    const old = { ...controllerReference, apiVersion: "example.com/v1beta1", uid: "uid-before" };
    const owned = setControllerReference(make("Deployment", "web", "default", [old, other]), owner);
    expect(owned.metadata.ownerReferences).toEqual([controllerReference, other]);
  });

  it("refuses a second controller", () => {
    const owned = setControllerReference(child, owner);
    const rival = make("Application", "rival", "default");
    const attempt = (): unknown => setControllerReference(owned, rival);
    expect(attempt).toThrow(AlreadyOwnedError);
    expect(attempt).toThrow("Deployment default/web is already owned by another Application controller app");
    try {
      attempt();
    } catch (error) {
      expect(isAlreadyOwnedError(error) && error.owner).toEqual(controllerReference);
    }
    expect(isAlreadyOwnedError(new Error("x"))).toBe(false);
  });

  it("refuses an owner in another namespace, and a namespaced one of a cluster-scoped object", () => {
    const elsewhere = make("Application", "app", "other");
    const attempt = (): unknown => setControllerReference(child, elsewhere);
    expect(attempt).toThrow(OwnerScopeError);
    expect(attempt).toThrow(
      "cross-namespace owner references are disallowed, owner's namespace other, obj's namespace default",
    );
    expect(() => setControllerReference(make("ClusterThing", "c"), owner)).toThrow(
      "cluster-scoped resource must not have a namespace-scoped owner, owner's namespace default",
    );
    expect(isOwnerScopeError(new OwnerScopeError("x"))).toBe(true);
  });

  it("accepts a cluster-scoped owner of anything", () => {
    const clusterOwner = make("ClusterThing", "c");
    expect(controllerOf(setControllerReference(child, clusterOwner))?.name).toBe("c");
    expect(controllerOf(setControllerReference(make("Other", "o"), clusterOwner))?.name).toBe("c");
  });
});

describe("setOwnerReference", () => {
  it("adds a plain owner beside the controller", () => {
    const second = make("Application", "second", "default");
    const owned = setOwnerReference(setControllerReference(child, owner), second);
    expect(owned.metadata.ownerReferences).toEqual([
      controllerReference,
      { ...reference, name: "second", uid: "uid-second" },
    ]);
    expect(setOwnerReference(owned, second)).toBe(owned);
    expect(setOwnerReference(child, owner, { blockOwnerDeletion: true }).metadata.ownerReferences).toEqual([
      { ...reference, blockOwnerDeletion: true },
    ]);
  });

  it("refuses an owner in another namespace", () => {
    expect(() => setOwnerReference(child, make("Application", "app", "other"))).toThrow(OwnerScopeError);
  });
});

describe("Owner references", () => {
  it("are found by group, kind and name", () => {
    const owned = setOwnerReference(child, owner);
    expect(hasOwnerReference(owned, owner)).toBe(true);
    expect(hasOwnerReference(owned, { ...owner, apiVersion: "example.com/v2" })).toBe(true);
    expect(hasOwnerReference(owned, { ...owner, apiVersion: "example.org/v1" })).toBe(false);
    expect(hasOwnerReference(child, owner)).toBe(false);
  });

  it("are removed", () => {
    const owned = setOwnerReference(child, owner);
    expect(removeOwnerReference(owned, owner).metadata.ownerReferences).toEqual([]);
    expect(removeOwnerReference(child, owner)).toBe(child);
  });

  it("tell the controller apart by uid", () => {
    const owned = setControllerReference(child, owner);
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, { ...owner, metadata: { ...owner.metadata, uid: "another" } })).toBe(false);
    expect(isControlledBy(setOwnerReference(child, owner), owner)).toBe(false);
    expect(controllerOf(child)).toBeUndefined();
  });
});
