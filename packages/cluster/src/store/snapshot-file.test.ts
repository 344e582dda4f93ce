import { gunzipSync, gzipSync } from "node:zlib";
import { deepFreeze } from "@bowline/api";
import { describe, expect, it } from "vitest";
import type { StoredObject } from "./revision.ts";
import { SnapshotFileError, decodeSnapshotFile, encodeSnapshotFile } from "./snapshot-file.ts";
import { Store } from "./store.ts";

const put = (store: Store, name: string, value: string): void => {
  const bucket = store.bucket("/configmaps");
  bucket.put(`default/${name}`, bucket.get(`default/${name}`), (resourceVersion) =>
    deepFreeze({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: "default", resourceVersion },
      data: { value },
    } as unknown as StoredObject),
  );
};
const newStore = (): Store => new Store({ now: () => 0 });
const contentOf = (store: Store): unknown =>
  [...store.snapshot().buckets].map(([name, revisions]) => [
    name,
    revisions.map(({ key, object }) => [key, (object as { data?: unknown }).data]),
  ]);

async function fileOf(store: Store): Promise<Uint8Array> {
  return encodeSnapshotFile(store.snapshot(), "v1.35.0");
}

describe("a snapshot's file", () => {
  it("says what it is, and brings everything into an empty store past the old revisions", async () => {
    const store = newStore();
    for (const name of ["a", "b", "ü\n"]) put(store, name, name.repeat(3));
    const file = await fileOf(store);
    expect(JSON.parse(gunzipSync(file).toString().split("\n")[0] ?? "")).toEqual({
      kind: "BowlineSnapshot",
      format: 1,
      kubernetes: "v1.35.0",
      revision: store.revision,
      objects: 3,
    });
    const other = newStore();
    const difference = other.restore(await decodeSnapshotFile(file));
    expect(difference).toEqual({ revision: store.revision + 3, written: 3, deleted: 0 });
    expect(contentOf(other)).toEqual(contentOf(store));
  });

  it("changes only what differs", async () => {
    const store = newStore();
    for (const name of ["same", "changed", "back", "gone"]) put(store, name, "1");
    const file = await fileOf(store);
    const before = contentOf(store);
    const same = store.bucket("/configmaps").get("default/same");
    put(store, "changed", "2");
    put(store, "back", "2");
    put(store, "back", "1");
    put(store, "added", "1");
    const gone = store.bucket("/configmaps").get("default/gone");
    if (gone !== undefined) store.bucket("/configmaps").remove("default/gone", gone, () => gone.object);
    const { revision } = store;
    const seen: string[] = [];
    store.onCommit((_bucket, event) => void seen.push(`${event.deleted ? "-" : "+"}${event.key}`));
    const difference = store.restore(await decodeSnapshotFile(file));
    expect(difference).toEqual({ revision: revision + 3, written: 2, deleted: 1 });
    expect(seen.sort()).toEqual(["+default/changed", "+default/gone", "-default/added"]);
    expect(store.bucket("/configmaps").get("default/same")).toBe(same);
    expect(contentOf(store)).toEqual(before);
    expect(store.restore(await decodeSnapshotFile(file)).written).toBe(0);
  });

  const header = { kind: "BowlineSnapshot", format: 1, kubernetes: "v1.35.0", revision: 5, objects: 1 };
  const object = { apiVersion: "v1", kind: "Node", metadata: { name: "a", resourceVersion: "1" } };
  const entry = { bucket: "/nodes", object };
  const packed = (...lines: unknown[]): Uint8Array =>
    gzipSync(lines.map((value) => `${JSON.stringify(value)}\n`).join(""));

  it("is read when it is whole", async () => {
    const { buckets } = await decodeSnapshotFile(packed(header, entry));
    expect(buckets.get("/nodes")?.map(({ key }) => key)).toEqual(["a"]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["an empty file", new Uint8Array(), /^this is no snapshot/],
    ["other text", Buffer.from("apiVersion: v1\n"), /^this is no snapshot/],
    ["other gzip", gzipSync("hello"), /^this is no snapshot/],
    ["other JSON", packed({ kind: "List" }), /^this is no snapshot/],
    ["a later format", packed({ ...header, format: 2 }), /is of format 2 .*reads format 1: use the version/],
    ["a wrong header", packed({ ...header, revision: -1 }), /damaged, its first line is wrong/],
    ["a cut file", packed(header, entry).subarray(0, 60), /damaged, it cannot be unpacked/],
    ["missing objects", packed(header), /damaged, it has 0 of 1 objects/],
    ["a doubled object", packed({ ...header, objects: 2 }, entry, entry), /\/nodes a is in it twice/],
    [
      "no object",
      packed(header, { bucket: "/nodes", object: { kind: "Node" } }),
      /line 2 is no stored object/,
    ],
    ["a wrong bucket", packed(header, { ...entry, bucket: "nodes" }), /line 2 is no stored object/],
  ])("refuses %s", async (_what, bytes, why) => {
    const reading = decodeSnapshotFile(bytes);
    await expect(reading).rejects.toThrow(why);
    await expect(reading).rejects.toBeInstanceOf(SnapshotFileError);
  });
});
