import type { Json } from "../object/object.ts";
import type { JsonPatchOperation } from "./json-patch.ts";
import type { PatchSchema } from "./patch-schema.ts";

/** The merge patch that turns `from` into `to`; `{}` when they are equal. Cannot express a null inside `to`. */
export declare function createMergePatch(from: Json, to: Json): Json;

/** The JSON patch that turns `from` into `to`; empty when they are equal. */
export declare function createJsonPatch(from: Json, to: Json): JsonPatchOperation[];

/** The strategic merge patch that turns `from` into `to`; `{}` when they are equal. */
export declare function createStrategicMergePatch(from: Json, to: Json, schema: PatchSchema): Json;

/**
 * The strategic merge patch of client-side apply: takes away what `original` had and `modified` has not, and sets what
 * differs between `current` and `modified`.
 */
export declare function createThreeWayMergePatch(
  original: Json,
  modified: Json,
  current: Json,
  schema: PatchSchema,
): Json;

/** The same with a JSON merge patch, for custom resources. */
export declare function createThreeWayJsonMergePatch(original: Json, modified: Json, current: Json): Json;
