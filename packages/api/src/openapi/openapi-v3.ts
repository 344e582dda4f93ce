import { definitionsHash } from "../builtin/definition-sources.ts";
import { sha256Hex } from "../discovery/sha256.ts";
import { builtinSchemaV3 } from "./builtin-schema.ts";
import { groupByPath, ownParameters } from "./common-parameters.ts";
import { type PublishedSchema, customKindSchema, customListSchema, refTo } from "./custom-schema.ts";
import type { OpenApiKind } from "./openapi-kind.ts";
import type { ParameterFact } from "./parameters.ts";
import { closeOverReferences, referencesOf } from "./references.ts";
import { type Route, definitionNames, routesOf } from "./route.ts";

/** What is served under one group and version. Parts are shared between documents: do not change them. */
export interface OpenApiV3Document {
  readonly openapi: "3.0.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, PublishedSchema>>;
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
  };
}

/** What one kind adds to a document. */
interface Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly schemas: ReadonlyMap<string, PublishedSchema>;
  /** Definitions that the paths refer to. */
  readonly roots: readonly string[];
}

const parts = new WeakMap<OpenApiKind, Part>();

/** `/openapi/v3/apis/GROUP/VERSION`: what the kinds of one group and version look like. The part of each kind is made once. */
export function buildOpenApiV3(kinds: readonly OpenApiKind[]): OpenApiV3Document {
  const paths: Record<string, Readonly<Record<string, unknown>>> = {};
  const schemas = new Map<string, PublishedSchema>();
  const roots = new Set<string>();
  for (const kind of kinds) {
    const part = partOf(kind);
    Object.assign(paths, part.paths);
    for (const [name, schema] of part.schemas) schemas.set(name, schema);
    for (const root of part.roots) roots.add(root);
  }
  return {
    openapi: "3.0.0",
    info: kinds[0]?.custom === undefined ? builtinInfo : customInfo,
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: closeOverReferences(schemas, roots, builtinSchemaV3) },
  };
}

const builtinInfo = { title: "Kubernetes", version: "v1.35" };
const customInfo = { title: "Kubernetes CRD Swagger", version: "v0.1.0" };

function partOf(kind: OpenApiKind): Part {
  const known = parts.get(kind);
  if (known !== undefined) return known;
  const paths = Object.fromEntries(
    [...groupByPath(routesOf(kind))].map(([path, { routes, common }]) => [path, pathItem(routes, common)]),
  );
  const part: Part = { paths, schemas: ownSchemas(kind), roots: referencesOf(paths) };
  parts.set(kind, part);
  return part;
}

function ownSchemas(kind: OpenApiKind): Map<string, PublishedSchema> {
  if (kind.custom === undefined) return new Map();
  const names = definitionNames(kind);
  return new Map([
    [names.kind, customKindSchema(kind, 3)],
    [names.list, customListSchema(kind, names.kind, 3)],
  ]);
}

function pathItem(routes: readonly Route[], common: readonly ParameterFact[]): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const route of routes) item[route.method] = operation(route, common);
  if (common.length > 0) item["parameters"] = common.map(parameter);
  return item;
}

function operation(route: Route, common: readonly ParameterFact[]): Record<string, unknown> {
  const own = ownParameters(route, common);
  return {
    tags: [route.tag],
    description: route.description,
    operationId: route.operationId,
    ...(own.length === 0 ? {} : { parameters: own.map(parameter) }),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route, route.body) }),
    responses: responses(route),
    "x-kubernetes-action": route.action,
    "x-kubernetes-group-version-kind": route.gvk,
  };
}

function parameter({ name, in: place, type, description }: ParameterFact): Record<string, unknown> {
  return {
    name,
    in: place,
    description,
    ...(place === "path" ? { required: true } : {}),
    schema: { type, uniqueItems: true },
  };
}

function requestBody(route: Route, body: NonNullable<Route["body"]>): Record<string, unknown> {
  return {
    content: content(route.consumes, { $ref: refTo(body.definition, 3) }),
    ...(body.required ? { required: true } : {}),
  };
}

const codeTexts = { 200: "OK", 201: "Created", 202: "Accepted" } as const;

function responses(route: Route): Record<string, unknown> {
  const schema = route.answer === undefined ? { type: "string" } : { $ref: refTo(route.answer, 3) };
  const out: Record<string, unknown> = {};
  for (const code of route.codes) {
    out[code] = { description: codeTexts[code], content: content(route.produces, schema) };
  }
  out["401"] = { description: "Unauthorized" };
  return out;
}

function content(mediaTypes: readonly string[], schema: object): Record<string, unknown> {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

const hashes = new WeakMap<OpenApiKind, string>();

/**
 * Hash of the document that `buildOpenApiV3` gives for these kinds, upper-case hex: it changes when the document does. It comes
 * from what the document is made of, so that the index can be answered before any document is built.
 */
export function openApiV3Hash(kinds: readonly OpenApiKind[]): string {
  return sha256Hex(kinds.map(kindHash).join(" "));
}

function kindHash(kind: OpenApiKind): string {
  const known = hashes.get(kind);
  if (known !== undefined) return known;
  const hash = sha256Hex(JSON.stringify([definitionsHash, kind.resource, kind.custom ?? null], writeBigInt));
  hashes.set(kind, hash);
  return hash;
}

function writeBigInt(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/** A group and version that is served, with the hash of its document. */
export interface OpenApiV3Entry {
  readonly group: string;
  readonly version: string;
  readonly hash: string;
}

/** The path of a document below `/openapi/v3/`: `apis/apps/v1`, `api/v1`. */
export function openApiV3Path({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** `/openapi/v3`: where the document of each group and version is. */
export function buildOpenApiV3Index(entries: readonly OpenApiV3Entry[]): {
  readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>;
} {
  const paths: Record<string, { readonly serverRelativeURL: string }> = {};
  for (const entry of entries) {
    const path = openApiV3Path(entry);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${entry.hash}` };
  }
  return { paths };
}
