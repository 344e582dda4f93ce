import { defineKind } from "@bowline/api";
import { VirtualClock } from "@bowline/client";
import { defineOperator, defineWebhook } from "@bowline/runtime";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type TestCluster, startCluster } from "../src/index.ts";

const Boat = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Boat",
  spec: z.object({ length: z.int(), name: z.string().optional() }),
});

const operator = defineOperator({
  name: "harbour",
  kinds: [Boat],
  controllers: [],
  webhooks: [
    defineWebhook(Boat, {
      default: (boat) => ({ ...boat, spec: { name: "nameless", ...boat.spec } }),
      validateCreate: async (boat, { signal }) => {
        if (boat.spec.length === 0)
          await new Promise((_, reject) => signal.addEventListener("abort", reject));
        if (boat.spec.length > 100) throw new Error("too long for the harbour");
      },
      timeoutSeconds: 5,
    }),
  ],
});

describe("webhooks on virtual time", () => {
  let test: TestCluster;
  afterEach(() => test.close());
  const boat = (length: number) => ({ metadata: { name: "b", namespace: "default" }, spec: { length } });

  it("default and refuse what is written, within the process", async () => {
    test = await startCluster({ clock: new VirtualClock() });
    await test.run(operator);
    expect((await test.client.create(Boat, boat(7))).spec.name).toBe("nameless");
    await expect(
      test.client.create(Boat, { ...boat(101), metadata: { name: "c", namespace: "default" } }),
    ).rejects.toThrow(
      'admission webhook "vboat-v1.example.com" denied the request: too long for the harbour',
    );
  });

  it("are given up when their time is over", async () => {
    test = await startCluster({ clock: new VirtualClock() });
    await test.run(operator);
    const refused = expect(test.client.create(Boat, boat(0))).rejects.toThrow(
      'failed calling webhook "vboat-v1.example.com": failed to call webhook: Post "https://harbour.bowline-in-process.svc:443/validate-example-com-v1-boat?timeout=5s": context deadline exceeded',
    );
    await test.advance(6000);
    await refused;
  });

  it("are not asked when the operator runs without them", async () => {
    test = await startCluster({ clock: new VirtualClock() });
    await test.run(operator, { webhooks: false });
    expect((await test.client.create(Boat, boat(101))).spec.name).toBeUndefined();
  });

  it("leave services of others to the resolver of the test", async () => {
    const asked: string[] = [];
    test = await startCluster({
      clock: new VirtualClock(),
      kinds: [Boat],
      resolveService: ({ name }) => void asked.push(name),
    });
    const kind = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingWebhookConfiguration" };
    const rules = [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["*"], resources: ["*"] }];
    const clientConfig = { service: { namespace: "default", name: "other" } };
    const webhook = {
      name: "a.example.com",
      rules,
      clientConfig,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    };
    await test.client.create(
      kind as never,
      { ...kind, metadata: { name: "other" }, webhooks: [webhook] } as never,
    );
    await expect(test.client.create(Boat, boat(7))).rejects.toThrow('service "other" not found');
    expect(asked).toEqual(["other"]);
  });
});
