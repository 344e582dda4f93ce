import type { OpenApiV2Document } from "./openapi-v2.ts";

/** The v2 document as `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`, which older kubectl ask for. */
export function encodeOpenApiV2(document: OpenApiV2Document): Uint8Array {
  throw new Error(`not built yet (${document["swagger"]})`);
}
