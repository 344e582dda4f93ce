/**
 * In which form an answer goes out: JSON or YAML, and as the object itself, as a Table, or as metadata only.
 * Source: k8s.io/apiserver pkg/endpoints/handlers/negotiation (negotiate.go).
 */
import { type StatusError, failure } from "@bowline/api";
import { type MediaType, admits, parseAccept } from "./media-type.ts";

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
  { type: "application/vnd.kubernetes.protobuf", encoding: "protobuf" },
];

/** Which encodings an endpoint offers. Custom resources have no protobuf form. */
export interface Offer {
  readonly protobuf: boolean;
  /** False for watches and other streams that only have JSON. */
  readonly yaml: boolean;
  readonly transforms: boolean;
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
  if (encoding === "protobuf" && !offer.protobuf) return undefined;
  if (encoding === "yaml" && !offer.yaml) return undefined;
  const { as, g: group, v: version } = range.parameters;
  const plain: Negotiated = { encoding, transform: "none", metaVersion: "v1", pretty: false };
  if (as === undefined || as === "") return plain;
  if (!offer.transforms || group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1"))
    return undefined;
  if (as !== "Table" && as !== "PartialObjectMetadata" && as !== "PartialObjectMetadataList")
    return undefined;
  return { ...plain, transform: as, metaVersion: version };
}

/** Names every encoding, those too that this endpoint has no form for: so does the real server. */
export function notAcceptable(): StatusError {
  const types = encodings.map(({ type }) => type).join(", ");
  return failure(406, "NotAcceptable", `only the following media types are accepted: ${types}`);
}

function isPretty(query: URLSearchParams): boolean {
  const value = query.get("pretty");
  return value !== null && /^(1|t|true)$/i.test(value);
}

/** The media type that an encoding is sent under. */
export function contentType(encoding: Encoding): string {
  return encodings.find((e) => e.encoding === encoding)?.type ?? "application/json";
}

/** How an error goes out: as the client's best encoding says, JSON when there is none. */
export function errorEncoding(accept: string | undefined): "json" | "yaml" {
  if (accept === undefined || accept === "") return "json";
  for (const range of parseAccept(accept)) {
    if (admits(range.type, "application/json")) return "json";
    if (admits(range.type, "application/yaml")) return "yaml";
  }
  return "json";
}
