import { describe, expect, it, onTestFinished } from "vitest";
import { createCluster } from "../../src/cluster.ts";
import { refusal } from "../server/collection.ts";

const max = 1024 * 1024;

describe("Content of ConfigMaps and Secrets", () => {
  it.each([
    ["ConfigMap", "configmaps", (bytes: number) => ({ data: { a: "x".repeat(bytes) } }), "[]"],
    [
      "ConfigMap",
      "configmaps",
      (bytes: number) => ({ binaryData: { a: Buffer.alloc(bytes).toString("base64") } }),
      "[]",
    ],
    [
      "Secret",
      "secrets",
      (bytes: number) => ({ data: { a: Buffer.alloc(bytes).toString("base64") } }),
      "data",
    ],
    ["Secret", "secrets", (bytes: number) => ({ stringData: { a: "x".repeat(bytes) } }), "data"],
  ])("of a %s may be a mebibyte, and not a byte more", async (kind, plural, content, field) => {
    const cluster = await createCluster({ controllers: false });
    onTestFinished(() => cluster.close());
    const path = `/api/v1/namespaces/default/${plural}`;
    const create = (name: string, bytes: number): Promise<unknown> =>
      cluster.transport().request({ method: "POST", path, body: { metadata: { name }, ...content(bytes) } });
    await create("fits", max);
    expect(await refusal(create("too-much", max + 1))).toMatchObject({
      code: 422,
      message: `${kind} "too-much" is invalid: ${field}: Too long: may not be more than ${max} bytes`,
    });
  });
});
