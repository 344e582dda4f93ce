import type { JsonObject } from "../object/object.ts";
import type { OpenApiKind } from "./openapi-kind.ts";

/** `{ openapi: "3.0.0", info, paths, components: { schemas } }`. */
export type OpenApiV3Document = JsonObject;

/** `/openapi/v3/apis/GROUP/VERSION`: what is served under one group and version. Parts are cached per kind's identity. */
export function buildOpenApiV3(kinds: readonly OpenApiKind[]): OpenApiV3Document {
  throw new Error(`not built yet (${kinds.length})`);
}

/** Hash of the document that `buildOpenApiV3` gives for these kinds, computed from its inputs: upper-case hex. */
export function openApiV3Hash(kinds: readonly OpenApiKind[]): string {
  throw new Error(`not built yet (${kinds.length})`);
}

/** `/openapi/v3`: one entry per group and version. */
export function buildOpenApiV3Index(
  groupVersions: readonly { readonly group: string; readonly version: string; readonly hash: string }[],
): { readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>> } {
  throw new Error(`not built yet (${groupVersions.length})`);
}
