import type { Json } from "../object/object.ts";

/** A value of the wrong type, in Go's words: `number 1.5` cannot be an `int32`. */
export interface TypeMismatch {
  readonly value: string;
  readonly type: string;
}

/** Where a decoder is, and what it has found wrong so far. */
export class DecodeContext {
  readonly unknownFields: string[] = [];
  /** The first error; decoding goes on after it, as encoding/json does. */
  error: string | undefined;
  /** The first error when it is one of types. */
  mismatch: TypeMismatch | undefined;
  /** The path as strict errors print it; numbers are list indexes. */
  readonly path: (string | number)[] = [];
  /** The path as type errors print it: fields of structs only. */
  readonly fields: string[] = [];
  /** The struct whose field is being decoded. */
  struct = "";
  /** True: optional lists and maps that were given empty stay, although the server would not write them. */
  readonly keepEmpty: boolean;

  constructor(options: { readonly keepEmpty: boolean }) {
    this.keepEmpty = options.keepEmpty;
  }

  unknownField(name: string): void {
    let text = "";
    for (const part of [...this.path, name]) {
      if (typeof part === "number") text += `[${part}]`;
      else text += text === "" ? part : `.${part}`;
    }
    this.unknownFields.push(`unknown field "${text}"`);
  }

  /** Notes an error that does not end the decoding. */
  problem(text: string): void {
    this.error ??= text;
  }

  /** @param type the Go type that does not fit: `int32`, `v1.DeploymentSpec` */
  typeError(value: Json, type: string): void {
    this.#mismatch({ value: jsonKind(value), type });
  }

  /** The same for a number that its type cannot hold, which Go prints. */
  numberError(value: number | bigint, type: string): void {
    this.#mismatch({ value: `number ${value}`, type });
  }

  #mismatch(mismatch: TypeMismatch): void {
    if (this.error !== undefined) return;
    this.mismatch = mismatch;
    this.error = this.mismatchText(mismatch);
  }

  mismatchText({ value, type }: TypeMismatch): string {
    const where =
      this.fields.length === 0 ? "Go value" : `Go struct field ${this.struct}.${this.fields.join(".")}`;
    return `json: cannot unmarshal ${value} into ${where} of type ${type}`;
  }
}

/** Gives the decoded value, the same reference when nothing changed. */
export type Decoder = (value: Json, context: DecodeContext) => Json;

/** Ends the decoding at once: a value that decodes itself failed. */
export class DecodeAbort extends Error {
  override readonly name: string = "DecodeAbort";
}

/** The kind of a JSON value as Go's messages name it. */
export function jsonKind(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}
