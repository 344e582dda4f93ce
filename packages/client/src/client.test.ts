import { expired, failure, notFound } from "@bowline/api";
import { describe, expect, expectTypeOf, it } from "vitest";
import { Widget, Zone } from "../test/kinds.ts";
import { type Answer, RecordingTransport } from "../test/recording-transport.ts";
import { rejection } from "../test/until.ts";
import { type Client, type ClientOptions, createClient } from "./client.ts";
import { InvalidCallError } from "./errors.ts";
import { metadataOnly } from "./kind-like.ts";

function clientWith(
  answer?: Answer,
  options: Partial<ClientOptions> = {},
): { client: Client; transport: RecordingTransport } {
  const transport = new RecordingTransport(answer);
  return { client: createClient({ transport, ...options }), transport };
}

const key = { namespace: "default", name: "a" };
const path = "/apis/example.com/v1/namespaces/default/widgets";
const widget = {
  apiVersion: "example.com/v1" as const,
  kind: "Widget" as const,
  metadata: { ...key, resourceVersion: "7" },
  spec: { size: 1, color: "red", parts: [] },
};
const resource = { group: "example.com", resource: "widgets" };

/** The query without what is undefined. */
function queryOf(transport: RecordingTransport): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(transport.last.query ?? {}).filter(([, value]) => value !== undefined),
  );
}

