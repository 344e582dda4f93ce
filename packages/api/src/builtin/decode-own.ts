/** Types that decode themselves in Go: times, quantities, int-or-string, and the unions of JSON schemas. */
import type { Json } from "../object/object.ts";
import { QuantityError, canonicalQuantity } from "../object/quantity.ts";
import { rfc3339Ms } from "../table/cell-text.ts";
import { DecodeAbort, DecodeContext, type Decoder, jsonKind } from "./decode-context.ts";
import { goTimeError } from "./go-time-error.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const schemas = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** By definition name. @param definition gives the decoder of another definition */
export function ownDecoders(definition: (name: string) => Decoder): Readonly<Record<string, Decoder>> {
  const schema = (): Decoder => definition(`${schemas}.JSONSchemaProps`);
  return {
    [`${meta}.Time`]: timeDecoder(0),
    [`${meta}.MicroTime`]: timeDecoder(6),
    [`${meta}.FieldsV1`]: (value) => value,
    [`${meta}.Patch`]: (value) => value,
    "io.k8s.apimachinery.pkg.api.resource.Quantity": quantityDecoder,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": (value) => value,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": intOrStringDecoder,
    [`${schemas}.JSON`]: (value) => value,
    [`${schemas}.JSONSchemaPropsOrArray`]: (value, context) => {
      if (Array.isArray(value))
        return leniently(context, (inner) => value.map((item) => schema()(item, inner)));
      // Anything else is taken without complaint, and holds no schema.
      return isRecord(value) ? leniently(context, (inner) => schema()(value, inner)) : [];
    },
    [`${schemas}.JSONSchemaPropsOrBool`]: (value, context) => {
      if (typeof value === "boolean") return value;
      if (!isRecord(value)) throw new DecodeAbort("boolean or JSON schema expected");
      return leniently(context, (inner) => schema()(value, inner));
    },
    [`${schemas}.JSONSchemaPropsOrStringArray`]: (value, context) => {
      if (Array.isArray(value)) return value;
      return isRecord(value) ? leniently(context, (inner) => schema()(value, inner)) : null;
    },
  };
}

/**
 * Such a type reads its own text: nobody hears of unknown fields inside, and a type error inside ends the decoding and is said
 * of the place where the text begins.
 */
function leniently(outer: DecodeContext, decode: (inner: DecodeContext) => Json): Json {
  const inner = new DecodeContext(outer);
  const value = decode(inner);
  if (inner.error === undefined) return value;
  throw new DecodeAbort(inner.mismatch === undefined ? inner.error : outer.mismatchText(inner.mismatch));
}

function isRecord(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const canonicalMicroTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Times are kept in UTC, with that many digits of a second. */
function timeDecoder(digits: 0 | 6): Decoder {
  const canonical = digits === 0 ? canonicalTime : canonicalMicroTime;
  return (value, context) => {
    if (typeof value !== "string") throw mismatch(context, jsonKind(value), "string");
    const milliseconds = rfc3339Ms(value);
    if (milliseconds === undefined) throw new DecodeAbort(goTimeError(value));
    if (canonical.test(value)) return value;
    const seconds = new Date(milliseconds).toISOString().slice(0, 19);
    if (digits === 0) return `${seconds}Z`;
    const fraction = /[.,](\d+)/.exec(value)?.[1] ?? "";
    return `${seconds}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
  };
}

const quantityDecoder: Decoder = (value) => {
  try {
    const canonical = canonicalQuantity(typeof value === "number" ? value : String(value));
    return canonical;
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeAbort(error.message);
    throw error;
  }
};

const intOrStringDecoder: Decoder = (value, context) => {
  if (typeof value === "string") return value;
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) <= 2 ** 31) return value;
  throw mismatch(context, typeof value === "number" ? `number ${value}` : jsonKind(value), "int32");
};

function mismatch(context: DecodeContext, value: string, type: string): DecodeAbort {
  return new DecodeAbort(context.mismatchText({ value, type }));
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes are sent in padded base64; line breaks between its characters are allowed. */
export const base64Decoder: Decoder = (value, context) => {
  if (typeof value !== "string") {
    context.typeError(value, "[]uint8");
    return value;
  }
  if (base64.test(value)) return value;
  const joined = value.replace(/[\r\n]/g, "");
  if (base64.test(joined)) return joined;
  const wrong = joined.search(/[^A-Za-z0-9+/]/);
  const at = wrong < 0 ? joined.length - (joined.length % 4) : wrong;
  context.problem(`illegal base64 data at input byte ${at}`);
  return value;
};
