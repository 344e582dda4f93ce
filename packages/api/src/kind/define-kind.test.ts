import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { encodeYaml } from "../codec/yaml.ts";
import type { Condition, ObjectMeta } from "../object/object.ts";
import { fieldErrorText } from "../status/field-error.ts";
import { checkObject } from "./check-object.ts";
import { crdManifest, crdSizeWarning } from "./crd-manifest.ts";
import { definitionPath } from "./crd-problems.ts";
import type { AnyCustomKind } from "./custom-kind.ts";
import { defineCrd } from "./define-crd.ts";
import { defineKind } from "./define-kind.ts";
import { KindDefinitionError, isKindDefinitionError } from "./definition-error.ts";
import * as k8s from "./k8s.ts";
import type { AnyKind, CreateOf, KindOf } from "./kind.ts";
import { pluralOf } from "./plural.ts";

const Application = defineKind({
  group: "example.com",
  version: "v1",
  kind: "Application",
  shortNames: ["app"],
  spec: z.object({
    replicas: z.int32().min(1).max(10).default(1).describe("How many pods to run"),
    image: z.string(),
    version: z.string().optional(),
  }),
  status: z.object({ availableReplicas: z.int32().optional(), conditions: k8s.conditions() }),
  printerColumns: [{ name: "Available", type: "integer", jsonPath: ".status.availableReplicas" }],
});

