import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { customApiResource } from "../discovery/custom-api-resource.ts";
import type { JsonSchema } from "../schema/json-schema.ts";
import type { OpenApiKind } from "./openapi-kind.ts";
import { buildOpenApiV2 } from "./openapi-v2.ts";
import { buildOpenApiV3 } from "./openapi-v3.ts";

/** CRDs of well-known projects, and what the real server published for them (prose and shared meta types left out). */
const directory = fileURLToPath(new URL("../../../../conformance/crds", import.meta.url));

interface Crd {
  spec: {
    group: string;
    scope: string;
    names: { plural: string; singular?: string; kind: string; listKind?: string };
    versions: {
      name: string;
      served: boolean;
      storage: boolean;
      schema?: { openAPIV3Schema?: JsonSchema };
      subresources?: { status?: unknown; scale?: unknown };
      selectableFields?: { jsonPath: string }[];
    }[];
  };
}

interface PublishedOperation {
  action: string;
  operationId: string;
  params: string[];
  responses: string[];
}

interface Published {
  paths: Record<string, Record<string, PublishedOperation>>;
  schemas: Record<string, unknown>;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, "utf8")) as T;
}

function kindsByGroupVersion(): Map<string, OpenApiKind[]> {
  const out = new Map<string, OpenApiKind[]>();
  const projects = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const project of projects) {
    for (const file of readdirSync(join(directory, project.name))) {
      for (const kind of kindsOf(readJson<Crd>(join(directory, project.name, file)))) {
        const { group, version } = kind.resource;
        const key = `apis/${group}/${version}`;
        out.set(key, [...(out.get(key) ?? []), kind]);
      }
    }
  }
  return out;
}

function kindsOf({ spec }: Crd): OpenApiKind[] {
  const storageVersion = spec.versions.find((version) => version.storage)?.name ?? "";
  return spec.versions
    .filter((version) => version.served)
    .map((version) => ({
      resource: customApiResource({
        group: spec.group,
        scope: spec.scope,
        names: spec.names,
        version,
        storageVersion,
      }),
      custom: {
        ...(version.schema?.openAPIV3Schema === undefined ? {} : { schema: version.schema.openAPIV3Schema }),
        ...(version.selectableFields === undefined ? {} : { selectableFields: version.selectableFields }),
      },
    }));
}

/** A schema without its prose: `description` is prose where its value is a text. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, v]) => key !== "description" || typeof v !== "string");
  return Object.fromEntries(entries.map(([key, v]) => [key, withoutProse(v)]));
}

/** Without the definitions that were left out of the record: their names begin with one of these. */
function recorded(schemas: Readonly<Record<string, unknown>>, leftOut: string): Record<string, unknown> {
  const entries = Object.entries(schemas).filter(([name]) => !name.startsWith(leftOut));
  return withoutProse(Object.fromEntries(entries)) as Record<string, unknown>;
}

function summary(paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Published["paths"] {
  const out: Published["paths"] = {};
  for (const [path, item] of Object.entries(paths)) {
    const operations: Record<string, PublishedOperation> = {};
    for (const [method, value] of Object.entries(item)) {
      if (method === "parameters") continue;
      const operation = value as {
        operationId: string;
        parameters?: { name: string }[];
        responses: Record<string, unknown>;
        "x-kubernetes-action": string;
      };
      operations[method] = {
        action: operation["x-kubernetes-action"],
        operationId: operation.operationId,
        params: (operation.parameters ?? []).map((parameter) => parameter.name),
        responses: Object.keys(operation.responses),
      };
    }
    out[path] = operations;
  }
  return out;
}

describe.skipIf(!existsSync(directory))("OpenAPI of real CRDs", () => {
  const kinds = kindsByGroupVersion();
  const expected = readJson<Record<string, Published>>(join(directory, "openapi-v3.json"));

  it("covers every group and version", () => {
    expect([...kinds.keys()].sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.keys(expected))("publishes %s in version 3 as the real server does", (key) => {
    const document = buildOpenApiV3(kinds.get(key) ?? []);
    expect(summary(document.paths)).toEqual(expected[key]?.paths);
    const schemas = recorded(document.components.schemas, "io.k8s.apimachinery.");
    expect(Object.keys(schemas)).toEqual(Object.keys(expected[key]?.schemas ?? {}).sort());
    for (const [name, schema] of Object.entries(schemas))
      expect(schema, name).toEqual(expected[key]?.schemas[name]);
  });

  it("publishes all definitions in version 2 as the real server does", () => {
    const wanted = readJson<Record<string, unknown>>(join(directory, "openapi-v2-definitions.json"));
    const definitions = recorded(buildOpenApiV2([...kinds.values()].flat()).definitions, "io.k8s.");
    expect(Object.keys(definitions).sort()).toEqual(Object.keys(wanted).sort());
    for (const [name, definition] of Object.entries(definitions))
      expect(definition, name).toEqual(wanted[name]);
  });
});
