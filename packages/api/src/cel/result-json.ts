/** What an expression yields, as JSON. */
import type { Json } from "../object/object.ts";
import { encodeBase64 } from "../codec/base64.ts";
import { toText } from "./convert.ts";
import {
  CelDouble,
  CelDuration,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  isList,
  listItems,
} from "./value.ts";
import { CelType } from "./type.ts";

/**
 * A value as JSON: bytes as base64, durations, timestamps, types and keys of maps as text, an absent optional as null.
 * What only libraries bring (quantities, addresses) has no JSON and becomes null.
 */
export function resultJson(value: CelValue): Json {
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof CelDouble) return value.value;
  if (value instanceof CelUint)
    return value.value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value.value) : value.value;
  if (value instanceof Uint8Array) return encodeBase64(value);
  if (value instanceof CelDuration || value instanceof CelTimestamp) return toText(value);
  if (value instanceof CelOptional) return value.value === undefined ? null : resultJson(value.value);
  if (value instanceof CelType) return value.name;
  if (value instanceof CelMap) return mapJson(value);
  if (isList(value)) return listItems(value).map(resultJson);
  return null;
}

function mapJson(map: CelMap): Json {
  const entries = map.keys().map((key) => [String(resultJson(key)), resultJson(map.get(key) ?? null)]);
  return Object.fromEntries(entries) as Json;
}
