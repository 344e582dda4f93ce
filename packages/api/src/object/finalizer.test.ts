import { describe, expect, it } from "vitest";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizer.ts";
import { deepFreeze } from "./freeze.ts";

const object = deepFreeze({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "n", finalizers: ["example.com/a", "example.com/b"] },
  data: { k: "v" },
});
const bare = deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n" } });

describe("Finalizers", () => {
  it("are added at the end, once", () => {
    const added = addFinalizer(object, "example.com/c");
    expect(added.metadata.finalizers).toEqual(["example.com/a", "example.com/b", "example.com/c"]);
    expect(added.data).toBe(object.data);
    expect(addFinalizer(object, "example.com/b")).toBe(object);
    expect(addFinalizer(bare, "example.com/a").metadata).toEqual({
      name: "n",
      finalizers: ["example.com/a"],
    });
  });

  it("are removed in every occurrence, leaving an empty list behind", () => {
    expect(removeFinalizer(object, "example.com/a").metadata.finalizers).toEqual(["example.com/b"]);
    const doubled = { ...bare, metadata: { finalizers: ["x/a", "x/a"] } };
    expect(removeFinalizer(doubled, "x/a").metadata.finalizers).toEqual([]);
    expect(removeFinalizer(object, "example.com/z")).toBe(object);
    expect(removeFinalizer(bare, "example.com/z")).toBe(bare);
  });

  it("are found", () => {
    expect(hasFinalizer(object, "example.com/a")).toBe(true);
    expect(hasFinalizer(object, "example.com/z")).toBe(false);
    expect(hasFinalizer(bare, "example.com/a")).toBe(false);
  });
});
