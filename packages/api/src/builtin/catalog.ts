/**
 * What is known about built-in kinds at run time, as its own entry point (`@bowline/api/catalog`): a production operator that
 * needs only types and kinds does not load it.
 */
export { builtinResources } from "./resources.ts";
export type { BuiltinResource } from "../discovery/api-resource.ts";
export { builtinDefinition, builtinDefinitionName, builtinSchema, linkedDefinition } from "./definitions.ts";
export type { BuiltinDefinition } from "./definitions.ts";
export { decodeBuiltin } from "./decode.ts";
export type { DecodedBuiltin } from "./decode.ts";
export { createProtobufCodec } from "../codec/protobuf.ts";
export type { ProtobufCodec } from "../codec/protobuf.ts";

// What a server publishes
export { buildOpenApiV2 } from "../openapi/openapi-v2.ts";
export type { OpenApiV2Document } from "../openapi/openapi-v2.ts";
export { encodeOpenApiV2 } from "../openapi/openapi-v2-protobuf.ts";
export { buildOpenApiV3, buildOpenApiV3Index, openApiV3Hash, openApiV3Path } from "../openapi/openapi-v3.ts";
export type { OpenApiV3Document, OpenApiV3Entry } from "../openapi/openapi-v3.ts";
export type { OpenApiKind } from "../openapi/openapi-kind.ts";
export { builtinPrinter } from "../table/builtin-printer.ts";