describe("Client reads", () => {
  it("gets one object by key or by the object itself", async () => {
    const { client, transport } = clientWith(() => widget);
    expect(await client.get(Widget, key)).toEqual(widget);
    expect(transport.last).toMatchObject({
      method: "GET",
      path: `${path}/a`,
      headers: { accept: "application/json" },
    });
    await client.get(Widget, widget, { resourceVersion: "0", subresource: "status" });
    expect(transport.last.path).toBe(`${path}/a/status`);
    expect(queryOf(transport)).toEqual({ resourceVersion: "0" });
    await client.get(Zone, { name: "north east" });
    expect(transport.last.path).toBe("/apis/example.com/v1/zones/north%20east");
  });

  it("finds undefined when there is no such object, and only then", async () => {
    const missing = clientWith(() => notFound(resource, "a"));
    expect(await missing.client.find(Widget, key)).toBeUndefined();
    const unserved = clientWith(() => failure(404, "NotFound", "404 page not found"));
    expect((await rejection(unserved.client.find(Widget, key))).message).toBe("404 page not found");
    const { client } = clientWith(() => widget);
    expect(await client.find(Widget, key)).toEqual(widget);
  });

  it("lists with every option", async () => {
    const { client, transport } = clientWith(() => ({ metadata: {}, items: [] }));
    await client.list(Widget, {
      namespace: "default",
      labelSelector: {
        matchLabels: { app: "web" },
        matchExpressions: [{ key: "tier", operator: "In", values: ["a", "b"] }],
      },
      fieldSelector: { "metadata.name": "a,b=c\\d" },
      limit: 5,
      continue: "token",
      resourceVersion: "9",
      resourceVersionMatch: "Exact",
    });
    expect(transport.last).toMatchObject({ method: "GET", path });
    expect(queryOf(transport)).toEqual({
      labelSelector: "app=web,tier in (a,b)",
      fieldSelector: "metadata.name=a\\,b\\=c\\\\d",
      limit: "5",
      continue: "token",
      resourceVersion: "9",
      resourceVersionMatch: "Exact",
    });
    await client.list(Widget, { labelSelector: {} });
    expect(transport.last.path).toBe("/apis/example.com/v1/widgets");
    expect(queryOf(transport)).toEqual({});
  });

  it("fills in apiVersion and kind where the server leaves them out of a list", async () => {
    const items = [{ metadata: { name: "a" } }, { metadata: { name: "b" } }];
    const { client } = clientWith(() => ({ kind: "WidgetList", metadata: { resourceVersion: "5" }, items }));
    const list = await client.list(Widget);
    expect(list.items.map((item) => `${item.apiVersion} ${item.kind} ${item.metadata.name}`)).toEqual([
      "example.com/v1 Widget a",
      "example.com/v1 Widget b",
    ]);
    expect(list.metadata.resourceVersion).toBe("5");
    expect(Object.isFrozen(list) && Object.isFrozen(list.items) && list.items.every(Object.isFrozen)).toBe(
      true,
    );
  });

  it("walks the pages of a list", async () => {
    const pages: Record<string, unknown> = {
      "": { metadata: { continue: "1" }, items: [{ kind: "Widget", n: 1 }] },
      "1": { metadata: { continue: "2" }, items: [{ kind: "Widget", n: 2 }] },
      "2": { metadata: { continue: "" }, items: [] },
    };
    const { client, transport } = clientWith((request) => pages[String(request.query?.["continue"] ?? "")]);
    const counts: number[] = [];
    for await (const page of client.pages(Widget, { namespace: "default", labelSelector: "a=b" }))
      counts.push(page.items.length);
    expect(counts).toEqual([1, 1, 0]);
    expect(transport.requests.map((request) => request.query?.["limit"])).toEqual(["500", "500", "500"]);
    expect(transport.requests.every((request) => request.query?.["labelSelector"] === "a=b")).toBe(true);
  });

  it("reads metadata alone for kinds made so", async () => {
    const { client, transport } = clientWith(() => ({ metadata: {}, items: [{ metadata: { name: "a" } }] }));
    const list = await client.list(metadataOnly(Widget));
    expect(transport.last.headers?.["accept"]).toBe(
      "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
    );
    expect(list.items[0]).toMatchObject({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata" });
    await client.get(metadataOnly(Widget), key);
    expect(transport.last.headers?.["accept"]).toBe(
      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    );
    expect(metadataOnly(Widget)).toBe(metadataOnly(Widget));
  });
});

describe("Client.watch", () => {
  const added = { type: "ADDED", object: { kind: "Widget", metadata: { name: "a" } } };
  const bookmark = { type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } };

  it("reads a list that the server wrote as null as empty", async () => {
    const list = {
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadataList",
      metadata: {},
      items: null,
    };
    const { client } = clientWith(() => list);
    expect((await client.list(metadataOnly(Widget), { namespace: "default" })).items).toEqual([]);
  });

  it("gives single events, or the batches they came in", async () => {
    const { client, transport } = clientWith(() => [[added, added], [bookmark]]);
    const types: string[] = [];
    for await (const event of await client.watch(Widget, { resourceVersion: "5", timeoutSeconds: 60 }))
      types.push(event.type);
    expect(types).toEqual(["ADDED", "ADDED", "BOOKMARK"]);
    expect(transport.last.path).toBe("/apis/example.com/v1/widgets");
    expect(queryOf(transport)).toEqual({
      watch: "true",
      resourceVersion: "5",
      timeoutSeconds: "60",
      allowWatchBookmarks: "true",
    });
    const sizes: number[] = [];
    for await (const batch of (await client.watch(Widget)).batches()) sizes.push(batch.length);
    expect(sizes).toEqual([2, 1]);
  });

  it("asks for the initial events as the server wants it asked", async () => {
    const { client, transport } = clientWith(() => []);
    await client.watch(Widget, { sendInitialEvents: true });
    expect(queryOf(transport)).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
      resourceVersionMatch: "NotOlderThan",
    });
    await client.watch(Widget, { bookmarks: false });
    expect(queryOf(transport)).toEqual({ watch: "true" });
  });

  it("throws what the server reports, after the events before it", async () => {
    const { client } = clientWith(() => [[added, { type: "ERROR", object: expired("too old").status }]]);
    const events: string[] = [];
    const error = await rejection(
      (async () => {
        for await (const event of await client.watch(Widget)) events.push(event.type);
      })(),
    );
    expect(events).toEqual(["ADDED"]);
    expect(error).toMatchObject({ name: "StatusError", code: 410, reason: "Expired" });
  });
});

