/** A kind with three versions, converted through its operator's webhook, as the real kubectl sees it. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { type DeepReadonly, type KubeObject, defineCrd, defineKind } from "@bowline/api";
import * as k8s from "@bowline/api/k8s";
import { CustomResourceDefinition } from "@bowline/api/apiextensions/v1";
import { migrateStorage } from "@bowline/client";
import { checkRoundTrip, defineController, defineConversion, defineOperator } from "@bowline/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { realClient } from "../../../tools/real-clients.ts";
import { type TestCluster, startCluster, waitFor } from "../src/index.ts";

const names = { group: "example.com", kind: "Tank", shortNames: ["tk"] } as const;
const status = z.object({ conditions: k8s.conditions() });

/** `5l`, as text. */
const TankV1Alpha1 = defineKind({
  ...names,
  version: "v1alpha1",
  spec: z.object({ size: z.string() }),
  status,
});
/** Liters. */
const TankV1Beta1 = defineKind({
  ...names,
  version: "v1beta1",
  spec: z.object({ liters: z.int32(), color: z.string().optional() }),
  status,
});
/** Liters, with the color in a place of its own. */
const Tank = defineKind({
  ...names,
  version: "v1",
  spec: z.object({ liters: z.int32(), paint: z.object({ color: z.string() }).optional() }),
  status,
  printerColumns: [{ name: "Liters", type: "integer", jsonPath: ".spec.liters" }],
});

type Fields = Readonly<Record<string, never>>;
const colorAnnotation = "example.com/color";
const rest = (object: DeepReadonly<KubeObject> & { readonly status?: unknown }): object =>
  object.status === undefined ? {} : { status: object.status };

const conversion = defineConversion(Tank, {
  hub: "v1",
  spokes: [
    {
      version: "v1beta1",
      toHub(object) {
        const { liters, color } = object["spec"] as { liters: number; color?: string };
        return { spec: { liters, ...(color === undefined ? {} : { paint: { color } }) }, ...rest(object) };
      },
      fromHub(object) {
        const { liters, paint } = object["spec"] as { liters: number; paint?: { color: string } };
        return { spec: { liters, ...(paint === undefined ? {} : { color: paint.color }) }, ...rest(object) };
      },
    },
    {
      version: "v1alpha1",
      toHub(object) {
        const { size } = object["spec"] as { size: string };
        const { [colorAnnotation]: color, ...annotations } = object.metadata.annotations ?? {};
        return {
          metadata: { ...object.metadata, annotations },
          spec: { liters: Number.parseInt(size, 10), ...(color === undefined ? {} : { paint: { color } }) },
          ...rest(object),
        };
      },
      fromHub(object) {
        const { liters, paint } = object["spec"] as { liters: number; paint?: { color: string } };
        const kept = paint === undefined ? {} : { [colorAnnotation]: paint.color };
        return {
          metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...kept } },
          spec: { size: `${liters}l` },
          ...rest(object),
        };
      },
    },
  ],
});

const controller = defineController(Tank, {
  async reconcile(tank, ctx) {
    const message = `holds ${tank.spec.liters} liters`;
    await ctx.patchStatus({
      conditions: ctx.condition({ type: "Ready", status: "True", reason: "Filled", message }),
    });
  },
});

function operator(storage: "v1alpha1" | "v1") {
  const crd = defineCrd([TankV1Alpha1, TankV1Beta1, Tank], { storage });
  return {
    crd,
    operator: defineOperator({
      name: "tanks",
      kinds: [crd],
      controllers: [controller],
      webhooks: [conversion],
    }),
  };
}

