import { type CST, Composer, type Document, LineCounter, Parser } from "yaml";
import { DecodeError, yamlDepthMax } from "./decode-error.ts";
import { type Decoded, decodeJson } from "./json.ts";
import { emitYaml } from "./yaml-emitter.ts";
import { syntaxErrorText } from "./yaml-error.ts";
import { YamlReader } from "./yaml-reader.ts";

/**
 * Reads the first document of a YAML text as the API server and kubectl do: YAML 1.1 scalars (`yes`, `on` and `y` are true,
 * 012 is 10, 1_000 is 1000), keys become strings, dates stay strings, merge keys merge. An empty text is null.
 *
 * Duplicate keys are one text for the whole document, as strict field validation reports them:
 * `yaml: unmarshal errors:\n  line 8: key "color" already set in map`.
 * @throws DecodeError
 * Source of the rules: sigs.k8s.io/yaml (yaml.go), go.yaml.in/yaml/v2 (decode.go).
 */
export function decodeYaml(text: string): Decoded {
  return decodeAsJson(text) ?? decodeDocument(text);
}

/** JSON is YAML, and kubectl sends it as such: much faster to read, unless there are duplicates to report in YAML's words. */
function decodeAsJson(text: string): Decoded | undefined {
  if (!text.startsWith("{")) return undefined;
  if (/[^\\](?:\\\\)*\\u[dD][89a-fA-F]/.test(text)) {
    // YAML has no halves of characters, not even as a pair
    throw new DecodeError("yaml: found invalid Unicode character escape code");
  }
  try {
    const decoded = decodeJson(text);
    return decoded.duplicateFields.length === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function decodeDocument(text: string): Decoded {
  const lines = new LineCounter();
  const document = firstDocument(text, lines);
  if (document === undefined) return { value: null, duplicateFields: [] };
  const [error] = document.errors;
  if (error !== undefined) throw new DecodeError(syntaxErrorText(error, text, lines));
  const reader = new YamlReader(document, (offset) => lines.linePos(offset).line);
  const value = reader.read();
  const { duplicates } = reader;
  return {
    value,
    duplicateFields: duplicates.length === 0 ? [] : [`yaml: unmarshal errors:\n${duplicates.join("\n")}`],
  };
}

/**
 * The text of a JSON value as kubectl and the API server print YAML, with a newline at the end: keys sorted, quotes where a
 * reader would see something else than the string, long texts folded.
 */
export function encodeYaml(value: unknown): string {
  return emitYaml(value);
}

function firstDocument(text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer({
    schema: "failsafe",
    uniqueKeys: false,
    merge: false,
    resolveKnownTags: false,
    logLevel: "silent",
  });
  const tokens = new Parser(lines.addNewLine).parse(text);
  for (const document of composer.compose(shallow(tokens), false, text.length)) return document;
  return undefined;
}

/** The tokens, as long as they are not nested deeper than the composer, which is recursive, can take. */
function* shallow(tokens: Iterable<CST.Token>): Generator<CST.Token, void, undefined> {
  for (const token of tokens) {
    if (isDeeperThan(token, yamlDepthMax)) throw new DecodeError("yaml: exceeded max depth");
    yield token;
  }
}

/** Walks without recursion. */
function isDeeperThan(root: CST.Token, limit: number): boolean {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next;
    if (depth > limit) return true;
    if (token.type === "document" && token.value !== undefined) pending.push({ token: token.value, depth });
    if (!("items" in token)) continue;
    for (const { key, value } of token.items) {
      if (key) pending.push({ token: key, depth: depth + 1 });
      if (value !== undefined) pending.push({ token: value, depth: depth + 1 });
    }
  }
  return false;
}
