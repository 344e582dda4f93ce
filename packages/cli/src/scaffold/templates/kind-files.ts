/** The files of one kind: its declaration, controller, test and sample. */
import { variableName } from "../names.ts";
import type { PlannedFile } from "../write-files.ts";

export interface KindTemplate {
  /** Qualified: `apps.example.com`. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Only when it is not the English plural. */
  readonly plural?: string;
  readonly namespaced: boolean;
}

export function kindFile(version: string, kind: string): string {
  return `src/api/${version}/${kind.toLowerCase()}.ts`;
}

export function controllerFile(kind: string): string {
  return `src/controllers/${kind.toLowerCase()}.ts`;
}

export function crdFile(kind: string): string {
  return `src/api/${kind.toLowerCase()}-crd.ts`;
}

/** The kind itself, and a sample of it. */
export function apiFiles(kind: KindTemplate): PlannedFile[] {
  return [
    { path: kindFile(kind.version, kind.kind), text: kindSource(kind) },
    {
      path: `config/samples/${kind.group.split(".")[0]}_${kind.version}_${kind.kind.toLowerCase()}.yaml`,
      text: sample(kind),
    },
  ];
}

function kindSource({ group, version, kind, plural, namespaced }: KindTemplate): string {
  const extra = [
    ...(plural === undefined ? [] : [`  plural: ${JSON.stringify(plural)},\n`]),
    ...(namespaced ? [] : [`  scope: "Cluster",\n`]),
  ].join("");
  return `import { type KindOf, defineKind } from "@bowline/api";
import * as k8s from "@bowline/api/k8s";
import * as z from "zod";

export const ${kind} = defineKind({
  group: ${JSON.stringify(group)},
  version: ${JSON.stringify(version)},
  kind: ${JSON.stringify(kind)},
${extra}  description: "Says what it is for; kubectl explain shows it",
  spec: z.object({
    message: z.string().default("hello").describe("An example of a field: put your own here"),
  }),
  status: z.object({
    conditions: k8s.conditions(),
  }),
  printerColumns: [
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
});
export type ${kind} = KindOf<typeof ${kind}>;
`;
}

function sample({ group, version, kind }: KindTemplate): string {
  return `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: ${kind.toLowerCase()}-sample
spec:
  message: hello
`;
}

/** All versions of a kind as one CustomResourceDefinition. */
export function crdSource(kind: string, versions: readonly string[], storage: string): string {
  const name = (version: string): string => `${kind}${version.toUpperCase()}`;
  const imports = versions.map(
    (version) => `import { ${kind} as ${name(version)} } from "./${version}/${kind.toLowerCase()}.ts";\n`,
  );
  return `import { defineCrd } from "@bowline/api";
${imports.join("")}
/** All versions of the kind; objects are stored in ${storage}. */
export const ${variableName(kind)}Crd = defineCrd([${versions.map(name).join(", ")}], { storage: ${JSON.stringify(storage)} });
`;
}

export interface ControllerTemplate {
  readonly kind: string;
  /** Where the kind comes from: `../api/v1/application.ts`, `@bowline/api/apps/v1`. */
  readonly importFrom: string;
  readonly namespaced: boolean;
  /** A kind of our own has a status with conditions and can be created by the test. */
  readonly isOwn: boolean;
}

/** The controller of a kind, with its test when the kind is the project's own. */
export function controllerFiles(controller: ControllerTemplate): PlannedFile[] {
  const path = controllerFile(controller.kind);
  return [
    { path, text: controller.isOwn ? controllerSource(controller) : foreignControllerSource(controller) },
    ...(controller.isOwn
      ? [{ path: path.replace(/\.ts$/, ".test.ts"), text: controllerTest(controller) }]
      : []),
  ];
}

function controllerSource({ kind, importFrom }: ControllerTemplate): string {
  const name = variableName(kind);
  return `import { defineController } from "@bowline/runtime";
import { ${kind} } from "${importFrom}";

export const ${name}Controller = defineController(${kind}, {
  // owns: [Deployment] for kinds whose objects it creates; an event of one calls reconcile of its owner
  async reconcile(${name}, ctx) {
    // Make the world match ${name}.spec, for example:
    //   await ctx.apply(deploymentFor(${name}));
    ctx.log.info({ message: ${name}.spec.message }, "reconciled");
    await ctx.patchStatus({
      conditions: ctx.condition({ type: "Ready", status: true, reason: "Reconciled", message: ${name}.spec.message }),
    });
  },
});
`;
}

function foreignControllerSource({ kind, importFrom }: ControllerTemplate): string {
  const name = variableName(kind);
  return `import { defineController } from "@bowline/runtime";
import { ${kind} } from "${importFrom}";

export const ${name}Controller = defineController(${kind}, {
  reconcile(${name}, ctx) {
    // Look at the object, and make the world match it
    ctx.log.info({ resourceVersion: ${name}.metadata.resourceVersion }, "seen");
  },
});
`;
}

function controllerTest({ kind, importFrom, namespaced }: ControllerTemplate): string {
  const metadata = namespaced ? `{ name: "a", namespace: "default" }` : `{ name: "a" }`;
  const key = namespaced ? "default/a" : "a";
  return `import { isConditionTrue } from "@bowline/api";
import { startCluster, waitFor } from "@bowline/testing";
import { describe, expect, it } from "vitest";
import { ${kind} } from "${importFrom}";
import operator from "../operator.ts";

describe("the ${kind} controller", () => {
  it("makes a ${kind} ready", async () => {
    const test = await startCluster();
    try {
      await test.run(operator);
      await test.client.create(${kind}, { metadata: ${metadata}, spec: {} });
      const ready = await waitFor(test.client, ${kind}, "${key}", {
        until: (object) => isConditionTrue(object?.status?.conditions, "Ready"),
        what: "become ready",
      });
      expect(ready?.spec.message).toBe("hello");
    } finally {
      await test.close();
    }
  });
});
`;
}
