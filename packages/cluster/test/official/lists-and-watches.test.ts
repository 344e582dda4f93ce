/** Named after the official conformance tests that they re-express; what each does is ours. */
import { describe, expect, it } from "vitest";
import { type World, newWorld, template } from "../controllers/world.ts";
import { Endpoint, type Found } from "./endpoint.ts";
import { without, configMap } from "./requests.ts";

describe("[sig-api-machinery] Servers with support for API chunking", () => {
  const fill = async (world: World): Promise<Endpoint> => {
    const maps = new Endpoint(world, "v1/podtemplates", "default");
    for (let i = 0; i < 40; i++) {
      const name = `template-${String(i).padStart(4, "0")}`;
      await maps.create({
        apiVersion: "v1",
        kind: "PodTemplate",
        metadata: { name },
        template: { ...template("t") },
      });
    }
    return maps;
  };
  const namesOf = (list: Found): string[] => (list.items as Found[]).map((item) => item.metadata.name);

  it("should return chunks of results for list calls", async () => {
    const world = await newWorld(without);
    const templates = await fill(world);
    const seen: string[] = [];
    let page = await templates.list({ limit: "17" });
    const { resourceVersion } = page.metadata;
    for (;;) {
      seen.push(...namesOf(page));
      expect(page.metadata.resourceVersion).toBe(resourceVersion);
      expect(page.metadata.remainingItemCount ?? 0).toBe(40 - seen.length);
      if (page.metadata.continue === undefined) break;
      page = await templates.list({ limit: "17", continue: page.metadata.continue });
    }
    expect(seen).toEqual(namesOf(await templates.list()));
  });

  it("should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent", async () => {
    const world = await newWorld(without);
    const templates = await fill(world);
    const first = await templates.list({ limit: "17" });
    await templates.patch("template-0030", { metadata: { labels: { late: "yes" } } });
    world.cluster.compact();
    const error = await templates.list({ limit: "17", continue: first.metadata.continue ?? "" }).then(
      () => expect.fail("the token is still good"),
      (thrown: { status: { code: number; reason: string; metadata: { continue: string } } }) => thrown.status,
    );
    expect(error).toMatchObject({ code: 410, reason: "Expired" });
    const second = await templates.list({ limit: "17", continue: error.metadata.continue });
    expect(second.metadata.resourceVersion).not.toBe(first.metadata.resourceVersion);
    expect(namesOf(second)[0]).toBe("template-0017");
    const third = await templates.list({ limit: "17", continue: second.metadata.continue ?? "" });
    expect([...namesOf(first), ...namesOf(second), ...namesOf(third)]).toHaveLength(40);
  });
});

describe("[sig-api-machinery] Servers with support for Table transformation", () => {
  it("should return a 406 for a backend which does not implement metadata", async () => {
    const world = await newWorld(without);
    const review = {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { nonResourceAttributes: { path: "/", verb: "get" } },
      },
    } as const;
    await expect(world.cluster.transport().request(review)).rejects.toMatchObject({
      status: { code: 406, reason: "NotAcceptable" },
    });
  });
});

