import { type DeepReadonly, decodeJson, deepFreeze, encodeJson } from "@bowline/api";

/**
 * A number of sixteen digits: perhaps an integer that `JSON.parse` would round. Only texts with one take the slow decoder. A
 * match inside of a string costs time, not correctness.
 */
const longNumber = /[:[,]\s*-?\d{16}/;

/** Reads JSON into frozen values; integers beyond +-2^53 become bigints. @throws SyntaxError, DecodeError */
export function readJson<T>(text: string): DeepReadonly<T> {
  const value: unknown = longNumber.test(text) ? decodeJson(text).value : JSON.parse(text);
  return deepFreeze(value as T);
}

/** The bytes or text of a request body: JSON, unless it is text or bytes already. */
export function writeBody(body: unknown): string | Uint8Array | undefined {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  return encodeJson(body);
}
