import type { Json, JsonObject } from "../object/object.ts";
import { quote } from "../status/field-error.ts";
import { DecodeError, depthMax } from "./decode-error.ts";
import type { Decoded } from "./json.ts";

/**
 * Reads JSON character by character: finds duplicate keys with their paths, keeps 64-bit integers exact, and says what is
 * wrong in Go's words. Source of the wordings: encoding/json (scanner.go).
 * @throws DecodeError
 */
export function scanJson(text: string): Decoded {
  const scanner = new JsonScanner(text);
  const value = scanner.document();
  return { value, duplicateFields: scanner.duplicateFields };
}

/** How many duplicates are reported. Source: sigs.k8s.io/json. */
const duplicatesMax = 100;

/** A container that is being filled. */
interface Frame {
  readonly array: Json[] | undefined;
  readonly object: JsonObject;
  /** Key of the member that is being read. */
  key: string;
}

class JsonScanner {
  readonly #text: string;
  #at = 0;
  readonly #frames: Frame[] = [];
  readonly #duplicates = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  get duplicateFields(): readonly string[] {
    return [...this.#duplicates];
  }

  document(): Json {
    const value = this.#value();
    this.#skipBlank();
    if (this.#at < this.#text.length) this.#fail("after top-level value");
    return value;
  }

  /** Reads one value; containers are kept in frames instead of on the stack. */
  #value(): Json {
    for (;;) {
      let done = this.#begin();
      while (done !== undefined) {
        const frame = this.#frames.at(-1);
        if (frame === undefined) return done.value;
        this.#store(frame, done.value);
        done = this.#afterElement(frame);
      }
    }
  }

  /** Starts a value: a scalar or an empty container is done at once, otherwise a frame is open and undefined is returned. */
  #begin(): { value: Json } | undefined {
    this.#skipBlank();
    const char = this.#text[this.#at];
    if (char === "{") return this.#open(undefined);
    if (char === "[") return this.#open([]);
    return { value: this.#scalar(char) };
  }

  #open(array: Json[] | undefined): { value: Json } | undefined {
    this.#at++;
    if (this.#frames.length >= depthMax) throw new DecodeError("exceeded max depth");
    const frame: Frame = { array, object: {}, key: "" };
    this.#skipBlank();
    if (this.#text[this.#at] === (array === undefined ? "}" : "]")) {
      this.#at++;
      return { value: array ?? frame.object };
    }
    this.#frames.push(frame);
    if (array === undefined) this.#readKey(frame);
    return undefined;
  }

  /** After an element: a comma leads to the next one (undefined), the closing bracket gives the whole container. */
  #afterElement(frame: Frame): { value: Json } | undefined {
    this.#skipBlank();
    const char = this.#text[this.#at];
    const isArray = frame.array !== undefined;
    if (char === ",") {
      this.#at++;
      if (!isArray) {
        this.#skipBlank();
        this.#readKey(frame);
      }
      return undefined;
    }
    if (char !== (isArray ? "]" : "}"))
      this.#fail(isArray ? "after array element" : "after object key:value pair");
    this.#at++;
    this.#frames.pop();
    return { value: frame.array ?? frame.object };
  }

  #readKey(frame: Frame): void {
    if (this.#text[this.#at] !== '"') this.#fail("looking for beginning of object key string");
    frame.key = this.#string();
    if (Object.hasOwn(frame.object, frame.key) && this.#duplicates.size < duplicatesMax) {
      this.#duplicates.add(`duplicate field ${quote(this.#path())}`);
    }
    this.#skipBlank();
    if (this.#text[this.#at] !== ":") this.#fail("after object key");
    this.#at++;
  }

  #store(frame: Frame, value: Json): void {
    if (frame.array !== undefined) frame.array.push(value);
    else setMember(frame.object, frame.key, value);
  }

  /** `spec.containers[0].name`: where the scanner is. */
  #path(): string {
    let path = "";
    for (const { array, key } of this.#frames) {
      if (array !== undefined) path += `[${array.length}]`;
      else path += path === "" ? key : `.${key}`;
    }
    return path;
  }

  #scalar(char: string | undefined): Json {
    switch (char) {
      case '"':
        return this.#string();
      case "t":
        return this.#literal("true", true);
      case "f":
        return this.#literal("false", false);
      case "n":
        return this.#literal("null", null);
      default:
        return this.#number();
    }
  }

  #literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
    }
    return value;
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x22) break;
      if (code === 0x5c) this.#escape();
      else if (!(code >= 0x20)) this.#fail("in string literal");
      else this.#at++;
    }
    this.#at++;
    const value = JSON.parse(this.#text.slice(start, this.#at)) as string;
    return value.replace(/\p{Surrogate}/gu, "\uFFFD");
  }

  #escape(): void {
    this.#at++;
    const char = this.#text[this.#at];
    if (char === undefined || !'bfnrt\\/"u'.includes(char)) this.#fail("in string escape code");
    this.#at++;
    if (char !== "u") return;
    for (let i = 0; i < 4; i++, this.#at++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) this.#fail("in \\u hexadecimal character escape");
    }
  }

  #number(): number | bigint {
    const start = this.#at;
    const negative = this.#text[this.#at] === "-";
    if (negative) this.#at++;
    if (this.#text[this.#at] === "0") this.#at++;
    else this.#digits(negative ? "in numeric literal" : "looking for beginning of value");
    const whole = this.#at;
    if (this.#text[this.#at] === ".") {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if (/[eE]/.test(this.#text[this.#at] ?? "")) {
      this.#at++;
      if (/[+-]/.test(this.#text[this.#at] ?? "")) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    return numberOf(this.#text.slice(start, this.#at), whole === this.#at);
  }

  #digits(context: string): void {
    const start = this.#at;
    while (isDigit(this.#text.charCodeAt(this.#at))) this.#at++;
    if (this.#at === start) this.#fail(context);
  }

  #skipBlank(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #fail(context: string): never {
    // At the end Go's scanner tries whether a space could follow, and complains about that inside of a token.
    const insideToken = context.startsWith("in ")
      ? context !== "in string literal"
      : context.endsWith("literal");
    const char = this.#text[this.#at] ?? (insideToken ? " " : undefined);
    if (char === undefined) throw new DecodeError("unexpected end of JSON input");
    throw new DecodeError(`invalid character ${quoteCharacter(char)} ${context}`);
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function numberOf(text: string, isInteger: boolean): number | bigint {
  const value = Number(text);
  if (!isInteger || Number.isSafeInteger(value)) {
    if (Number.isFinite(value)) return value === 0 ? 0 : value;
    throw new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  }
  const exact = BigInt(text);
  if (BigInt.asIntN(64, exact) === exact) return exact;
  if (Number.isFinite(value)) return value;
  throw new DecodeError(`json: cannot unmarshal number ${text} into Go value of type float64`);
}

/** Go quotes the first byte of the character, not the character. */
function quoteCharacter(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  const quoted = quote(String.fromCharCode(firstUtf8Byte(char)));
  return `'${quoted.slice(1, -1)}'`;
}

function firstUtf8Byte(char: string): number {
  const code = char.charCodeAt(0);
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  if (code >= 0xd800 && code < 0xdc00) return 0xf0 | ((code - 0xd800 + 0x40) >> 8);
  return 0xe0 | (code >> 12);
}

/** Sets a member as JSON has it: `__proto__` is a key like any other. */
function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}
