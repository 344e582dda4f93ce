import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type JsonSchema, customApiResource } from "@bowline/api";
import { type OpenApiKind, buildOpenApiV2, buildOpenApiV3 } from "@bowline/api/catalog";
import { describe, expect, it } from "vitest";
import {
  type PublishedCrd,
  type RecordedDocument,
  readCrds,
  readRecord,
  recordOf,
  recordedSchemas,
} from "./published-openapi.ts";

/** CRDs of well-known projects, and what the real server published for them. */
const directory = fileURLToPath(new URL("../conformance/crds", import.meta.url));

function kindsOf({ spec }: PublishedCrd): OpenApiKind[] {
  const storageVersion = spec.versions.find((version) => version.storage)?.name ?? "";
  return spec.versions
    .filter((version) => version.served)
    .map((version) => ({
      resource: customApiResource({ ...spec, version, storageVersion }),
      custom: {
        ...(version.schema?.openAPIV3Schema === undefined
          ? {}
          : { schema: version.schema.openAPIV3Schema as JsonSchema }),
        ...(version.selectableFields === undefined ? {} : { selectableFields: version.selectableFields }),
      },
    }));
}

describe("OpenAPI of real CRDs", () => {
  const kinds = readCrds(directory).flatMap(({ crd }) => kindsOf(crd));
  const documents = readRecord<Record<string, RecordedDocument>>(join(directory, "openapi-v3.json")) ?? {};
  const keyOf = ({ resource }: OpenApiKind): string => `apis/${resource.group}/${resource.version}`;

  it("covers every group and version of 47 CRDs", () => {
    expect(readCrds(directory)).toHaveLength(47);
    expect([...new Set(kinds.map(keyOf))].sort()).toEqual(Object.keys(documents).sort());
  });

  it.each(Object.keys(documents))("publishes %s in version 3 as the real server does", (key) => {
    const { paths, schemas } = recordOf(buildOpenApiV3(kinds.filter((kind) => keyOf(kind) === key)));
    expect(paths).toEqual(documents[key]?.paths);
    expect(Object.keys(schemas)).toEqual(Object.keys(documents[key]?.schemas ?? {}).sort());
    for (const [name, schema] of Object.entries(schemas))
      expect(schema, name).toEqual(documents[key]?.schemas[name]);
  });

  it("publishes all definitions in version 2 as the real server does", () => {
    const wanted = readRecord<Record<string, unknown>>(join(directory, "openapi-v2-definitions.json")) ?? {};
    const definitions = recordedSchemas(buildOpenApiV2(kinds).definitions, "io.k8s.");
    expect(Object.keys(definitions).sort()).toEqual(Object.keys(wanted).sort());
    for (const [name, definition] of Object.entries(definitions))
      expect(definition, name).toEqual(wanted[name]);
  });
});
