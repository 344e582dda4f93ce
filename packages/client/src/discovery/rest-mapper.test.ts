import { failure, notFound } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { type Answer, RecordingTransport } from "../../test/recording-transport.ts";
import { rejection } from "../../test/until.ts";
import { type RestMapper, createRestMapper } from "./rest-mapper.ts";

function mapperWith(answer: Answer): {
  mapper: RestMapper;
  transport: RecordingTransport;
  paths: () => string[];
} {
  const transport = new RecordingTransport(answer);
  const paths = (): string[] => transport.requests.map((request) => request.path);
  return { mapper: createRestMapper(transport), transport, paths };
}

type Resource = readonly [plural: string, kind: string, extra?: object];
const version = (name: string, ...resources: Resource[]): object => ({
  version: name,
  freshness: "Current",
  resources: resources.map(([resource, kind, extra]) => ({
    resource,
    responseKind: { kind },
    scope: "Namespaced",
    verbs: ["get"],
    ...extra,
  })),
});
const group = (name: string, ...versions: object[]): object => ({ metadata: { name }, versions });
const aggregated = (...items: object[]): object => ({ kind: "APIGroupDiscoveryList", items });

const core = aggregated(
  group(
    "",
    version(
      "v1",
      [
        "pods",
        "Pod",
        {
          singularResource: "pod",
          shortNames: ["po"],
          categories: ["all"],
          subresources: [{ subresource: "log" }, { subresource: "status" }],
        },
      ],
      ["events", "Event", { singularResource: "event", shortNames: ["ev"] }],
      ["namespaces", "Namespace", { scope: "Cluster" }],
    ),
  ),
);
const groups = aggregated(
  group(
    "apps",
    version("v1", ["deployments", "Deployment", { singularResource: "deployment", shortNames: ["deploy"] }]),
  ),
  group("events.k8s.io", version("v1", ["events", "Event", { shortNames: ["ev"] }])),
  group(
    "autoscaling",
    version("v2", ["scalers", "Scaler"]),
    version("v1", ["scalers", "Scaler"], ["olds", "Old"]),
  ),
  group("short.example", version("v1", ["pos", "Pos", { shortNames: ["pod", "x"] }])),
);
const modern: Answer = (request) => (request.path === "/api" ? core : groups);

