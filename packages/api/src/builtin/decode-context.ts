import type { Json } from "../object/object.ts";

/** Where a decoder is, and what it has found wrong so far. */
export class DecodeContext {
  readonly unknownFields: string[] = [];
  /** The first type error; decoding goes on after it, as encoding/json does. */
  error: string | undefined;
  /** The path as strict errors print it; numbers are list indexes. */
  readonly path: (string | number)[] = [];
  /** The path as type errors print it: fields of structs only. */
  readonly fields: string[] = [];
  /** The struct whose field is being decoded. */
  struct = "";
  /** Above 0 inside values that decode themselves, where unknown fields are dropped without a word. */
  lenient = 0;

  unknownField(name: string): void {
    if (this.lenient > 0) return;
    let text = "";
    for (const part of [...this.path, name]) {
      if (typeof part === "number") text += `[${part}]`;
      else text += text === "" ? part : `.${part}`;
    }
    this.unknownFields.push(`unknown field "${text}"`);
  }

  /** @param type the Go type that does not fit: `int32`, `v1.DeploymentSpec` */
  typeError(value: Json, type: string): void {
    this.error ??= this.typeErrorText(value, type);
  }

  typeErrorText(value: Json, type: string): string {
    const where =
      this.fields.length === 0 ? "Go value" : `Go struct field ${this.struct}.${this.fields.join(".")}`;
    return `json: cannot unmarshal ${jsonKind(value)} into ${where} of type ${type}`;
  }
}

/** Ends the decoding at once: a value that decodes itself failed. */
export class DecodeAbort extends Error {
  override readonly name: string = "DecodeAbort";
}

function jsonKind(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
