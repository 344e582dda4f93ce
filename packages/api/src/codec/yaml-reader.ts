import { type Document, type Node, type Pair, Scalar, isAlias, isMap, isScalar, isSeq } from "yaml";
import type { Json, JsonObject } from "../object/object.ts";
import { quote } from "../status/field-error.ts";
import { decodeBase64 } from "./base64.ts";
import { DecodeError } from "./decode-error.ts";
import { goNumberText } from "./go-text.ts";
import { decodeUtf8 } from "./protobuf-wire.ts";
import { type YamlScalar, resolveScalar } from "./yaml-scalar.ts";

/** Members of a mapping while it is read: by type and text of the key, since 5 and "5" are two keys. */
type Members = Map<string, { readonly name: string; readonly value: Json }>;

const tagPrefix = "tag:yaml.org,2002:";

/** Small documents may consist of expanded aliases nearly whole, large ones only for a tenth. Source: yaml/v2 decode.go. */
const aliasRatio = { low: 400_000, high: 4_000_000, most: 0.99, least: 0.1 } as const;

/** Turns the nodes of a document into JSON. */
export class YamlReader {
  /** `  line 8: key "color" already set in map`, in document order. */
  readonly duplicates: string[] = [];
  readonly #document: Document.Parsed;
  readonly #lineAt: (offset: number) => number;
  readonly #open = new Set<Node>();
  #decodeCount = 0;
  #aliasCount = 0;
  #aliasDepth = 0;

  constructor(document: Document.Parsed, lineAt: (offset: number) => number) {
    this.#document = document;
    this.#lineAt = lineAt;
  }

  /** @throws DecodeError */
  read(): Json {
    return this.#node(this.#document.contents);
  }

  #node(node: Node | null): Json {
    this.#countNode();
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node.source, (target) => this.#node(target));
    if (isSeq(node)) return node.items.map((item) => this.#node(item as Node));
    if (isMap(node)) return toObject(this.#members(node.items as Pair<Node, Node | null>[]));
    return isScalar(node) ? jsonOf(this.#scalar(node)) : null;
  }

  #countNode(): void {
    this.#decodeCount++;
    if (this.#aliasDepth > 0) this.#aliasCount++;
    if (this.#aliasCount <= 100 || this.#decodeCount <= 1000) return;
    if (this.#aliasCount / this.#decodeCount > allowedAliasRatio(this.#decodeCount)) {
      throw new DecodeError("yaml: document contains excessive aliasing");
    }
  }

  #alias<T>(anchor: string, read: (target: Node) => T): T {
    const target = this.#anchored(anchor);
    if (this.#open.has(target)) throw new DecodeError(`yaml: anchor '${anchor}' value contains itself`);
    this.#open.add(target);
    this.#aliasDepth++;
    const value = read(target);
    this.#aliasDepth--;
    this.#open.delete(target);
    return value;
  }

  #anchored(anchor: string): Node {
    const target = this.#anchors().get(anchor);
    if (target === undefined) throw new DecodeError(`yaml: unknown anchor '${anchor}' referenced`);
    return target;
  }

  #anchorNodes: Map<string, Node> | undefined;

  #anchors(): Map<string, Node> {
    this.#anchorNodes ??= collectAnchors(this.#document.contents, new Map());
    return this.#anchorNodes;
  }

  #members(pairs: readonly Pair<Node, Node | null>[], into: Members = new Map()): Members {
    for (const { key, value } of pairs) {
      if (isMergeKey(key)) {
        this.#merge(value, into);
        continue;
      }
      const { id, name, goText } = this.#key(key, value);
      if (into.has(id)) {
        this.duplicates.push(`  line ${this.#lineOf(value ?? key)}: key ${goText} already set in map`);
      }
      into.set(id, { name, value: this.#node(value) });
    }
    return into;
  }

  /** What `<<` adds: a mapping, or several of which the first wins. They also win over keys that stand before the `<<`. */
  #merge(value: Node | null, into: Members): void {
    if (isAlias(value)) return this.#alias(value.source, (target) => this.#mergeMap(target, into));
    if (!isSeq(value)) return this.#mergeMap(value, into);
    for (const item of (value.items as Node[]).toReversed()) {
      if (isAlias(item)) this.#alias(item.source, (target) => this.#mergeMap(target, into));
      else this.#mergeMap(item, into);
    }
  }

  #mergeMap(node: Node | null, into: Members): void {
    if (!isMap(node)) throw new DecodeError("yaml: map merge requires map or sequence of maps as the value");
    this.#members(node.items as Pair<Node, Node | null>[], into);
  }

