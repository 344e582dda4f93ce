import { describe, expect, it } from "vitest";
import { builtinResources } from "../builtin/catalog.ts";
import { compareVersions } from "../crd/crd-versions.ts";
import { customApiResource } from "./custom-api-resource.ts";
import { buildDiscovery } from "./discovery.ts";

const kettles = customApiResource({
  group: "example.com",
  scope: "Namespaced",
  names: {
    plural: "kettles",
    singular: "kettle",
    kind: "Kettle",
    listKind: "KettleList",
    shortNames: ["kt"],
    categories: ["all"],
  },
  version: { name: "v1", subresources: { status: {}, scale: {} } },
  storageVersion: "v1",
});

const served = builtinResources.filter((resource) => resource.servedByDefault);

describe("compareVersions", () => {
  it.each([
    [
      "v10",
      "v2",
      "v1",
      "v11beta2",
      "v1beta2",
      "v1beta1",
      "v3alpha10",
      "v2alpha1",
      "v1alpha1",
      "foo1",
      "zebra",
    ],
    ["v1", "v0", "v2beta3", "alpha", "v1-beta", "v1alpha", "v1beta", "version2"],
  ])("orders %s first", (...versions: string[]) => {
    expect([...versions].reverse().sort(compareVersions)).toEqual(versions);
  });

  it("takes v1 and v01 for the same version", () => {
    expect(compareVersions("v01", "v1")).toBe(0);
  });
});

describe("buildDiscovery", () => {
  const discovery = buildDiscovery([...served, kettles]);

  it("lists the core group's version apart", () => {
    expect(discovery.core.versions).toEqual(["v1"]);
    expect(discovery.groups.groups.map((group) => group.name)).not.toContain("");
  });

  it("orders groups by priority, custom ones last", () => {
    const names = discovery.groups.groups.map((group) => group.name);
    expect(names.slice(0, 3)).toEqual(["apiregistration.k8s.io", "apps", "events.k8s.io"]);
    expect(names.at(-1)).toBe("example.com");
  });

  it("prefers the newest stable version of a group", () => {
    expect(discovery.group("autoscaling")?.preferredVersion).toEqual({
      groupVersion: "autoscaling/v2",
      version: "v2",
    });
  });

  it("lists subresources after their resource, with the group of a kind from elsewhere", () => {
    expect(
      discovery.resources("apps", "v1")?.resources.filter((r) => r.name.startsWith("deployments")),
    ).toEqual([
      {
        name: "deployments",
        singularName: "deployment",
        namespaced: true,
        kind: "Deployment",
        verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
        shortNames: ["deploy"],
        categories: ["all"],
        storageVersionHash: "8aSe+NMegvE=",
      },
      {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"],
      },
      {
        name: "deployments/status",
        singularName: "",
        namespaced: true,
        kind: "Deployment",
        verbs: ["get", "patch", "update"],
      },
    ]);
  });

  it("says nothing about what is not served", () => {
    expect(discovery.group("nothing.example.com")).toBeUndefined();
    expect(discovery.resources("example.com", "v2")).toBeUndefined();
  });

  it("describes a custom resource in the aggregated document", () => {
    const { body, mediaType } = discovery.aggregated({ core: false, version: "v2" });
    expect(mediaType).toBe("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    expect((body as { items: unknown[] }).items.at(-1)).toEqual({
      metadata: { name: "example.com" },
      versions: [
        {
          version: "v1",
          freshness: "Current",
          resources: [
            {
              resource: "kettles",
              responseKind: { group: "example.com", version: "v1", kind: "Kettle" },
              scope: "Namespaced",
              singularResource: "kettle",
              verbs: ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"],
              shortNames: ["kt"],
              categories: ["all"],
              subresources: [
                {
                  subresource: "status",
                  responseKind: { group: "example.com", version: "v1", kind: "Kettle" },
                  verbs: ["get", "patch", "update"],
                },
                {
                  subresource: "scale",
                  responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
                  verbs: ["get", "patch", "update"],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it("gives the same ETag for the same content and another for other content", () => {
    const etag = (resources: Parameters<typeof buildDiscovery>[0]): string =>
      buildDiscovery(resources).aggregated({ core: false, version: "v2" }).etag;
    expect(etag([...served, kettles])).toBe(discovery.aggregated({ core: false, version: "v2" }).etag);
    expect(etag(served)).not.toBe(discovery.aggregated({ core: false, version: "v2" }).etag);
  });

  it("refuses writes of a custom resource that is being removed", () => {
    const terminating = customApiResource({
      group: "example.com",
      scope: "Cluster",
      names: { plural: "pots", kind: "Pot" },
      version: { name: "v1" },
      terminating: true,
    });
    expect(buildDiscovery([terminating]).resources("example.com", "v1")?.resources).toEqual([
      {
        name: "pots",
        singularName: "",
        namespaced: false,
        kind: "Pot",
        verbs: ["delete", "deletecollection", "get", "list", "watch"],
      },
    ]);
  });
});

describe("builtinResources", () => {
  it.each([
    ["", "pods", "xPOwRZ+Yhw8="],
    ["", "events", "r2yiGXH7wu8="],
    ["events.k8s.io", "events", "r2yiGXH7wu8="],
    ["networking.k8s.io", "ingresses", "39NQlfNR+bo="],
    ["batch", "cronjobs", "sd5LIXh4Fjs="],
  ])("hashes the stored version of %s %s as the real server does", (group, plural, hash) => {
    expect(builtinResources.find((r) => r.group === group && r.plural === plural)?.storageVersionHash).toBe(
      hash,
    );
  });

  it("names no short name twice in what is served by default, except for the two kinds of events", () => {
    const names = served
      .filter((r) => r.plural !== "events")
      .flatMap((r) => (r.version === "v1" ? r.shortNames : []));
    expect(new Set(names).size).toBe(names.length);
  });
});