describe("Client writes", () => {
  it("creates, filling in apiVersion and kind", async () => {
    const { client, transport } = clientWith();
    await client.create(
      Widget,
      { metadata: key, spec: { size: 1 } },
      { fieldManager: "me", fieldValidation: "Strict", dryRun: true },
    );
    expect(transport.last).toMatchObject({
      method: "POST",
      path,
      body: { apiVersion: "example.com/v1", kind: "Widget", metadata: key, spec: { size: 1 } },
    });
    expect(queryOf(transport)).toEqual({ fieldManager: "me", fieldValidation: "Strict", dryRun: "All" });
    await client.create(Widget, {
      metadata: { namespace: "default", generateName: "a-" },
      spec: { size: 1 },
    });
    expect(transport.last.path).toBe(path);
  });

  it("updates the object or a subresource, sending it as it is", async () => {
    const { client, transport } = clientWith();
    await client.update(Widget, widget);
    expect(transport.last).toMatchObject({ method: "PUT", path: `${path}/a` });
    expect(transport.last.body).toBe(widget);
    await client.update(Widget, widget, { subresource: "status" });
    expect(transport.last.path).toBe(`${path}/a/status`);
  });

  it.each([
    [
      "merge",
      { merge: { spec: { size: 2, limits: null } } },
      "application/merge-patch+json",
      { spec: { size: 2, limits: null } },
    ],
    [
      "strategic",
      { strategic: { spec: { size: 2 } } },
      "application/strategic-merge-patch+json",
      { spec: { size: 2 } },
    ],
    [
      "json",
      { json: [{ op: "remove", path: "/x" }] },
      "application/json-patch+json",
      [{ op: "remove", path: "/x" }],
    ],
  ] as const)("sends a %s patch", async (_form, patch, contentType, body) => {
    const { client, transport } = clientWith();
    await client.patch(Widget, key, patch);
    expect(transport.last).toMatchObject({
      method: "PATCH",
      path: `${path}/a`,
      headers: { "content-type": contentType },
      body,
    });
  });

  it("locks a patch to a version where asked", async () => {
    const { client, transport } = clientWith();
    await client.patch(
      Widget,
      key,
      { merge: { metadata: { labels: { a: "b" } } } },
      { resourceVersion: "7" },
    );
    expect(transport.last.body).toEqual({ metadata: { labels: { a: "b" }, resourceVersion: "7" } });
    await client.patch(Widget, key, { json: [{ op: "remove", path: "/x" }] }, { resourceVersion: "7" });
    expect(transport.last.body).toEqual([
      { op: "test", path: "/metadata/resourceVersion", value: "7" },
      { op: "remove", path: "/x" },
    ]);
  });

  it("applies as the field manager named, and refuses without one", async () => {
    const { client, transport } = clientWith(undefined, { fieldManager: "operator" });
    await client.apply(Widget, { metadata: key, spec: { size: 1 } });
    expect(transport.last).toMatchObject({
      method: "PATCH",
      path: `${path}/a`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: { apiVersion: "example.com/v1", kind: "Widget", metadata: key, spec: { size: 1 } },
    });
    expect(queryOf(transport)).toEqual({ fieldManager: "operator" });
    await client.apply(
      Widget,
      { metadata: key },
      { fieldManager: "other", force: true, subresource: "status" },
    );
    expect(queryOf(transport)).toEqual({ fieldManager: "other", force: "true" });
    const error = await rejection(clientWith().client.apply(Widget, { metadata: key }));
    expect(error).toBeInstanceOf(InvalidCallError);
    expect(error.message).toContain('apply of widgets.example.com "a": the field manager is missing');
  });

  it("deletes with options in the body", async () => {
    const { client, transport } = clientWith();
    await client.delete(Widget, key, {
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: true,
    });
    expect(transport.last).toMatchObject({ method: "DELETE", path: `${path}/a` });
    expect(JSON.parse(JSON.stringify(transport.last.body))).toEqual({
      kind: "DeleteOptions",
      apiVersion: "v1",
      preconditions: { uid: "u", resourceVersion: "7" },
      propagationPolicy: "Foreground",
      gracePeriodSeconds: 0,
      dryRun: ["All"],
    });
    await client.deleteAllOf(Widget, { namespace: "default", labelSelector: "a=b" });
    expect(transport.last).toMatchObject({ method: "DELETE", path });
    expect(queryOf(transport)).toEqual({ labelSelector: "a=b" });
  });

  it("passes warnings to the handler, with what was asked", async () => {
    const heard: string[] = [];
    const { client, transport } = clientWith(undefined, {
      onWarning: (text, request) => void heard.push(`${request.method} ${request.path}: ${text}`),
    });
    transport.warnings = ["one", "two"];
    await client.update(Widget, widget);
    expect(heard).toEqual([`PUT ${path}/a: one`, `PUT ${path}/a: two`]);
  });

  it("passes signals on", async () => {
    const { client, transport } = clientWith(() => ({ metadata: {}, items: [] }));
    const { signal } = new AbortController();
    await client.get(Widget, key, { signal });
    await client.list(Widget, { signal });
    await client.deleteAllOf(Widget, { namespace: "default", signal });
    await client.delete(Widget, key, { signal });
    expect(transport.requests.every((request) => request.signal === signal)).toBe(true);
  });
});

