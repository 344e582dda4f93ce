/**
 * In which form an answer goes out: JSON or YAML, and as the object itself, as a Table, or as metadata only.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/negotiation (negotiate.go).
 */
import { type StatusError, failure } from "@bowline/api";
import { type MediaType, admits, parseAccept } from "./media-type.ts";
import { protobufType } from "./protobuf.ts";

export type Encoding = "json" | "yaml" | "protobuf";
export type Transform = "none" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";

export interface Negotiated {
  readonly encoding: Encoding;
  readonly transform: Transform;
  /** Of meta.k8s.io, for transformed answers. */
  readonly metaVersion: "v1" | "v1beta1";
  readonly pretty: boolean;
}

const encodings: readonly { readonly type: string; readonly encoding: Encoding }[] = [
  { type: "application/json", encoding: "json" },
  { type: "application/yaml", encoding: "yaml" },
  { type: protobufType, encoding: "protobuf" },
];

/** What an endpoint offers. Custom resources have no protobuf form, but their metadata has; a Table never has one. */
export interface Offer {
  readonly protobuf: boolean;
  readonly transforms: boolean;
  /** False: nothing prints these objects as a Table. */
  readonly tables?: boolean;
}

/** @throws StatusError 406 when nothing that the client accepts can be given */
export function negotiate(accept: string | undefined, offer: Offer, query: URLSearchParams): Negotiated {
  const pretty = isPretty(query);
  const plain: Negotiated = { encoding: "json", transform: "none", metaVersion: "v1", pretty };
  if (accept === undefined || accept === "") return plain;
  for (const range of parseAccept(accept)) {
    for (const { type, encoding } of encodings) {
      if (!admits(range.type, type)) continue;
      const found = acceptable(range, encoding, offer);
      if (found !== undefined) return { ...found, pretty };
    }
  }
  throw notAcceptable();
}

function acceptable(range: MediaType, encoding: Encoding, offer: Offer): Negotiated | undefined {
  const { as, g: group, v: version } = range.parameters;
  const protobuf = encoding === "protobuf";
  if (as === undefined || as === "") {
    if (protobuf && !offer.protobuf) return undefined;
    return { encoding, transform: "none", metaVersion: "v1", pretty: false };
  }
  if (!offer.transforms || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  if (
    as === "Table"
      ? protobuf || offer.tables === false
      : as !== "PartialObjectMetadata" && as !== "PartialObjectMetadataList"
  )
    return undefined;
  return { encoding, transform: as as Transform, metaVersion: version, pretty: false };
}

/** Names every encoding, those too that this endpoint has no form for: so does the real server. */
function notAcceptable(): StatusError {
  return refused(encodings.map(({ type }) => type));
}

/**
 * What the router of built-in resources says before anything is negotiated: it knows whole media types only, without their
 * parameters and without `application/*`. Source: go-restful (curly.go, route.go), under k8s.io/apiserver endpoints/installer.go.
 * @throws StatusError 406
 */
export function requireRoutable(accept: string | undefined, streams: boolean): void {
  if (accept === undefined || accept === "") return;
  const types = encodings.map(({ type }) => type);
  const named = accept.split(",").map((range) => (range.split(";")[0] ?? "").trim());
  if (named.some((type) => type === "*/*" || types.includes(type))) return;
  const streamed = streams ? [types[0], protobufType].map((type) => `${type};stream=watch`) : [];
  const available = [...types, ...streamed].join(", ");
  throw failure(406, "NotAcceptable", `406: Not Acceptable\n\nAvailable representations: ${available}`, {});
}

/** The answer to a watch in an encoding that cannot stream. */
export function notStreamable(): StatusError {
  return refused(encodings.filter((e) => e.encoding !== "yaml").map(({ type }) => `${type};stream=watch`));
}

function refused(types: readonly string[]): StatusError {
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${types.join(", ")}`);
}

function isPretty(query: URLSearchParams): boolean {
  const value = query.get("pretty");
  return value !== null && /^(1|t|true)$/i.test(value);
}

/** The media type that an encoding is sent under. */
export function contentType(encoding: Encoding): string {
  return encodings.find((e) => e.encoding === encoding)?.type ?? "application/json";
}

/** What every endpoint can say: a Status, and other objects of meta. */
export const metaOffer: Offer = { protobuf: true, transforms: false };

/** How an error goes out: as the client would have had the object, JSON when it asked for something that errors are not. */
export function errorEncoding(accept: string | undefined): Encoding {
  try {
    return negotiate(accept, metaOffer, new URLSearchParams()).encoding;
  } catch {
    return "json";
  }
}
