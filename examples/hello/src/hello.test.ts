import { ConfigMap } from "@bowline/api/core/v1";
import { startCluster, waitFor } from "@bowline/testing";
import { expect, it } from "vitest";
import operator, { Hello } from "./index.ts";

it("writes the greeting that a Hello asks for, and changes it with the Hello", async () => {
  const test = await startCluster({ controllers: false });
  try {
    await test.run(operator);
    const key = { name: "first", namespace: "default" };
    await test.client.create(Hello, { metadata: key, spec: {} });
    const greeting = (text: string) => ({
      until: (map: { readonly data?: Readonly<Record<string, string>> } | undefined) =>
        map?.data?.["greeting"] === text,
      what: `say ${text}`,
    });
    const map = await waitFor(test.client, ConfigMap, "default/first", greeting("Hello, world!"));
    expect(map?.metadata.ownerReferences).toMatchObject([{ kind: "Hello", name: "first" }]);
    await test.client.patch(Hello, key, { merge: { spec: { who: "operators" } } });
    await waitFor(test.client, ConfigMap, "default/first", greeting("Hello, operators!"));
  } finally {
    await test.close();
  }
});