/** Says everything that a marker of controller-tools can say. */
const Everything = defineKind({
  group: "example.com",
  version: "v1beta1",
  kind: "Everything",
  plural: "everythings",
  singular: "everything",
  listKind: "EverythingList",
  shortNames: ["ev", "evs"],
  categories: ["all"],
  scope: "Cluster",
  description: "Uses every word there is",
  deprecated: "example.com/v1beta1 Everything is deprecated; use v1",
  served: true,
  annotations: { "example.com/note": "kept" },
  labels: { app: "everything" },
  metadata: { name: z.string().max(30) },
  rules: [{ rule: "self.metadata.name.startsWith('ev-')", message: "the name starts with ev-" }],
  fields: { extra: z.record(z.string(), z.string()).optional().describe("Beside spec and status") },
  spec: z
    .object({
      replicas: z.int32().min(0).default(1),
      ratio: z.number().gt(0).lt(1).multipleOf(0.25).optional(),
      name: z
        .string()
        .min(1)
        .max(63)
        .regex(/^[a-z0-9-]+$/)
        .check(k8s.immutable())
        .meta({
          title: "Name",
          description: "Never changes",
          example: "web",
          externalDocs: { url: "https://example.com" },
        }),
      host: z.string().check(k8s.format("hostname")).optional(),
      size: k8s.quantity().default("1Gi"),
      port: k8s.intOrString().optional(),
      timeout: k8s.duration().optional(),
      since: k8s.dateTime().nullable().optional(),
      count: k8s.int64().optional(),
      mode: z.enum(["Fast", "Safe"]).default("Safe"),
      tags: k8s.set(z.string()).max(10).optional(),
      ports: k8s.listMap(z.object({ name: z.string(), port: z.int32() }), "name").optional(),
      order: z.array(z.string()).min(1).max(5).check(k8s.atomic()).optional(),
      limits: z
        .record(z.string(), k8s.quantity())
        .check(k8s.minProperties(1), k8s.maxProperties(8))
        .optional(),
      selector: k8s.labelSelector().optional(),
      secret: k8s.secretKeySelector().optional(),
      source: z
        .object({ git: z.string().optional(), oci: z.string().optional() })
        .check(k8s.exactlyOneOf("git", "oci"), k8s.atomic())
        .optional(),
      window: z
        .object({ min: z.int32(), max: z.int32() })
        .check(
          k8s.rule("self.min <= self.max", {
            messageExpression: "self.max < 0 ? 'max is negative' : 'min exceeds max'",
            message: "min exceeds max",
            reason: "FieldValueForbidden",
            fieldPath: ".min",
          }),
        )
        .optional(),
      probe: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("http"), port: z.int32(), path: z.string().optional() }),
          z.object({ type: z.literal("exec"), command: z.array(z.string()) }),
        ])
        .optional(),
      object: k8s.embeddedResource().optional(),
      free: k8s.anyObject().optional(),
      anything: z.unknown().optional(),
      raw: k8s.raw<number | string>({ "x-kubernetes-int-or-string": true }).optional(),
    })
    .check(k8s.rule("!oldSelf.hasValue() || self.replicas >= 0", { optionalOldSelf: true })),
  status: z.object({
    replicas: z.int32().optional(),
    selector: z.string().optional(),
    conditions: k8s.conditions(),
  }),
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  selectableFields: [".spec.mode", ".spec.name"],
  printerColumns: [
    {
      name: "Replicas",
      type: "integer",
      jsonPath: ".spec.replicas",
      description: "How many",
      format: "int32",
    },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status', priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});

describe("defineKind", () => {
  it("gives a value with everything that a client needs", () => {
    expect(Application).toMatchObject({
      group: "example.com",
      version: "v1",
      apiVersion: "example.com/v1",
      kind: "Application",
      listKind: "ApplicationList",
      plural: "applications",
      singular: "application",
      shortNames: ["app"],
      scope: "Namespaced",
    });
    expect(Object.isFrozen(Application)).toBe(true);
    expect(Object.isFrozen(Application.schema.properties?.["spec"])).toBe(true);
  });

  it("types what a read answers, with defaults filled in", () => {
    expectTypeOf<KindOf<typeof Application>>().toEqualTypeOf<{
      apiVersion: "example.com/v1";
      kind: "Application";
      metadata: ObjectMeta;
      spec: { replicas: number; image: string; version?: string | undefined };
      status?: { availableReplicas?: number | undefined; conditions?: Condition[] | undefined };
    }>();
  });

  it("types what a create may send: defaults, apiVersion and kind may be missing", () => {
    const minimal: CreateOf<typeof Application> = { metadata: { name: "a" }, spec: { image: "nginx" } };
    expect(checkObject(Application, minimal).errors).toEqual([]);
    type Spec = CreateOf<typeof Application>["spec"];
    // @ts-expect-error the image has no default
    const wrong: Spec = {};
    // @ts-expect-error replicas is a number
    const text: Spec = { image: "a", replicas: "1" };
    const errorsOf = (spec: unknown): string[] =>
      checkObject(Application, { metadata: { name: "a" }, spec }).errors.map(fieldErrorText);
    expect(errorsOf(wrong)).toEqual(["spec.image: Required value"]);
    expect(errorsOf(text)).toHaveLength(1);
  });

  it("can stand wherever any kind is wanted", () => {
    expectTypeOf(Application).toExtend<AnyKind>();
    expectTypeOf(Application).toExtend<AnyCustomKind>();
  });

  it("types kinds without spec, and optional specs", () => {
    const Data = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Data",
      fields: { data: z.record(z.string(), z.string()).default({}), sealed: z.boolean().optional() },
    });
    expectTypeOf<KindOf<typeof Data>>().toEqualTypeOf<{
      apiVersion: "example.com/v1";
      kind: "Data";
      metadata: ObjectMeta;
      data: Record<string, string>;
      sealed?: boolean | undefined;
    }>();
    const Loose = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Loose",
      spec: z.object({ a: z.int().default(1) }).optional(),
    });
    expectTypeOf<KindOf<typeof Loose>["spec"]>().toEqualTypeOf<{ a: number } | undefined>();
    expect(Loose.schema.required).toBeUndefined();
    expect(checkObject(Data, { metadata: { name: "a" } }).object["data"]).toEqual({});
  });

  it("refuses paths that lead to no field", () => {
    const define = (): unknown =>
      defineKind({
        group: "example.com",
        version: "v1",
        kind: "Typo",
        spec: z.object({ image: z.string() }),
        printerColumns: [{ name: "Image", type: "string", jsonPath: ".spec.imege" }],
        selectableFields: [".spec.x.y"],
        scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
      });
    expect(problemsOf(define)).toEqual([
      "printerColumns[0].jsonPath: .spec.imege leads to no field: .spec has no imege",
      "selectableFields[0]: .spec.x.y leads to no field: .spec has no x",
      "scale.specReplicasPath: .spec.replicas leads to no field: .spec has no replicas",
      "scale.statusReplicasPath: .status.replicas leads to no field: the object has no status",
    ]);
  });

  it("refuses sections that are no objects, and fields that every kind has", () => {
    const define = (): unknown =>
      defineKind({
        group: "example.com",
        version: "v1",
        kind: "Odd",
        spec: z.string(),
        fields: { metadata: z.string() },
      });
    expect(problemsOf(define)).toEqual([
      "spec: must be an object, not string; use z.object()",
      "fields.metadata: every kind has metadata; declare it as `metadata` if it can be",
    ]);
  });

  it("refuses what the API server would refuse, in its words, at the place in the definition", () => {
    const define = (): unknown =>
      defineKind({
        group: "Example",
        version: "one",
        kind: "odd",
        plural: "Odds",
        spec: z.object({ list: k8s.listMap(z.object({ name: z.string().optional() }), "name") }),
        printerColumns: [{ name: "List", type: "text", jsonPath: ".spec.list" }],
      });
    expect(problemsOf(define)).toMatchInlineSnapshot(`
      [
        "group: Invalid value: "Example": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
        "plural: Invalid value: "Odds": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')",
        "spec.list[].name.default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        "printerColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string",
      ]
    `);
  });

  it("type-checks and cost-checks rules with the engine of the server", () => {
    const define = (): unknown =>
      defineKind({
        group: "example.com",
        version: "v1",
        kind: "Odd",
        spec: z.object({
          count: z.int32().check(k8s.rule("self == 'one'"), k8s.rule("self > nothing")),
          lists: z.array(z.array(z.string())).check(k8s.rule("self.all(x, x.all(y, y.contains('a')))")),
        }),
      });
    const problems = problemsOf(define).map((text) => text.split("\n")[0]);
    expect(problems).toMatchInlineSnapshot(`
      [
        "spec.count.rules[0].rule: Invalid value: {"Rule":"self == 'one'","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:6: found no matching overload for '_==_' applied to '(int, string)'",
        "spec.count.rules[1].rule: Invalid value: {"Rule":"self \\u003e nothing","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')",
        "spec.lists.rules[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
        "spec.lists.rules[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
        "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
      ]
    `);
  });

  it("runs rules without a server, on changes too", () => {
    const Named = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Named",
      spec: z
        .object({ name: z.string().check(k8s.immutable()), min: z.int32(), max: z.int32() })
        .check(k8s.rule("self.min <= self.max", { message: "min exceeds max", fieldPath: ".min" })),
    });
    const old = { metadata: { name: "a" }, spec: { name: "x", min: 1, max: 2 } };
    const errorsOf = (spec: object, before?: unknown): string[] =>
      checkObject(Named, { ...old, spec: { ...old.spec, ...spec } }, { old: before }).errors.map(
        fieldErrorText,
      );
    expect(errorsOf({})).toEqual([]);
    expect(errorsOf({ min: 3 })).toEqual(["spec.min: Invalid value: min exceeds max"]);
    expect(errorsOf({ name: "y" }, old)).toEqual(['spec.name: Invalid value: "y": Value is immutable']);
    expect(errorsOf({ max: 9 }, old)).toEqual([]);
  });

  it("refuses rules about fields that are not there", () => {
    const define = (): unknown =>
      defineKind({
        group: "example.com",
        version: "v1",
        kind: "Odd",
        // a typo in one of several names is not a type error, because all of them are optional
        spec: z.object({ a: z.int().optional() }).check(k8s.exactlyOneOf("a", "b")),
      });
    expect(problemsOf(define)).toEqual(["spec.b: a rule names this field, and the object does not have it"]);
  });

  it("marks its error so that two installed copies agree", () => {
    const error = new KindDefinitionError("x", [{ path: "a", message: "b" }]);
    expect(isKindDefinitionError(error)).toBe(true);
    expect(isKindDefinitionError(new Error("x"))).toBe(false);
    expect(error.code).toBe("BOWLINE_KIND_DEFINITION");
  });
});