describe("a kind with three versions", () => {
  let test: TestCluster;
  let folder: string;

  function access(): string[] {
    return ["--kubeconfig", path.join(folder, "config"), "--cache-dir", path.join(folder, "cache")];
  }
  async function kubectl(...args: string[]): Promise<string> {
    const ended = await promisify(execFile)(realClient("kubectl"), [...access(), ...args]).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return (ended.stdout + ended.stderr).trim();
  }
  const read = async (resource: string): Promise<Fields> =>
    JSON.parse(await kubectl("get", resource, "small", "-o", "json")) as Fields;
  const file = async (name: string, content: object): Promise<string> => {
    await writeFile(path.join(folder, name), JSON.stringify(content));
    return path.join(folder, name);
  };

  beforeAll(async () => {
    test = await startCluster({ controllers: false });
    await test.run(operator("v1alpha1").operator, { webhooks: true });
    folder = await mkdtemp(path.join(tmpdir(), "bowline-versions-"));
    await writeFile(path.join(folder, "config"), (await test.cluster.listen()).kubeconfig, { mode: 0o600 });
  });
  afterAll(async () => {
    await test.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("loses nothing between any two of them", () => {
    const metadata = { name: "t", labels: { a: "b" } };
    const sample = (version: string, spec: object) =>
      ({ apiVersion: `example.com/${version}`, kind: "Tank", metadata, spec }) as DeepReadonly<KubeObject>;
    const samples = [
      sample("v1alpha1", { size: "5l" }),
      sample("v1beta1", { liters: 5, color: "red" }),
      sample("v1", { liters: 5, paint: { color: "red" } }),
      sample("v1", { liters: 5 }),
    ];
    expect(checkRoundTrip(conversion, samples)).toEqual([]);
  });

  it("is created in the oldest and read in every version", async () => {
    const created = await file("old.json", {
      apiVersion: "example.com/v1alpha1",
      kind: "Tank",
      metadata: { name: "small", namespace: "default" },
      spec: { size: "5l" },
    });
    expect(await kubectl("create", "-f", created)).toBe("tank.example.com/small created");
    await waitFor(test.client, Tank, "default/small", {
      until: (tank) => tank?.status?.conditions?.[0]?.status === "True",
    });
    const condition = [{ type: "Ready", message: "holds 5 liters" }];
    expect(await read("tanks.v1.example.com")).toMatchObject({
      apiVersion: "example.com/v1",
      spec: { liters: 5 },
      status: { conditions: condition },
    });
    expect(await read("tanks.v1beta1.example.com")).toMatchObject({
      spec: { liters: 5 },
      status: { conditions: condition },
    });
    expect(await read("tanks.v1alpha1.example.com")).toMatchObject({
      spec: { size: "5l" },
      status: { conditions: condition },
    });
    // without a version it is the newest
    expect(await kubectl("get", "tk")).toMatch(/^NAME +LITERS\nsmall +5$/);
  });

  it("is applied in one version and applied again in another", async () => {
    const apply = async (version: string, spec: object) =>
      kubectl(
        "apply",
        "--server-side",
        "--field-manager=me",
        "-f",
        await file(`${version}.json`, {
          apiVersion: `example.com/${version}`,
          kind: "Tank",
          metadata: { name: "small", namespace: "default" },
          spec,
        }),
      );
    // kubectl-create owns the size that it made
    expect(await apply("v1beta1", { liters: 7, color: "red" })).toContain("conflict");
    expect(await apply("v1beta1", { liters: 5, color: "red" })).toBe(
      "tank.example.com/small serverside-applied",
    );
    expect(await read("tanks.v1.example.com")).toMatchObject({
      spec: { liters: 5, paint: { color: "red" } },
    });
    expect(await read("tanks.v1alpha1.example.com")).toMatchObject({
      metadata: { annotations: { [colorAnnotation]: "red" } },
      spec: { size: "5l" },
    });
    expect(await apply("v1", { liters: 5, paint: { color: "blue" } })).toBe(
      "tank.example.com/small serverside-applied",
    );
    expect(await read("tanks.v1beta1.example.com")).toMatchObject({ spec: { liters: 5, color: "blue" } });
  });

  it("is listed and watched in a version that is not stored", async () => {
    expect(await kubectl("get", "tanks.v1beta1.example.com", "-o", "jsonpath={.items[*].spec.color}")).toBe(
      "blue",
    );
    const template = ["-o", "jsonpath={.spec.color}{'\\n'}"];
    const watching = spawn(realClient("kubectl"), [
      ...access(),
      "get",
      "tanks.v1beta1.example.com",
      "--watch",
      ...template,
    ]);
    const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: "blue" });
    await kubectl(
      "patch",
      "tanks.v1.example.com",
      "small",
      "--type=merge",
      "-p",
      '{"spec":{"paint":{"color":"green"}}}',
    );
    expect(await lines.next()).toMatchObject({ value: "green" });
    watching.kill();
  });

  it("is migrated to another storage version, after which the old one can go", async () => {
    const name = { name: "tanks.example.com" };
    const stored = async () => (await test.client.get(CustomResourceDefinition, name)).status?.storedVersions;
    expect(await stored()).toEqual(["v1alpha1"]);
    const watch = await test.client.watch(TankV1Beta1);
    await test.install(operator("v1").crd);
    // what is open shows objects as they were defined before, so it ends
    for await (const event of watch) expect(event.type).not.toBe("ERROR");
    expect(await stored()).toEqual(["v1alpha1", "v1"]);
    const versions = async (...served: string[]) => {
      const crd = await test.client.get(CustomResourceDefinition, name);
      const left = crd.spec.versions.filter((version) => served.includes(version.name));
      return kubectl(
        "patch",
        "crd",
        name.name,
        "--type=merge",
        "-p",
        JSON.stringify({ spec: { versions: left } }),
      );
    };
    expect(await versions("v1beta1", "v1")).toContain('status.storedVersions[0]: Invalid value: "v1alpha1"');
    expect(await migrateStorage(test.client, name.name)).toEqual({ version: "v1", rewrittenCount: 1 });
    expect(await stored()).toEqual(["v1"]);
    expect(await versions("v1beta1", "v1")).toBe(
      "customresourcedefinition.apiextensions.k8s.io/tanks.example.com patched",
    );
    expect(await read("tanks.v1.example.com")).toMatchObject({
      spec: { liters: 5, paint: { color: "green" } },
    });
    expect(await kubectl("get", "tanks.v1alpha1.example.com")).toContain(
      "could not find the requested resource",
    );
  });
});
