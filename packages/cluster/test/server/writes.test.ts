import { type Transport, seededRandom } from "@bowline/client";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cluster, createCluster } from "../../src/cluster.ts";
import { type Item, configMaps, create, list, mergePatch, refusal } from "./collection.ts";

let cluster: Cluster;
let transport: Transport;

beforeEach(async () => {
  cluster = await createCluster({ controllers: false });
  transport = cluster.transport();
});
afterEach(() => cluster.close());

async function apply(body: object): Promise<Item> {
  const headers = { "content-type": "application/apply-patch+yaml" };
  const query = { fieldManager: "test", force: "true" };
  const path = `${configMaps}/applied`;
  return (await transport.request<Item>({ method: "PATCH", path, headers, query, body })).body;
}

describe("Server-side apply through the server", () => {
  it("done twice is done once: the second neither changes the object nor its version", async () => {
    const data = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.string({ maxLength: 5 }));
    const labels = fc.dictionary(fc.constantFrom("x", "y"), fc.constantFrom("1", "2"));
    await fc.assert(
      fc.asyncProperty(data, labels, async (given, marks) => {
        const body = {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "applied", labels: marks },
          data: given,
        };
        const once = await apply(body);
        expect(await apply(body)).toEqual(once);
        expect(once.data ?? {}).toEqual(given);
        expect(once.metadata.labels ?? {}).toEqual(marks);
      }),
      { numRuns: 40 },
    );
  });

  it("takes null for the value of a label or an annotation as the empty text", async () => {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "foos.example.com" },
      spec: {
        group: "example.com",
        names: { kind: "Foo", plural: "foos" },
        scope: "Namespaced",
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    };
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await transport.request({ method: "POST", path, body: definition });
    const foos = "/apis/example.com/v1/namespaces/default/foos";
    const isServed = (): Promise<boolean> =>
      transport.request({ method: "GET", path: foos }).then(
        () => true,
        () => false,
      );
    await expect.poll(isServed).toBe(true);
    const { body } = await transport.request<Item>({
      method: "PATCH",
      path: `${foos}/a`,
      headers: { "content-type": "application/apply-patch+yaml" },
      query: { fieldManager: "test" },
      body: {
        apiVersion: "example.com/v1",
        kind: "Foo",
        metadata: { name: "a", labels: { l: null }, annotations: { a: null } },
      },
    });
    expect(body.metadata).toMatchObject({ labels: { l: "" }, annotations: { a: "" } });
  });
});

describe("Concurrent writes", () => {
  it("let one of several updates of the same state through, and refuse the others with 409", async () => {
    const stored = await create(transport, "a");
    const updates = Array.from({ length: 8 }, (_, i) =>
      transport.request({
        method: "PUT",
        path: `${configMaps}/a`,
        body: { ...stored, data: { winner: String(i) } },
      }),
    );
    const results = await Promise.allSettled(updates);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected")
        expect(result.reason).toMatchObject({ code: 409, reason: "Conflict" });
    }
  });

  it("let every patch through that names no version", async () => {
    await create(transport, "a");
    await Promise.all(
      ["b", "c", "d", "e"].map((key) => mergePatch(transport, "a", { data: { [key]: "1" } })),
    );
    const item = (await list(transport)).items.find((each) => each.metadata.name === "a");
    expect(item?.data).toEqual({ b: "1", c: "1", d: "1", e: "1" });
  });

  it("change nothing when nothing changes", async () => {
    const stored = await create(transport, "a");
    const { body } = await mergePatch(transport, "a", { metadata: { labels: null } });
    expect(body.metadata.resourceVersion).toBe(stored.metadata.resourceVersion);
  });
});

describe("Deletes", () => {
  it.each([
    ["configmaps", "ConfigMap", { kind: "Status", status: "Success", details: { kind: "configmaps" } }],
    ["serviceaccounts", "ServiceAccount", { kind: "ServiceAccount", metadata: { name: "gone" } }],
  ])("of %s answer what is left of a %s, in the words of its kind", async (plural, kind, answer) => {
    const path = `/api/v1/namespaces/default/${plural}`;
    const body = { apiVersion: "v1", kind, metadata: { name: "gone" } };
    await transport.request({ method: "POST", path, body });
    expect((await transport.request({ method: "DELETE", path: `${path}/gone` })).body).toMatchObject(answer);
  });
});