describe("crdManifest", () => {
  it.each([
    ["application", Application],
    ["everything", Everything],
  ] as const)("writes the manifest of %s", async (name, kind) => {
    await expect(encodeYaml(crdManifest(kind))).toMatchFileSnapshot(`golden/${name}.yaml`);
  });

  it("puts several versions of a kind into one manifest", async () => {
    const Next = defineKind({
      group: "example.com",
      version: "v2",
      kind: "Application",
      shortNames: ["app"],
      spec: z.object({ pods: z.int32().default(1), image: z.string() }),
    });
    const crd = defineCrd([Application, Next], {
      storage: "v2",
      conversion: {
        strategy: "Webhook",
        webhook: {
          clientConfig: { service: { namespace: "system", name: "webhook-service", path: "/convert" } },
          conversionReviewVersions: ["v1"],
        },
      },
    });
    expect(crd.name).toBe("applications.example.com");
    const versions = crdManifest(crd).spec.versions;
    expect(versions.map((version) => [version.name, version.storage])).toEqual([
      ["v1", false],
      ["v2", true],
    ]);
    await expect(encodeYaml(crdManifest(crd))).toMatchFileSnapshot("golden/two-versions.yaml");
  });

  it("refuses versions that are not of one kind", () => {
    const Other = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Other",
      scope: "Cluster",
      spec: z.object({}),
    });
    expect(problemsOf(() => defineCrd([Application, Other], { storage: "v3" }))).toEqual([
      'versions[1].kind: is "Other", and v1 has "Application"; all versions share it',
      'versions[1].listKind: is "OtherList", and v1 has "ApplicationList"; all versions share it',
      'versions[1].plural: is "others", and v1 has "applications"; all versions share it',
      'versions[1].singular: is "other", and v1 has "application"; all versions share it',
      'versions[1].scope: is "Cluster", and v1 has "Namespaced"; all versions share it',
      'versions[1].shortNames: is [], and v1 has ["app"]; all versions share it',
      "versions: version v1 is there twice",
      "storage: v3 is none of the versions v1, v1",
    ]);
  });

  it("refuses a conversion that the API server would refuse", () => {
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] },
    };
    expect(problemsOf(() => defineCrd([Application], { conversion }))).toEqual([
      "conversion.webhookClientConfig: Required value: exactly one of url or service is required",
    ]);
  });

  it("takes versions that are known but not served", () => {
    const Old = defineKind({
      group: "example.com",
      version: "v1alpha1",
      kind: "Application",
      shortNames: ["app"],
      served: false,
      spec: z.object({ image: z.string() }),
    });
    const versions = crdManifest(defineCrd([Application, Old])).spec.versions;
    expect(versions.map((version) => [version.name, version.served, version.storage])).toEqual([
      ["v1", true, true],
      ["v1alpha1", false, false],
    ]);
  });

  it("warns when client-side apply would refuse the manifest", () => {
    expect(crdSizeWarning(crdManifest(Application))).toBeUndefined();
    const Huge = defineKind({
      group: "example.com",
      version: "v1",
      kind: "Huge",
      spec: z.object({ a: z.string().describe("x".repeat(262_144)) }),
    });
    expect(crdSizeWarning(crdManifest(Huge))).toMatch(
      /huges\.example\.com has 26\d{4} bytes, .* 262144; .*--server-side/,
    );
  });
});