describe("[sig-api-machinery] Watchers", () => {
  const maps = (world: World): Endpoint => new Endpoint(world, "v1/configmaps", "default");
  const label = (value: string): { labelSelector: string } => ({ labelSelector: `watch=${value}` });
  const since = (rv: string | undefined) => ({ resourceVersion: rv ?? "" });
  const steps = (events: readonly { type: string; object: unknown }[]): string[] =>
    events.map(({ type, object }) => `${type} ${(object as Found).data?.["mutation"] ?? "0"}`);

  it("should be able to restart watching from the last resource version observed by the previous watch", async () => {
    const world = await newWorld(without);
    const made = await maps(world).create(configMap("restarted", {}));
    const first = await maps(world).watch(since(made.metadata.resourceVersion));
    await maps(world).patch("restarted", { data: { mutation: "1" } });
    await world.until("the first watch saw it", async () => first.length === 1);
    const [seen] = first as readonly { readonly object: unknown }[];
    const last = (seen?.object as Found | undefined)?.metadata.resourceVersion;
    await maps(world).patch("restarted", { data: { mutation: "2" } });
    await maps(world).delete("restarted");
    const second = await maps(world).watch(since(last));
    await world.until("the second watch goes on", async () => second.length === 2);
    expect(steps(second)).toEqual(["MODIFIED 2", "DELETED 2"]);
  });

  it("should be able to start watching from a specific resource version", async () => {
    const world = await newWorld(without);
    await maps(world).create(configMap("from", {}));
    const first = await maps(world).patch("from", { data: { mutation: "1" } });
    await maps(world).patch("from", { data: { mutation: "2" } });
    await maps(world).delete("from");
    const events = await maps(world).watch(since(first.metadata.resourceVersion));
    await world.until("both came", async () => events.length === 2);
    expect(steps(events)).toEqual(["MODIFIED 2", "DELETED 2"]);
  });

  it("should observe add, update, and delete watch notifications on configmaps", async () => {
    const world = await newWorld(without);
    const a = await maps(world).watch(label("a"));
    const b = await maps(world).watch(label("b"));
    const both = await maps(world).watch({ labelSelector: "watch in (a, b)" });
    await maps(world).create(configMap("map-a", {}, { watch: "a" }));
    await maps(world).patch("map-a", { data: { mutation: "1" } });
    await maps(world).delete("map-a");
    await maps(world).create(configMap("map-b", {}, { watch: "b" }));
    await maps(world).delete("map-b");
    await world.until("all came", async () => both.length === 5);
    expect(steps(a)).toEqual(["ADDED 0", "MODIFIED 1", "DELETED 1"]);
    expect(steps(b)).toEqual(["ADDED 0", "DELETED 0"]);
    expect(steps(both)).toEqual(["ADDED 0", "MODIFIED 1", "DELETED 1", "ADDED 0", "DELETED 0"]);
  });

  it("should observe an object deletion if it stops meeting the requirements of the selector", async () => {
    const world = await newWorld(without);
    await maps(world).create(configMap("leaves", {}, { watch: "yes" }));
    const { resourceVersion } = (await maps(world).list()).metadata;
    const events = await maps(world).watch({ ...label("yes"), ...since(resourceVersion) });
    await maps(world).patch("leaves", { data: { mutation: "1" } });
    await maps(world).patch("leaves", { metadata: { labels: { watch: "no" } } });
    await maps(world).patch("leaves", { data: { mutation: "2" } });
    await maps(world).patch("leaves", { metadata: { labels: { watch: "yes" } } });
    await maps(world).patch("leaves", { data: { mutation: "3" } });
    await maps(world).delete("leaves");
    await world.until("all came", async () => events.length === 5);
    expect(steps(events)).toEqual(["MODIFIED 1", "DELETED 1", "ADDED 2", "MODIFIED 3", "DELETED 3"]);
  });

  it("should receive events on concurrent watches in same order", async () => {
    const world = await newWorld(without);
    const { resourceVersion } = (await maps(world).list()).metadata;
    const first = await maps(world).watch(since(resourceVersion));
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        await maps(world).create(configMap(`many-${i}`, {}));
        await maps(world).patch(`many-${i}`, { data: { mutation: "1" } });
        if (i % 3 === 0) await maps(world).delete(`many-${i}`);
      }),
    );
    await world.until("all came", async () => first.length === 70);
    const versions = first.map((event) => (event.object as Found).metadata.resourceVersion);
    for (const start of [0, 10, 33, 69]) {
      const later = await maps(world).watch(since(versions[start]));
      await world.until("the rest came", async () => later.length === 69 - start);
      expect(later.map((event) => (event.object as Found).metadata.resourceVersion)).toEqual(
        versions.slice(start + 1),
      );
    }
  });
});
