import type { GroupVersionKind } from "../discovery/api-resource.ts";
import type { Json, JsonObject } from "../object/object.ts";
import { DecodeAbort, DecodeContext, type Decoder } from "./decode-context.ts";
import { definitionDecoder } from "./decoder.ts";
import { builtinDefinitionName } from "./definitions.ts";

/** What the server's Go structs make of a body. */
export interface DecodedBuiltin {
  /**
   * The body without unknown fields, nulls, and optional lists and maps that are empty; quantities and times in their canonical
   * form. Fields keep the order in which they were sent; unchanged parts are shared, the same reference when nothing changed.
   */
  readonly object: JsonObject;
  /** Strict errors as the server words them: `unknown field "spec.foo"`. Empty when there are none. */
  readonly unknownFields: readonly string[];
  /**
   * What makes the server answer 400, which it words `Deployment in version "v1" cannot be handled as a Deployment: ` and this:
   * `json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`.
   */
  readonly error?: string;
}

const decoders = new Map<string, Decoder>();

/**
 * Decodes a body as the real server decodes built-in kinds. The decoder of a kind is compiled once.
 * @param options `keepEmpty`: optional lists and maps that were given empty stay, as in the server's memory. Default false
 * @throws Error when the kind is not a built-in one
 * Source of the rules: sigs.k8s.io/json (a case-sensitive encoding/json) over k8s.io/api structs.
 */
export function decodeBuiltin(
  kind: GroupVersionKind,
  value: Json,
  options: { readonly keepEmpty?: boolean } = {},
): DecodedBuiltin {
  const decode = decoderOf(kind);
  const context = new DecodeContext({ keepEmpty: options.keepEmpty === true });
  try {
    const object = decode(value, context);
    const body = isObject(object) ? object : {};
    if (context.error === undefined) return { object: body, unknownFields: context.unknownFields };
    return { object: body, unknownFields: context.unknownFields, error: context.error };
  } catch (error) {
    if (!(error instanceof DecodeAbort)) throw error;
    return {
      object: isObject(value) ? value : {},
      unknownFields: context.unknownFields,
      error: error.message,
    };
  }
}

function decoderOf(kind: GroupVersionKind): Decoder {
  const key = `${kind.group}/${kind.version}/${kind.kind}`;
  const known = decoders.get(key);
  if (known !== undefined) return known;
  const name = builtinDefinitionName(kind);
  if (name === undefined) throw new Error(`${key} is not a built-in kind`);
  const decoder = definitionDecoder(name);
  decoders.set(key, decoder);
  return decoder;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