describe("definitionPath", () => {
  it.each([
    [
      "spec.validation.openAPIV3Schema.properties[spec].properties[a].items.x-kubernetes-validations[0].rule",
      "spec.a[].rules[0].rule",
    ],
    [
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].additionalProperties.pattern",
      "spec{}.pattern",
    ],
    ["spec.validation.openAPIV3Schema.x-kubernetes-validations[1].message", "rules[1].message"],
    ["spec.validation.openAPIV3Schema", "schema"],
    ["spec.names.shortNames[0]", "shortNames[0]"],
    ["spec.group", "group"],
    ["spec.versions[0].name", "version"],
    ["spec.additionalPrinterColumns[0].type", "printerColumns[0].type"],
    ["spec.versions[0].subresources.scale.specReplicasPath", "scale.specReplicasPath"],
    ["spec.versions[0].selectableFields[0].jsonPath", "selectableFields[0].jsonPath"],
    ["metadata.annotations", "annotations"],
  ])("of %s is %s", (field, path) => {
    expect(definitionPath(field)).toBe(path);
  });
});

describe("pluralOf", () => {
  it.each([
    ["Application", "applications"],
    ["Proxy", "proxies"],
    ["Gateway", "gateways"],
    ["Ingress", "ingresses"],
    ["Box", "boxes"],
    ["Batch", "batches"],
  ])("of %s is %s", (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural);
  });
});

function problemsOf(define: () => unknown): string[] {
  try {
    define();
  } catch (error) {
    if (isKindDefinitionError(error)) return error.problems.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  throw new Error("nothing was refused");
}
