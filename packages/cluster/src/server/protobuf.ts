/** Kubernetes' protobuf for bodies and answers of built-in kinds. */
import { type ProtobufCodec, createProtobufCodec } from "@bowline/api/catalog";

export const protobufType = "application/vnd.kubernetes.protobuf";

let codec: ProtobufCodec | undefined;

/** The codec, whose table is read when the first client speaks protobuf: most servers never meet one. */
export function protobufCodec(): ProtobufCodec {
  codec ??= createProtobufCodec();
  return codec;
}
