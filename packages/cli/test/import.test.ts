import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AnyCustomKind,
  type Crd,
  type CustomResourceDefinition,
  type JsonSchema,
  crdManifest,
} from "@bowline/api";
import { createCluster } from "@bowline/cluster";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine, root } from "./command-line.ts";

const folder = path.join(root, "conformance/crds");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => /\/.*\.json$/.test(name))
  .sort();

describe("bowline import", () => {
  const line = new CommandLine();
  beforeAll(async () => {
    line.linkPackages();
    line.write("package.json", `{ "type": "module" }`);
    for (const file of files) await line.ok("import", path.join(folder, file));
  });
  afterAll(() => line.remove());

  it.each(files)("gives back an equivalent definition of %s", async (file) => {
    const crd = JSON.parse(readFileSync(path.join(folder, file), "utf8")) as CustomResourceDefinition;
    const back = crdManifest(await importedBy(line.folder, crd));
    expect(meaningOf(back)).toEqual(meaningOf(crd));
  });

  it("writes sources that the compiler accepts in the strictest mode", () => {
    const names = Object.keys(line.snapshot()).filter((name) => name.endsWith(".ts"));
    expect(names.length).toBeGreaterThan(files.length);
    const program = ts.createProgram(
      names.map((name) => path.join(line.folder, name)),
      {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        lib: ["lib.es2023.d.ts"],
        types: [],
        skipLibCheck: true,
        allowImportingTsExtensions: true,
        noEmit: true,
        customConditions: ["@bowline/source"],
      },
    );
    const messages = ts
      .getPreEmitDiagnostics(program)
      .map(
        (each) => `${each.file?.fileName ?? ""}: ${ts.flattenDiagnosticMessageText(each.messageText, "\n")}`,
      );
    expect(messages.slice(0, 5)).toEqual([]);
  }, 120_000);
});

/** The module of an imported kind: its only version, or all of them. */
async function importedBy(folder: string, crd: CustomResourceDefinition): Promise<AnyCustomKind | Crd> {
  const { group, names, versions } = crd.spec;
  const file = names.kind.toLowerCase();
  const where = versions.length > 1 ? `${file}-crd.ts` : `${versions[0]?.name}/${file}.ts`;
  const module = (await import(
    pathToFileURL(path.join(folder, "src/imported", group, where)).href
  )) as Record<string, AnyCustomKind | Crd>;
  return Object.values(module)[0] as AnyCustomKind | Crd;
}

/** What a definition says, without what every one says. */
function meaningOf({ spec }: CustomResourceDefinition): unknown {
  const { kind } = spec.names;
  return {
    group: spec.group,
    scope: spec.scope,
    names: {
      shortNames: [],
      categories: [],
      singular: kind.toLowerCase(),
      listKind: `${kind}List`,
      ...spec.names,
    },
    versions: spec.versions.map(({ subresources = {}, ...version }) => ({
      ...version,
      subresources,
      schema: rootMeaning(version.schema?.openAPIV3Schema ?? {}),
    })),
  };
}

function rootMeaning(schema: JsonSchema): unknown {
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...properties } = schema.properties ?? {};
  const required = (schema.required ?? []).filter((name) => name !== "metadata");
  return schemaMeaning({ ...schema, properties, required });
}

/** Order says nothing among required names, nor does an empty list of them. */
function schemaMeaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(schemaMeaning);
  if (typeof value !== "object" || value === null) return value;
  const { required, ...rest } = value as JsonSchema;
  const entries = Object.entries(rest).map(([key, each]) => [key, schemaMeaning(each)]);
  const names = Array.isArray(required) && required.length > 0 ? { required: [...required].sort() } : {};
  return { ...Object.fromEntries(entries), ...names };
}

describe("bowline import and what it is told", () => {
  const line = new CommandLine();
  afterAll(() => line.remove());

  it("takes the definitions of a cluster, by kind", async () => {
    await using closing = await embedded(line);
    await line.ok("import", "--from-cluster", "--kubeconfig", closing.kubeconfig, "--kind", "Issuer");
    expect(line.has("src/imported/cert-manager.io/v1/issuer.ts")).toBe(true);
    expect(line.has("src/imported/cert-manager.io/v1/clusterissuer.ts")).toBe(false);
  });

  it("reads YAML with several documents and lists, and passes over what is no definition", async () => {
    const crd = readFileSync(path.join(folder, "cert-manager/orders.acme.cert-manager.io.json"), "utf8");
    const list = `{ "apiVersion": "v1", "kind": "List", "items": [${crd}] }`;
    line.write("crds.yaml", `# a comment\n---\nkind: Pod\napiVersion: v1\n---\n${list}\n`);
    expect(await line.ok("import", "crds.yaml")).toBe(
      "created   src/imported/acme.cert-manager.io/v1/order.ts\n",
    );
  });

  it.each([
    [["import"], "name a file or folder, or say --from-cluster"],
    [["import", "nothing.yaml"], "nothing.yaml does not exist"],
    [["import", "pod.yaml"], "holds no CustomResourceDefinition"],
    [
      ["import", path.join(folder, "keda"), "--kind", "Nothing"],
      "none of that name: there are CloudEventSource",
    ],
  ])("refuses %j", async (args, message) => {
    line.write("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n");
    const { code, stderr } = await line.run(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

/** A cluster with two kinds of cert-manager, and a file that leads to it. */
async function embedded(line: CommandLine): Promise<AsyncDisposable & { kubeconfig: string }> {
  const cluster = await createCluster({ controllers: false });
  const { kubeconfig } = await cluster.listen();
  line.write("kubeconfig", kubeconfig);
  const close = (): Promise<void> => cluster.close();
  const at = path.join(line.folder, "kubeconfig");
  await applyAll(at);
  return { kubeconfig: at, [Symbol.asyncDispose]: close };
}

async function applyAll(kubeconfig: string): Promise<void> {
  const { loadConnection, createClient, createHttpTransport } = await import("@bowline/client");
  const { CustomResourceDefinition: crd } = await import("@bowline/api/apiextensions/v1");
  const transport = createHttpTransport(await loadConnection({ kubeconfig }));
  const client = createClient({ transport, fieldManager: "test" });
  for (const name of ["issuers", "clusterissuers"]) {
    const text = readFileSync(path.join(folder, `cert-manager/${name}.cert-manager.io.json`), "utf8");
    await client.create(crd, JSON.parse(text) as never);
  }
  await transport.close();
}
