import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { deepFreeze } from "@bowline/api";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DataFolderError } from "./journal.ts";
import { openLmdbJournal } from "./lmdb-journal.ts";
import type { StoredObject } from "./revision.ts";
import { Store } from "./store.ts";

const object = (name: string, data: string) => (resourceVersion: string) =>
  deepFreeze({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, resourceVersion },
    data: { data },
  }) as unknown as StoredObject;

describe("a data folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "bowline-data-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = async (): Promise<Store> =>
    new Store({ now: () => 0, journal: await openLmdbJournal(folder) });

  it("gives back every object with its resourceVersion, and goes on counting above it", async () => {
    const first = await open();
    const maps = first.bucket("/configmaps");
    const a = maps.put("default/a", undefined, object("a", "one"));
    maps.put("default/a", a, object("a", "two"));
    const b = maps.put("default/b", undefined, object("b", "gone"));
    maps.remove("default/b", b, object("b", "gone"));
    const { revision } = first;
    const kept = maps.list("").map((r) => r.object);
    await first.close();

    const second = await open();
    expect(
      second
        .bucket("/configmaps")
        .list("")
        .map((r) => r.object),
    ).toEqual(kept);
    expect(second.bucket("/configmaps").get("default/a")?.object.metadata.resourceVersion).toBe("3");
    expect(second.revision).toBeGreaterThan(revision);
    const next = second.bucket("/pods").put("default/p", undefined, object("p", ""));
    expect(next.revision).toBe(second.revision);
    await second.close();
  });

  it("answers watches from before the restart with the history that is gone", async () => {
    const first = await open();
    first.bucket("/configmaps").put("default/a", undefined, object("a", "one"));
    const { revision } = first;
    await first.close();
    const second = await open();
    expect(() => second.bucket("/configmaps").subscribe(revision, () => true)).toThrow(/has been compacted/);
    await second.close();
  });

  it("keeps what was flushed when the process never closes it", async () => {
    const first = await open();
    first.bucket("/configmaps").put("default/a", undefined, object("a", "one"));
    await first.flushed();
    const reader = await openLmdbJournal(folder);
    expect([...reader.read().entries].map((e) => e.key)).toEqual(["default/a"]);
    await reader.close();
    await first.close();
  });

  it("refuses a folder with other files in it", async () => {
    writeFileSync(path.join(folder, "thesis.txt"), "chapter one");
    await expect(openLmdbJournal(folder)).rejects.toThrow(
      new DataFolderError(
        `${folder} holds other files (thesis.txt): name an empty folder, or one made by bowline`,
      ),
    );
  });

  it("refuses a folder of a later format, and one whose marker cannot be read", async () => {
    writeFileSync(path.join(folder, "bowline.json"), '{"format":9}');
    await expect(openLmdbJournal(folder)).rejects.toThrow(/is of format 9, this version reads format 1/);
    writeFileSync(path.join(folder, "bowline.json"), "{");
    await expect(openLmdbJournal(folder)).rejects.toThrow(
      /cannot be read: this is no data folder of bowline, or it is corrupt/,
    );
  });

  it("refuses data that is not a database", async () => {
    writeFileSync(path.join(folder, "bowline.json"), '{"format":1}');
    writeFileSync(path.join(folder, "data.mdb"), "");
    appendFileSync(path.join(folder, "data.mdb"), "not a database, ".repeat(1000));
    await expect(openLmdbJournal(folder)).rejects.toThrow(
      /is no database, or it is corrupt: restore a snapshot/,
    );
  });
});

describe("a data folder that lost its end", () => {
  it("is refused instead of ending the process", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "bowline-data-"));
    try {
      const store = new Store({ now: () => 0, journal: await openLmdbJournal(folder) });
      for (let i = 0; i < 200; i++)
        store.bucket("/configmaps").put(`default/${i}`, undefined, object(String(i), "x".repeat(500)));
      await store.close();
      truncateSync(path.join(folder, "data.mdb"), 12_288);
      await expect(openLmdbJournal(folder)).rejects.toThrow(/is no database, or it is corrupt/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("Store.restore", () => {
  it("goes back to a snapshot by writing only what differs, so that watches see the difference", () => {
    const store = new Store({ now: () => 0 });
    const maps = store.bucket("/configmaps");
    const kept = maps.put("default/kept", undefined, object("kept", "1"));
    const changed = maps.put("default/changed", undefined, object("changed", "1"));
    const removed = maps.put("default/removed", undefined, object("removed", "1"));
    const snapshot = store.snapshot();
    maps.put("default/changed", changed, object("changed", "2"));
    maps.remove("default/removed", removed, object("removed", "1"));
    maps.put("default/added", undefined, object("added", "1"));
    store.bucket("/pods").put("default/p", undefined, object("p", "1"));
    const watch = maps.subscribe(store.revision, () => true);
    store.restore(snapshot);
    expect(maps.list("").map((r) => [r.key, (r.object["data"] as { data: string }).data])).toEqual([
      ["default/changed", "1"],
      ["default/kept", "1"],
      ["default/removed", "1"],
    ]);
    expect(maps.get("default/kept")).toBe(kept);
    expect(store.bucket("/pods").size).toBe(0);
    expect(watch.take().map((e) => [e.key, e.deleted])).toEqual([
      ["default/added", true],
      ["default/changed", false],
      ["default/removed", false],
    ]);
  });
});
