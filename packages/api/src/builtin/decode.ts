import type { GroupVersionKind } from "../discovery/api-resource.ts";
import type { Json, JsonObject } from "../object/object.ts";

/** What the server's Go structs make of a body. */
export interface DecodedBuiltin {
  /** The body without unknown fields and nulls, fields in the struct's order; the same reference when nothing changed. */
  readonly object: JsonObject;
  /** Strict errors as the server words them: `unknown field "spec.foo"`. Empty when there are none. */
  readonly unknownFields: readonly string[];
  /** The first type error, which the server answers with 400: `json: cannot unmarshal string into Go struct field ...`. */
  readonly error?: string;
}

/** Decodes a body as the real server decodes built-in kinds. The decoder of a kind is compiled once. */
export function decodeBuiltin(kind: GroupVersionKind, value: Json): DecodedBuiltin {
  throw new Error(`not built yet (${kind.kind} ${typeof value})`);
}