describe("RestMapper on aggregated discovery", () => {
  it("asks twice for everything, once", async () => {
    const { mapper, transport, paths } = mapperWith(modern);
    const [pod, deployment] = await Promise.all([
      mapper.resourceFor({ apiVersion: "v1", kind: "Pod" }),
      mapper.resourceFor({ apiVersion: "apps/v1", kind: "Deployment" }),
    ]);
    expect(pod).toEqual({
      group: "",
      version: "v1",
      apiVersion: "v1",
      kind: "Pod",
      listKind: "PodList",
      plural: "pods",
      singular: "pod",
      shortNames: ["po"],
      categories: ["all"],
      scope: "Namespaced",
      verbs: ["get"],
      subresources: ["log", "status"],
    });
    expect(deployment.plural).toBe("deployments");
    expect((await mapper.resourceFor({ apiVersion: "v1", kind: "Namespace" })).scope).toBe("Cluster");
    expect(paths()).toEqual(["/api", "/apis"]);
    expect(transport.requests[0]?.headers?.["accept"]).toMatch(
      /^application\/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,/,
    );
  });

  it.each([
    [{ resource: "pods" }, "v1 Pod"],
    [{ resource: "po" }, "v1 Pod"],
    [{ resource: "pod" }, "v1 Pod"],
    [{ resource: "PODS" }, "v1 Pod"],
    [{ resource: "events" }, "v1 Event"],
    [{ resource: "events", group: "events.k8s.io" }, "events.k8s.io/v1 Event"],
    [{ resource: "deploy" }, "apps/v1 Deployment"],
    [{ resource: "x" }, "short.example/v1 Pos"],
    [{ resource: "scalers" }, "autoscaling/v2 Scaler"],
    [{ resource: "scalers", version: "v1" }, "autoscaling/v1 Scaler"],
    [{ resource: "olds" }, "autoscaling/v1 Old"],
    [{ resource: "pods", group: "" }, "v1 Pod"],
  ])("finds %j", async (ref, expected) => {
    const { mapper } = mapperWith(modern);
    const kind = await mapper.kindFor(ref);
    expect(`${kind.apiVersion} ${kind.kind}`).toBe(expected);
  });

  it("lists every kind, preferred versions first", async () => {
    const { mapper } = mapperWith(modern);
    const names = (await mapper.kinds()).map((kind) => `${kind.apiVersion}/${kind.plural}`);
    expect(names.slice(-4)).toEqual([
      "autoscaling/v2/scalers",
      "autoscaling/v1/scalers",
      "autoscaling/v1/olds",
      "short.example/v1/pos",
    ]);
    expect(names).toHaveLength(9);
  });

  it("looks again before it says that there is no such kind, and finds one that appeared", async () => {
    let served = groups;
    const { mapper, paths } = mapperWith((request) => (request.path === "/api" ? core : served));
    await mapper.resourceFor({ apiVersion: "v1", kind: "Pod" });
    const error = await rejection(mapper.resourceFor({ apiVersion: "example.com/v1", kind: "Late" }));
    expect(error).toMatchObject({ name: "NoKindMatchError", code: "BOWLINE_NO_KIND_MATCH" });
    expect(error.message).toBe(
      "the server does not serve example.com/v1, Kind=Late; is the CRD installed, and this version served?",
    );
    expect(paths()).toHaveLength(4);
    served = aggregated(group("example.com", version("v1", ["lates", "Late"])));
    expect((await mapper.resourceFor({ apiVersion: "example.com/v1", kind: "Late" })).plural).toBe("lates");
    expect(paths()).toHaveLength(6);
    const missing = await rejection(
      mapper.kindFor({ resource: "deploy", group: "none.example", version: "v1" }),
    );
    expect(missing.message).toBe('the server has no resource "deploy" in group none.example, version v1');
  });

  it("looks once for many that miss at the same time", async () => {
    const { mapper, paths } = mapperWith(modern);
    await mapper.kinds();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        rejection(mapper.resourceFor({ apiVersion: "no.example/v1", kind: `K${index}` })),
      ),
    );
    expect(paths()).toHaveLength(4);
  });

  it("forgets everything when reset, and does not keep a failure", async () => {
    let isUp = false;
    const { mapper, paths } = mapperWith((request) =>
      isUp ? modern(request) : failure(503, "ServiceUnavailable", "not yet"),
    );
    expect((await rejection(mapper.kinds())).message).toBe("not yet");
    isUp = true;
    expect((await mapper.kinds()).length).toBeGreaterThan(0);
    mapper.reset();
    await mapper.kinds();
    expect(paths()).toHaveLength(6);
  });

  it("tells a group that cannot be read from one without the kind", async () => {
    const stale = { version: "v1", freshness: "Stale", resources: [] };
    const { mapper } = mapperWith((request) => {
      if (request.path === "/apis/metrics.k8s.io/v1")
        return failure(503, "ServiceUnavailable", "metrics are down");
      return request.path === "/api"
        ? core
        : aggregated(
            group("metrics.k8s.io", stale),
            group("apps", version("v1", ["deployments", "Deployment"])),
          );
    });
    expect((await mapper.resourceFor({ apiVersion: "apps/v1", kind: "Deployment" })).plural).toBe(
      "deployments",
    );
    expect((await mapper.kindFor({ resource: "deployments" })).group).toBe("apps");
    expect(
      (await rejection(mapper.resourceFor({ apiVersion: "metrics.k8s.io/v1", kind: "PodMetrics" }))).message,
    ).toBe("metrics are down");
    expect((await rejection(mapper.kindFor({ resource: "podmetrics" }))).message).toBe("metrics are down");
    expect((await mapper.kinds()).map((kind) => kind.plural)).toContain("pods");
  });

  it("lets one caller give up without stopping the others", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => void (release = resolve));
    const { mapper } = mapperWith(async (request) => {
      await gate;
      return modern(request);
    });
    const controller = new AbortController();
    const impatient = rejection(
      mapper.resourceFor({ apiVersion: "v1", kind: "Pod" }, { signal: controller.signal }),
    );
    const patient = mapper.resourceFor({ apiVersion: "v1", kind: "Pod" });
    controller.abort(new Error("no time"));
    expect((await impatient).message).toBe("no time");
    release();
    expect((await patient).kind).toBe("Pod");
  });
});

describe("RestMapper on legacy discovery", () => {
  const legacy: Answer = (request) => {
    switch (request.path) {
      case "/api":
        return { kind: "APIVersions", versions: ["v1"] };
      case "/apis":
        return {
          kind: "APIGroupList",
          groups: [
            { name: "apps", versions: [{ version: "v1" }] },
            {
              name: "batch",
              versions: [{ version: "v1beta1" }, { version: "v1" }],
              preferredVersion: { version: "v1" },
            },
            { name: "gone.example", versions: [{ version: "v1" }] },
          ],
        };
      case "/api/v1":
        return {
          resources: [
            {
              name: "pods",
              singularName: "",
              namespaced: true,
              kind: "Pod",
              verbs: ["list"],
              shortNames: ["po"],
            },
            { name: "pods/log", singularName: "", namespaced: true, kind: "Pod", verbs: ["get"] },
          ],
        };
      case "/apis/apps/v1":
        return { resources: [{ name: "deployments", namespaced: true, kind: "Deployment" }] };
      case "/apis/batch/v1":
      case "/apis/batch/v1beta1":
        return { resources: [{ name: "jobs", namespaced: true, kind: "Job" }] };
      default:
        return notFound({ group: "", resource: "x" }, "");
    }
  };

  it("reads only the group versions that are asked for", async () => {
    const { mapper, paths } = mapperWith(legacy);
    expect(await mapper.resourceFor({ apiVersion: "v1", kind: "Pod" })).toMatchObject({
      plural: "pods",
      singular: "pod",
      verbs: ["list"],
      subresources: ["log"],
    });
    await mapper.resourceFor({ apiVersion: "v1", kind: "Pod" });
    expect(paths()).toEqual(["/api", "/apis", "/api/v1"]);
  });

  it("respects the preferred version, and passes over a group that went away", async () => {
    const { mapper } = mapperWith(legacy);
    expect((await mapper.kindFor({ resource: "jobs" })).version).toBe("v1");
    expect((await mapper.kinds()).map((kind) => `${kind.apiVersion}/${kind.plural}`)).toEqual([
      "v1/pods",
      "apps/v1/deployments",
      "batch/v1/jobs",
      "batch/v1beta1/jobs",
    ]);
  });
});
