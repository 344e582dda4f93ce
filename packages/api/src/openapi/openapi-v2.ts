import type { JsonObject } from "../object/object.ts";
import type { OpenApiKind } from "./openapi-kind.ts";

/** `{ swagger: "2.0", info, paths, definitions }`. */
export type OpenApiV2Document = JsonObject;

/** `/openapi/v2`: everything served in one document; custom schemas lose what v2 cannot say. */
export function buildOpenApiV2(kinds: readonly OpenApiKind[]): OpenApiV2Document {
  throw new Error(`not built yet (${kinds.length})`);
}
