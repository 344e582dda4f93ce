import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { ResourceRequirements } from "../builtin/core/v1.ts";
import { fieldErrorText } from "../status/field-error.ts";
import { builtinStructural } from "./builtin-structural.ts";
import { checkObject } from "./check-object.ts";
import { crdManifest, crdManifestBytesMax, crdSizeWarning } from "./crd-manifest.ts";
import { defineKind } from "./define-kind.ts";
import * as k8s from "./k8s.ts";

const Batch = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Batch",
  spec: z.object({
    template: k8s.podTemplateSpec(),
    resources: k8s.builtinType<ResourceRequirements>("io.k8s.api.core.v1.ResourceRequirements").optional(),
  }),
});

function errorsOf(spec: unknown): string[] {
  return checkObject(Batch, { metadata: { name: "a" }, spec }).errors.map(fieldErrorText);
}

describe("built-in types in custom kinds", () => {
  it("checks a pod template with its whole schema", () => {
    const container = { name: "web", image: "nginx", ports: [{ containerPort: 80 }] };
    expect(errorsOf({ template: { spec: { containers: [container] } } })).toEqual([]);
    expect(errorsOf({ template: { spec: { containers: [{ image: "nginx" }] } } })).toEqual([
      "spec.template.spec.containers[0].name: Required value",
    ]);
    expect(errorsOf({ template: { spec: {} } })).toEqual(["spec.template.spec.containers: Required value"]);
    expect(errorsOf({ template: { spec: { containers: [container, container] } } })).toEqual([
      'spec.template.spec.containers[1]: Duplicate value: {"name":"web"}',
    ]);
  });

  it("keeps labels and annotations of an embedded metadata", () => {
    const metadata = { labels: { app: "a" }, annotations: { b: "c" } };
    const { object } = checkObject(Batch, {
      metadata: { name: "a" },
      spec: { template: { metadata, spec: { containers: [{ name: "web" }] } } },
    });
    expect(object["spec"]).toMatchObject({ template: { metadata } });
  });

  it("takes quantities as numbers and texts", () => {
    const template = { spec: { containers: [{ name: "web" }] } };
    expect(errorsOf({ template, resources: { limits: { cpu: 1, memory: "1Gi" } } })).toEqual([]);
    expect(errorsOf({ template, resources: { limits: { cpu: "much" } } })).toHaveLength(1);
  });

  it("stays below the size that client-side apply takes", () => {
    expect(crdSizeWarning(crdManifest(Batch))).toBeUndefined();
    const bytes = JSON.stringify(crdManifest(Batch)).length;
    expect(bytes).toBeGreaterThan(30_000);
    expect(bytes).toBeLessThan(crdManifestBytesMax / 4);
  });

  it("says which types it cannot give", () => {
    expect(() => builtinStructural("io.k8s.api.core.v1.Nonsense")).toThrow(
      "no type io.k8s.api.core.v1.Nonsense",
    );
    expect(() =>
      builtinStructural("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"),
    ).toThrow("contains itself");
  });
});
