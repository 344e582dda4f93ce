import type { Json } from "../object/object.ts";
import type { PatchSchema } from "./patch-schema.ts";

/**
 * The value after a strategic merge patch. Shares unchanged parts; the same value when nothing changes.
 * @throws StatusError 400/422/500 as the API server answers
 */
export declare function applyStrategicMergePatch(value: Json, patch: Json, schema: PatchSchema): Json;
