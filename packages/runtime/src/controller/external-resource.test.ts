import type { KubeObject } from "@bowline/api";
import { describe, expect, it } from "vitest";
import { type ExternalResource, ensureExternal, removeExternal } from "./external-resource.ts";

interface Bucket extends KubeObject {
  spec: { region: string };
}

function bucketIn(region: string): Bucket {
  return { apiVersion: "example.com/v1", kind: "Bucket", metadata: { name: "b" }, spec: { region } };
}

describe("ensureExternal", () => {
  const ctx = { signal: new AbortController().signal };

  function cloud(canUpdate: boolean) {
    let region: string | undefined;
    const calls: string[] = [];
    const resource: ExternalResource<Bucket, { region: string }> = {
      observe: async () => (region === undefined ? undefined : { region }),
      create: async (bucket) => void (calls.push("create"), (region = bucket.spec.region)),
      matches: (observed, bucket) => observed.region === bucket.spec.region,
      delete: async () => void (calls.push("delete"), (region = undefined)),
      ...(canUpdate
        ? { update: async (_, bucket) => void (calls.push("update"), (region = bucket.spec.region)) }
        : {}),
    };
    return { resource, calls };
  }

  it("creates what is not there, leaves what matches, and updates what differs", async () => {
    const { resource, calls } = cloud(true);
    expect(await ensureExternal(resource, bucketIn("east"), ctx)).toBe("created");
    expect(await ensureExternal(resource, bucketIn("east"), ctx)).toBe("unchanged");
    expect(await ensureExternal(resource, bucketIn("west"), ctx)).toBe("updated");
    expect(calls).toEqual(["create", "update"]);
  });

  it("replaces what cannot be updated", async () => {
    const { resource, calls } = cloud(false);
    await ensureExternal(resource, bucketIn("east"), ctx);
    expect(await ensureExternal(resource, bucketIn("west"), ctx)).toBe("replaced");
    expect(calls).toEqual(["create", "delete", "create"]);
  });

  it("removes what is there, once", async () => {
    const { resource, calls } = cloud(true);
    await ensureExternal(resource, bucketIn("east"), ctx);
    expect(await removeExternal(resource, bucketIn("east"), ctx)).toBe(true);
    expect(await removeExternal(resource, bucketIn("east"), ctx)).toBe(false);
    expect(calls).toEqual(["create", "delete"]);
  });
});