  #key(node: Node | null, value: Node | null): { id: string; name: string; goText: string } {
    if (isAlias(node)) return this.#alias(node.source, (target) => this.#key(target, value));
    if (node !== null && !isScalar(node)) {
      throw new DecodeError(`yaml: invalid map key: ${goSyntax(this.#node(node))}`);
    }
    const scalar = node === null ? resolveScalar("") : this.#scalar(node);
    if (scalar.type === "null") {
      const text = goSyntax(this.#node(value));
      throw new DecodeError(`unsupported map key of type: %!s(<nil>), key: <nil>, value: ${text}`);
    }
    const name = keyText(scalar);
    const goText = scalar.type === "string" || scalar.type === "timestamp" ? quote(name) : name;
    return { id: goText, name, goText };
  }

  #scalar(node: Scalar): YamlScalar {
    const text = String(node.value ?? "");
    const tag = node.tag?.startsWith(tagPrefix) ? node.tag.slice(tagPrefix.length) : node.tag;
    const plain = node.type === Scalar.PLAIN || node.type === undefined;
    if (tag === undefined) return plain ? resolveScalar(text) : { type: "string", value: text };
    return taggedScalar(text, tag);
  }

  #lineOf(node: Node): number {
    return this.#lineAt(node.range?.[0] ?? 0);
  }
}

function isMergeKey(node: Node | null): boolean {
  return isScalar(node) && node.value === "<<" && node.type === Scalar.PLAIN;
}

function collectAnchors(node: Node | null, anchors: Map<string, Node>): Map<string, Node> {
  if (node === null || isAlias(node)) return anchors;
  const { anchor } = node as { anchor?: string };
  if (anchor !== undefined) anchors.set(anchor, node);
  if (isSeq(node)) for (const item of node.items as Node[]) collectAnchors(item, anchors);
  if (isMap(node)) {
    for (const { key, value } of node.items as Pair<Node, Node | null>[]) {
      collectAnchors(key, anchors);
      collectAnchors(value, anchors);
    }
  }
  return anchors;
}

function taggedScalar(text: string, tag: string): YamlScalar {
  if (tag === "binary") return { type: "string", value: binaryText(text) };
  if (!["str", "bool", "int", "float", "null", "timestamp"].includes(tag))
    return { type: "string", value: text };
  if (tag === "str") return { type: "string", value: text };
  const scalar = resolveScalar(text);
  if (scalar.type === tag) return scalar;
  if (tag === "float" && scalar.type === "int") return { type: "float", value: Number(scalar.value) };
  const found = scalar.type === "string" ? "str" : scalar.type;
  throw new DecodeError(`yaml: cannot decode !!${found} \`${text}\` as a !!${tag}`);
}

/** A scalar as the JSON decoder behind the YAML parser has it: integers beyond 64 bits with sign become floats. */
function jsonOf(scalar: YamlScalar): Json {
  if (scalar.type === "int") return isInt64(scalar.value) ? scalar.value : Number(scalar.value);
  if (scalar.type !== "float") return scalar.value;
  if (Number.isFinite(scalar.value)) return scalar.value === 0 ? 0 : scalar.value;
  throw new DecodeError(`json: unsupported value: ${infinityText(scalar.value)}`);
}

function isInt64(value: number | bigint): boolean {
  return typeof value === "number" || BigInt.asIntN(64, value) === value;
}

function infinityText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

/** A key as the JSON string that it becomes; a float has the digits of 32 bits. */
function keyText(scalar: YamlScalar): string {
  if (scalar.type !== "float") return String(scalar.value);
  if (Number.isNaN(scalar.value)) return ".nan";
  if (!Number.isFinite(scalar.value)) return scalar.value > 0 ? ".inf" : "-.inf";
  return goNumberText(Number(Math.fround(scalar.value).toPrecision(7)));
}

function toObject(members: Members): JsonObject {
  return Object.fromEntries(Array.from(members.values(), ({ name, value }) => [name, value]));
}

function allowedAliasRatio(decodeCount: number): number {
  const { low, high, most, least } = aliasRatio;
  if (decodeCount <= low) return most;
  if (decodeCount >= high) return least;
  return most - (most - least) * ((decodeCount - low) / (high - low));
}

/** How Go's %#v prints a decoded value. */
function goSyntax(value: Json): string {
  if (value === null) return "interface {}(nil)";
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(", ")}}`;
  if (typeof value === "object") {
    const members = Object.entries(value).map(([key, item]) => `${quote(key)}:${goSyntax(item)}`);
    return `map[interface {}]interface {}{${members.join(", ")}}`;
  }
  return typeof value === "string" ? quote(value) : String(value);
}

/** The UTF-8 text that base64 stands for. */
function binaryText(text: string): string {
  const bytes = decodeBase64(text);
  if (bytes === undefined) throw new DecodeError("yaml: !!binary value contains invalid base64 data");
  return decodeUtf8(bytes);
}