describe("Bodies", () => {
  it("may be a Namespace without metadata, which is refused for its missing name", async () => {
    const body = { apiVersion: "v1", kind: "Namespace" };
    const path = "/api/v1/namespaces";
    for (const request of [
      { method: "POST", path, body },
      { method: "PUT", path: `${path}/default/finalize`, body },
    ] as const)
      await expect(transport.request(request)).rejects.toMatchObject({
        status: { code: expect.toSatisfy((code: number) => code >= 400 && code < 500) },
      });
  });

  const text = (value: string, type: string): Promise<unknown> =>
    transport.request({ method: "POST", path: configMaps, headers: { "content-type": type }, body: value });

  it.each([
    ["nothing", "", "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [
      "another kind",
      '{"kind":"Pod","apiVersion":"v1"}',
      "converting (v1.Pod) to (core.ConfigMap): unknown conversion",
    ],
    ["a kind of nobody", '{"kind":"Bag","apiVersion":"v1"}', 'no kind "Bag" is registered for version "v1"'],
    ["a wrong type", '{"data":[]}', "json: cannot unmarshal array into Go struct field ConfigMap.data"],
    ["a version with three parts", '{"apiVersion":"a/b/c"}', "unexpected GroupVersion string: a/b/c"],
    ["a nest too deep", `{"data":${"[".repeat(5000)}${"]".repeat(5000)}}`, "exceeded max depth"],
  ])("with %s are refused with 400 and the reason", async (_what, body, message) => {
    const refused = await refusal(text(body, "application/json"));
    expect(refused.code).toBe(400);
    expect(refused.message).toContain(message);
  });

  it("of thousands of open brackets in YAML are refused, too", async () => {
    const refused = await refusal(text(`data: ${"[".repeat(20_000)}`, "application/yaml"));
    expect(refused).toMatchObject({ code: 400 });
    expect(refused.message).toContain("exceeded max depth");
  });

  it("of an unknown format are refused with 415", async () => {
    expect(await refusal(text("a", "text/plain"))).toMatchObject({
      code: 415,
      reason: "UnsupportedMediaType",
    });
  });
});

describe("Generated names", () => {
  const generate = (by: Transport): Promise<{ body: Item }> =>
    by.request<Item>({
      method: "POST",
      path: configMaps,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "web-" } },
    });
  /** A cluster whose first names, five draws each, are all `web-bbbbb`. */
  async function withEqualNames(count: number): Promise<Transport> {
    await cluster.close();
    const random = seededRandom(1);
    let draws = 0;
    const next = (): number => (draws++ < count * 5 ? 0 : random.next());
    cluster = await createCluster({ controllers: false, random: { ...random, next } });
    return cluster.transport();
  }

  it("that collide with those of creates at the same time are drawn again", async () => {
    const by = await withEqualNames(7);
    const made = await Promise.all([generate(by), generate(by), generate(by), generate(by)]);
    const names = made.map(({ body }) => body.metadata.name);
    expect(new Set(names).size).toBe(4);
    expect(names).toContain("web-bbbbb");
  });

  it("are drawn eight times at most; then the create is refused with 409", async () => {
    const by = await withEqualNames(9);
    await generate(by);
    const refused = await refusal(generate(by));
    expect(refused.status).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message:
        'configmaps "web-bbbbb" already exists, the server was not able to generate a unique name for the object',
      reason: "AlreadyExists",
      details: { name: "web-bbbbb", kind: "configmaps", retryAfterSeconds: 1 },
      code: 409,
    });
    expect((await generate(by)).body.metadata.name).not.toBe("web-bbbbb");
  });
});

describe("Creates of one name at the same time", () => {
  it("let one through and refuse the others with 409 AlreadyExists", async () => {
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => create(transport, "same")));
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
    for (const result of results) {
      if (result.status === "fulfilled") continue;
      expect(result.reason).toMatchObject({
        code: 409,
        reason: "AlreadyExists",
        message: 'configmaps "same" already exists',
      });
    }
  });

  it("are all let through when they apply", async () => {
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" } };
    const managers = ["a", "b", "c", "d"];
    await Promise.all(
      managers.map((manager) =>
        transport.request({
          method: "PATCH",
          path: `${configMaps}/applied`,
          headers: { "content-type": "application/apply-patch+yaml" },
          query: { fieldManager: manager },
          body: { ...body, data: { [manager]: "1" } },
        }),
      ),
    );
    const item = (await list(transport)).items.find((each) => each.metadata.name === "applied");
    expect(item?.data).toEqual({ a: "1", b: "1", c: "1", d: "1" });
  });
});