describe("Client with a namespace of its own", () => {
  const inTeam = (): { client: Client; transport: RecordingTransport } => {
    const { client, transport } = clientWith(() => ({ metadata: {}, items: [] }));
    return { client: client.withDefaults({ namespace: "team-a" }), transport };
  };

  it("fills the namespace in, and leaves cluster-scoped kinds alone", async () => {
    const { client, transport } = inTeam();
    const team = "/apis/example.com/v1/namespaces/team-a/widgets";
    await client.get(Widget, { name: "a" });
    expect(transport.last.path).toBe(`${team}/a`);
    await client.list(Widget);
    expect(transport.last.path).toBe(team);
    await client.create(Widget, { metadata: { name: "a" }, spec: { size: 1 } });
    expect(transport.last.path).toBe(team);
    await client.deleteAllOf(Widget);
    expect(transport.last.path).toBe(team);
    await client.get(Zone, { name: "z" });
    expect(transport.last.path).toBe("/apis/example.com/v1/zones/z");
  });

  it("refuses any other namespace", async () => {
    const { client, transport } = inTeam();
    const message = 'widgets.example.com "a": this client works in namespace team-a, but default is given';
    expect((await rejection(client.get(Widget, key))).message).toBe(message);
    expect((await rejection(client.update(Widget, widget))).message).toBe(message);
    expect((await rejection(client.list(Widget, { namespace: "default" }))).message).toContain(
      "works in namespace team-a",
    );
    expect(transport.requests).toEqual([]);
  });

  it("keeps dry runs dry", async () => {
    const { client, transport } = clientWith();
    const dry = client.withDefaults({ dryRun: true }).withDefaults({ fieldManager: "m" });
    await dry.update(Widget, widget, { dryRun: false });
    expect(queryOf(transport)).toEqual({ dryRun: "All", fieldManager: "m" });
    await dry.delete(Widget, key);
    expect(transport.last.body).toMatchObject({ dryRun: ["All"] });
    await client.update(Widget, widget);
    expect(queryOf(transport)).toEqual({});
  });
});

