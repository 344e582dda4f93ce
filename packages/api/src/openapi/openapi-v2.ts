import { builtinSchemaV2 } from "./builtin-schema.ts";
import { groupByPath, ownParameters } from "./common-parameters.ts";
import { type PublishedSchema, customKindSchema, customListSchema, refTo } from "./custom-schema.ts";
import type { OpenApiKind } from "./openapi-kind.ts";
import type { ParameterFact } from "./parameters.ts";
import { closeOverReferences, referencesOf } from "./references.ts";
import { type Route, definitionNames, routesOf } from "./route.ts";

/** Everything served, in one document. Parts are shared between documents: do not change them. */
export interface OpenApiV2Document {
  readonly swagger: "2.0";
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly definitions: Readonly<Record<string, PublishedSchema>>;
  readonly securityDefinitions: Readonly<Record<string, unknown>>;
  readonly security: readonly unknown[];
}

interface Part {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly schemas: ReadonlyMap<string, PublishedSchema>;
  readonly roots: readonly string[];
}

const parts = new WeakMap<OpenApiKind, Part>();

/** `/openapi/v2`. The part of each kind is made once. Custom schemas lose what version 2 cannot say. */
export function buildOpenApiV2(kinds: readonly OpenApiKind[]): OpenApiV2Document {
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
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.35" },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    definitions: closeOverReferences(schemas, roots, builtinSchemaV2),
    securityDefinitions: {
      BearerToken: { type: "apiKey", name: "authorization", in: "header", description: "Bearer token" },
    },
    security: [{ BearerToken: [] }],
  };
}

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
    [names.kind, customKindSchema(kind, 2)],
    [names.list, customListSchema(kind, names.kind, 2)],
  ]);
}

function pathItem(routes: readonly Route[], common: readonly ParameterFact[]): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const route of routes) item[route.method] = operation(route, common);
  if (common.length > 0) item["parameters"] = common.map(parameter);
  return item;
}

function operation(route: Route, common: readonly ParameterFact[]): Record<string, unknown> {
  const parameters = ownParameters(route, common).map(parameter);
  if (route.body !== undefined) parameters.unshift(bodyParameter(route.body));
  return {
    description: route.description,
    consumes: route.consumes,
    produces: route.produces,
    schemes: ["https"],
    tags: [route.tag],
    operationId: route.operationId,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: responses(route),
    "x-kubernetes-action": route.action,
    "x-kubernetes-group-version-kind": route.gvk,
  };
}

function parameter({ name, in: place, type, description }: ParameterFact): Record<string, unknown> {
  return {
    uniqueItems: true,
    type,
    description,
    name,
    in: place,
    ...(place === "path" ? { required: true } : {}),
  };
}

function bodyParameter(body: NonNullable<Route["body"]>): Record<string, unknown> {
  return {
    name: "body",
    in: "body",
    ...(body.required ? { required: true } : {}),
    schema: { $ref: refTo(body.definition, 2) },
  };
}

const codeTexts = { 200: "OK", 201: "Created", 202: "Accepted" } as const;

function responses(route: Route): Record<string, unknown> {
  const schema = route.answer === undefined ? { type: "string" } : { $ref: refTo(route.answer, 2) };
  const out: Record<string, unknown> = {};
  for (const code of route.codes) out[code] = { description: codeTexts[code], schema };
  out["401"] = { description: "Unauthorized" };
  return out;
}
