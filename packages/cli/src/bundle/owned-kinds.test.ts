import { defineKind } from "@bowline/api";
import { Deployment } from "@bowline/api/apps/v1";
import * as k8s from "@bowline/api/k8s";
import { defineController } from "@bowline/runtime";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { deploymentModel } from "../manifests/project-model.ts";
import { minKubeVersion, ownedKinds } from "./owned-kinds.ts";

const base = { group: "example.com", version: "v1", kind: "CronThing" } as const;
const Plain = defineKind({
  ...base,
  spec: z.object({
    replicas: z.int(),
    isOn: z.boolean().describe("Whether it works"),
    limits: z.object({ cpu: z.string() }),
  }),
});
const Selectable = defineKind({
  ...base,
  selectableFields: [".spec.name"],
  spec: z.object({ name: z.string() }),
});
const WithRule = defineKind({
  ...base,
  spec: z.object({ a: z.int(), b: z.int() }).check(k8s.rule("self.a < self.b")),
});

describe("minKubeVersion", () => {
  it.each([
    ["1.22.0", Plain],
    ["1.25.0", WithRule],
    ["1.31.0", Selectable],
  ])("is %s", (version, kind) => {
    expect(
      minKubeVersion(deploymentModel({ name: "a", kinds: [kind], controllers: [] }, undefined, {})),
    ).toBe(version);
  });
});

describe("ownedKinds", () => {
  it("shows fields by what they hold, and lists what the controllers create", () => {
    const controller = defineController(Plain, { owns: [Deployment], reconcile: () => undefined });
    expect(ownedKinds({ name: "a", kinds: [Plain], controllers: [controller] })).toEqual([
      {
        name: "cronthings.example.com",
        version: "v1",
        kind: "CronThing",
        displayName: "Cron Thing",
        description: "A Cron Thing.",
        resources: [{ kind: "Deployment", name: "", version: "v1" }],
        specDescriptors: [
          {
            path: "isOn",
            displayName: "Is On",
            description: "Whether it works",
            "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:booleanSwitch"],
          },
          { path: "limits", displayName: "Limits" },
          {
            path: "replicas",
            displayName: "Replicas",
            "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:podCount"],
          },
        ],
        statusDescriptors: [],
      },
    ]);
  });
});
