import { PersistentVolume, PersistentVolumeClaim, Pod } from "@bowline/api/core/v1";
import { StorageClass } from "@bowline/api/storage/v1";
import { describe, expect, it } from "vitest";
import { type World, newWorld } from "./world.ts";

const key = { name: "data", namespace: "default" };

function claimOf(spec: object = {}): never {
  return {
    metadata: key,
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
  } as never;
}

function volumeOf(name: string, storage: string, spec: object = {}): never {
  return {
    metadata: { name },
    spec: {
      capacity: { storage },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path: "/data" },
      ...spec,
    },
  } as never;
}

const get = (world: World) => world.client.get(PersistentVolumeClaim, key);
const phase = async (world: World) => (await world.client.find(PersistentVolumeClaim, key))?.status?.phase;
const bound = (world: World) =>
  world.until("the claim is bound", async () => (await phase(world)) === "Bound");

function podWithClaim(name: string): never {
  return {
    metadata: { name, namespace: "default" },
    spec: {
      containers: [{ name: "main", image: "nginx" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
    },
  } as never;
}

async function started(): Promise<World> {
  const world = await newWorld();
  await world.until("the default class", () => world.client.find(StorageClass, { name: "standard" }));
  return world;
}

describe("Volumes", () => {
  it("binds a claim to a new volume of the default class", async () => {
    const world = await started();
    await world.client.create(PersistentVolumeClaim, claimOf());
    await bound(world);
    const claim = await get(world);
    expect(claim.spec?.storageClassName).toBe("standard");
    expect(claim.status).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } });
    const volume = await world.client.get(PersistentVolume, { name: claim.spec?.volumeName ?? "" });
    expect(volume.metadata.name).toBe(`pvc-${claim.metadata.uid}`);
    expect(volume.spec?.claimRef).toMatchObject({ ...key, uid: claim.metadata.uid });
    expect(volume.status?.phase).toBe("Bound");
  });

  it("binds a claim without a class to the smallest volume that fits", async () => {
    const world = await started();
    for (const [name, size] of [
      ["large", "10Gi"],
      ["small", "500Mi"],
      ["fitting", "2Gi"],
    ] as const) {
      await world.client.create(PersistentVolume, volumeOf(name, size));
    }
    await world.client.create(PersistentVolumeClaim, claimOf({ storageClassName: "" }));
    await bound(world);
    expect((await get(world)).spec?.volumeName).toBe("fitting");
  });

  it("leaves a claim pending for which there is no volume, and binds it when one comes", async () => {
    const world = await started();
    await world.client.create(PersistentVolumeClaim, claimOf({ storageClassName: "" }));
    await world.quiet();
    expect(await phase(world)).toBe("Pending");
    expect(await world.events({ kind: "PersistentVolumeClaim", name: "data" })).toEqual([
      "FailedBinding: no persistent volumes available for this claim and no storage class is set",
    ]);
    await world.client.create(PersistentVolume, volumeOf("late", "1Gi"));
    await bound(world);
  });

  it("waits for the first pod with the mode WaitForFirstConsumer, and makes the volume on its node", async () => {
    const world = await started();
    await world.client.create(StorageClass, {
      metadata: { name: "local" },
      provisioner: "example.com/local",
      volumeBindingMode: "WaitForFirstConsumer",
    } as never);
    await world.client.create(PersistentVolumeClaim, claimOf({ storageClassName: "local" }));
    await world.pass(10_000);
    expect(await phase(world)).toBe("Pending");
    await world.client.create(Pod, podWithClaim("user"));
    await world.wait(
      "the pod runs",
      async () =>
        (await world.client.get(Pod, { name: "user", namespace: "default" })).status?.phase === "Running",
    );
    const [volume] = await world.list(PersistentVolume);
    expect(volume?.spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values).toEqual(
      ["node-1"],
    );
  });

  it.each([
    ["Delete", []],
    ["Retain", ["Released"]],
  ])(
    "does with the volume of a deleted claim as the reclaim policy %s says",
    async (reclaimPolicy, phases) => {
      const world = await started();
      await world.client.create(StorageClass, {
        metadata: { name: "own" },
        provisioner: "example.com/x",
        reclaimPolicy,
      } as never);
      await world.client.create(PersistentVolumeClaim, claimOf({ storageClassName: "own" }));
      await bound(world);
      await world.client.delete(PersistentVolumeClaim, key);
      await world.wait("the claim is gone", async () => (await phase(world)) === undefined, 10_000);
      await world.pass(1000);
      expect((await world.list(PersistentVolume)).map((volume) => volume.status?.phase)).toEqual(phases);
    },
  );

  it("keeps a deleted claim as long as a pod uses it", async () => {
    const world = await started();
    const metadata = { ...key, finalizers: ["kubernetes.io/pvc-protection"] };
    await world.client.create(PersistentVolumeClaim, { ...(claimOf() as object), metadata } as never);
    const pod = await world.client.create(Pod, podWithClaim("user"));
    await world.wait(
      "the pod runs",
      async () => (await world.client.get(Pod, pod)).status?.phase === "Running",
    );
    await world.client.delete(PersistentVolumeClaim, key);
    await world.pass(60_000);
    expect((await get(world)).metadata.deletionTimestamp).toBeDefined();
    await world.client.delete(Pod, pod);
    await world.wait("the claim is gone", async () => (await phase(world)) === undefined, 60_000);
  });

  it("grows a volume with its claim", async () => {
    const world = await started();
    await world.client.create(PersistentVolumeClaim, claimOf());
    await bound(world);
    await world.client.patch(PersistentVolumeClaim, key, {
      merge: { spec: { resources: { requests: { storage: "3Gi" } } } },
    });
    await world.until("it has grown", async () => (await get(world)).status?.capacity?.["storage"] === "3Gi");
  });

  it("grows only what its class lets grow", async () => {
    const world = await started();
    const grow = (): Promise<string> =>
      world.client
        .patch(PersistentVolumeClaim, key, {
          merge: { spec: { resources: { requests: { storage: "3Gi" } } } },
        })
        .then(
          () => "grown",
          (error: Error) => error.message,
        );
    const refusal = (why: string): string => `persistentvolumeclaims "${key.name}" is forbidden: ${why}`;
    await world.client.create(StorageClass, {
      metadata: { name: "rigid" },
      provisioner: "example.com/disk",
    } as never);
    await world.client.create(PersistentVolumeClaim, claimOf({ storageClassName: "rigid" }));
    await bound(world);
    expect(await grow()).toBe(
      refusal(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      ),
    );
    await world.client.patch(StorageClass, { name: "rigid" }, { merge: { allowVolumeExpansion: true } });
    expect(await grow()).toBe("grown");
  });
});