describe("Client calls that cannot be sent", () => {
  it.each<[what: string, call: (client: Client) => Promise<unknown>, message: string]>([
    [
      "no namespace",
      (client) => client.get(Widget, { name: "a" }),
      'widgets.example.com "a": the namespace is missing',
    ],
    [
      "no name",
      (client) => client.get(Widget, { metadata: { namespace: "x" } }),
      "widgets.example.com: the name of the object is missing",
    ],
    [
      "empty name",
      (client) => client.get(Widget, { namespace: "x", name: "" }),
      "widgets.example.com: the name of the object is missing",
    ],
    [
      "create without namespace",
      (client) => client.create(Widget, { metadata: { generateName: "a-" }, spec: { size: 1 } }),
      'widgets.example.com "a-": the namespace is missing',
    ],
    [
      "namespace for a cluster kind",
      (client) => client.get(Zone, { namespace: "x", name: "z" }),
      'zones.example.com "z": the kind is cluster-scoped, but namespace x is given',
    ],
    [
      "delete everywhere",
      (client) => client.deleteAllOf(Widget),
      "widgets.example.com: the namespace is missing",
    ],
  ])("says why: %s", async (_what, call, message) => {
    const { client, transport } = clientWith();
    const error = await rejection(call(client));
    expect(error).toMatchObject({ name: "InvalidCallError", code: "BOWLINE_INVALID_CALL" });
    expect(error.message).toContain(message);
    expect(transport.requests).toEqual([]);
  });
});

describe("Client on kinds known by name alone", () => {
  it("finds resource and scope by asking the server", async () => {
    const discovery = {
      kind: "APIGroupDiscoveryList",
      items: [
        {
          metadata: { name: "example.com" },
          versions: [
            {
              version: "v1",
              resources: [{ resource: "widgets", responseKind: { kind: "Widget" }, scope: "Namespaced" }],
            },
          ],
        },
      ],
    };
    const { client, transport } = clientWith((request) =>
      request.path.startsWith("/apis/") ? widget : discovery,
    );
    const found = await client.get({ apiVersion: "example.com/v1", kind: "Widget" }, key);
    expect(found["spec"]).toEqual(widget.spec);
    await client.update(widget, widget);
    expect(transport.requests.map((request) => `${request.method} ${request.path}`)).toEqual([
      "GET /api",
      "GET /apis",
      `GET ${path}/a`,
      `PUT ${path}/a`,
    ]);
    const error = await rejection(client.get({ apiVersion: "example.com/v2", kind: "Widget" }, key));
    expect(error).toMatchObject({ code: "BOWLINE_NO_KIND_MATCH" });
    expect(error.message).toContain("the server does not serve example.com/v2, Kind=Widget");
  });
});

describe("Client types", () => {
  it("types reads as deeply read-only, and writes by what may be left out", () => {
    const { client } = clientWith();
    expectTypeOf(client.get(Widget, key)).resolves.toExtend<{ readonly spec: { readonly color: string } }>();
    type Read = Awaited<ReturnType<typeof client.get<typeof Widget>>>;
    expectTypeOf<Read["spec"]["parts"]>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<Read["metadata"]["labels"]>().toEqualTypeOf<{ readonly [x: string]: string } | undefined>();
    const read = widget as unknown as Read;
    const calls = (): unknown[] => [
      client.update(Widget, { ...read, spec: { ...read.spec, size: 2 } }),
      client.apply(Widget, { metadata: { name: "a" }, status: { ready: true } }, { subresource: "status" }),
      client.patch(Widget, read, { merge: { spec: { limits: { low: null } } } }),
      // @ts-expect-error size is required
      client.create(Widget, { metadata: key, spec: { color: "red" } }),
      // @ts-expect-error there is no such field
      client.apply(Widget, { metadata: { name: "a" }, spec: { size: 1, colour: "red" } }),
      // @ts-expect-error size is a number
      client.patch(Widget, key, { merge: { spec: { size: "2" } } }),
      // @ts-expect-error metadata alone cannot be created
      client.create(metadataOnly(Widget), { metadata: key }),
      // @ts-expect-error a name is needed to apply
      client.apply(Widget, { metadata: { namespace: "default" } }),
    ];
    expect(calls).toBeTypeOf("function");
  });
});
