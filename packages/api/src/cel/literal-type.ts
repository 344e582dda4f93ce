import type { LiteralValue } from "./ast.ts";
import { type CelType, celTypes } from "./type.ts";
import { CelDouble, CelUint } from "./value.ts";

/** The type of a literal. */
export function typeOfLiteral(value: LiteralValue): CelType {
  if (value === null) return celTypes.null;
  if (value instanceof CelDouble) return celTypes.double;
  if (value instanceof CelUint) return celTypes.uint;
  if (value instanceof Uint8Array) return celTypes.bytes;
  switch (typeof value) {
    case "boolean":
      return celTypes.bool;
    case "string":
      return celTypes.string;
    default:
      return celTypes.int;
  }
}
