import type { DeepReadonly, KubeObject, OwnerReference } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { ClusterThing, Widget } from "../../test/kinds.ts";
import type { CacheEvent } from "../cache/cache-event.ts";
import { mapEvent, ownersOf } from "./event-handler.ts";

function object(owners: Partial<OwnerReference>[], namespace = "default"): DeepReadonly<KubeObject> {
  const ownerReferences = owners.map((owner) => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    name: "w",
    uid: "u",
    controller: true,
    ...owner,
  }));
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace, ownerReferences } };
}

function keys(kind: typeof Widget | typeof ClusterThing, event: CacheEvent, everyOwner = false): string[] {
  return mapEvent(ownersOf(kind, everyOwner), event).map((request) => `${request.namespace}/${request.name}`);
}

function added(owned: DeepReadonly<KubeObject>): CacheEvent {
  return { type: "added", key: "default/p", object: owned, isInitialList: false };
}

describe("ownersOf", () => {
  it("names the controlling owner of the kind in the object's namespace", () => {
    expect(keys(Widget, added(object([{ name: "w" }])))).toEqual(["default/w"]);
  });

  it("matches group and kind, and not the version", () => {
    expect(keys(Widget, added(object([{ apiVersion: "example.com/v1beta1" }])))).toEqual(["default/w"]);
    expect(keys(Widget, added(object([{ apiVersion: "other.com/v1" }])))).toEqual([]);
    expect(keys(Widget, added(object([{ kind: "Gadget" }])))).toEqual([]);
  });

  it("passes owners over that are no controllers, unless every owner counts", () => {
    const owned = added(object([{ controller: false, name: "x" }]));
    expect(keys(Widget, owned)).toEqual([]);
    expect(keys(Widget, owned, true)).toEqual(["default/x"]);
  });

  it("names cluster-scoped owners without a namespace", () => {
    expect(keys(ClusterThing, added(object([{ kind: "ClusterThing", name: "t" }])))).toEqual(["/t"]);
  });

  it("names the owners before and after an update, each once", () => {
    const [old, next] = [object([{ name: "a" }]), object([{ name: "b" }])];
    const event: CacheEvent = { type: "updated", key: "default/p", object: next, old, isResync: false };
    expect(keys(Widget, event).toSorted()).toEqual(["default/a", "default/b"]);
    expect(keys(Widget, { ...event, old: next })).toEqual(["default/b"]);
  });
});
