import type { Variables } from "./fill.ts";

/**
 * One case's view of volatile values: each distinct uid and resourceVersion of an object gets a number in the order of its
 * appearance, so that equality between steps still counts; times, tokens and the case's own group become placeholders.
 */
export class Normaliser {
  /** Whether the answer at hand is a list: its resourceVersion is then the list's. */
  inList = false;
  readonly #variables: Variables;
  readonly #uids = new Map<string, string>();
  readonly #resourceVersions = new Map<string, string>();

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  /** The normalised value of an answer's text: JSON, or the text itself where it is not JSON. */
  body(text: string): unknown {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return this.#plainText(text);
    }
    if (field(json, "type") === "BOOKMARK") {
      json = JSON.parse(text.replace(/"resourceVersion":"\d+"/g, '"resourceVersion":"<bookmark-rv>"'));
    }
    const kind = field(json, "kind") ?? "";
    this.inList = Array.isArray(field(json, "items")) || /List$|^Table$/.test(String(kind));
    return this.#keys(this.#value(json, undefined, []));
  }

  #value(value: unknown, key: string | undefined, parents: readonly (string | undefined)[]): unknown {
    if (Array.isArray(value)) {
      return value.map((entry) => this.#value(entry, undefined, [...parents, key]));
    }
    if (typeof value === "object" && value !== null) return this.#object(value, [...parents, key]);
    return typeof value === "string" ? this.#string(value, key, parents) : value;
  }

  #object(value: object, parents: readonly (string | undefined)[]): Record<string, unknown> {
    const fields = value as Record<string, unknown>;
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(fields).sort()) out[key] = this.#value(fields[key], key, parents);
    const { generateName, name } = fields;
    if (generateName && typeof name === "string" && name.startsWith(String(generateName))) {
      const suffix = name.slice(String(generateName).length);
      if (/^[a-z0-9]{5}$/.test(suffix)) out["name"] = `${String(generateName)}<random>`;
    }
    return out;
  }

  #string(value: string, key: string | undefined, parents: readonly (string | undefined)[]): string {
    const parent = parents.at(-1);
    if (key === "uid" && /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(value)) return numbered(this.#uids, "uid", value);
    if (key === "resourceVersion" && /^\d+$/.test(value)) {
      const ofList = parents.length <= 2 && parent === "metadata" && this.inList;
      return ofList ? "<list-rv>" : numbered(this.#resourceVersions, "rv", value);
    }
    if (key === "continue" && value !== "") return "<continue>";
    // It depends on the name of the group.
    if (key === "storageVersionHash") return "<hash>";
    if (
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(value) &&
      /^(creationTimestamp|deletionTimestamp|time|lastTransitionTime)$/.test(key ?? "")
    ) {
      return "<time>";
    }
    // The column `Created At` of a CRD.
    if (parent === "cells" && /^20(2[5-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value)) return "<time>";
    const known = this.#group(withTags(value, this.#uids));
    return parent === "cells" && /^(\d+(ms|[smhdy]))+$/.test(value) ? "<age>" : withoutVolatileParts(known);
  }

  /** An answer that is not JSON: YAML, or plain text. */
  #plainText(text: string): string {
    const ofList = /^kind: \w+List$/m.test(text);
    return text
      .replaceAll(this.#groupName(), "${group}")
      .replace(/^ {2}resourceVersion: "\d+"/m, (match) => (ofList ? '  resourceVersion: "<list-rv>"' : match))
      .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (match) =>
        numbered(this.#uids, "uid", match),
      )
      .replace(
        /(resourceVersion: ")(\d+)"/g,
        (_match, before: string, version: string) =>
          `${before}${numbered(this.#resourceVersions, "rv", version)}"`,
      )
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>");
  }

  /** The case's group, also as OpenAPI writes it in schema names, operation ids and tags. */
  #group(text: string): string {
    const parts = this.#groupName().split(".");
    const camel = parts.map((part) => (part[0] ?? "").toUpperCase() + part.slice(1)).join("");
    return text
      .replaceAll(this.#groupName(), "${group}")
      .replaceAll([...parts].reverse().join("."), "${puorg}")
      .replaceAll(camel, "${Group}")
      .replaceAll((camel[0] ?? "").toLowerCase() + camel.slice(1), "${gRoup}");
  }

  /** Keys of objects (paths of managed fields, schema names) may hold the case's group too. */
  #keys(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((entry) => this.#keys(entry));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [this.#group(key), this.#keys(entry)]),
    );
  }

  #groupName(): string {
    return String(this.#variables["group"]);
  }
}

function numbered(known: Map<string, string>, kind: string, value: string): string {
  const tag = known.get(value) ?? `<${kind}:${known.size + 1}>`;
  known.set(value, tag);
  return tag;
}

function withTags(text: string, tags: ReadonlyMap<string, string>): string {
  let out = text;
  for (const [real, tag] of tags) out = out.replaceAll(real, tag);
  return out;
}

/** Times, versions, hashes and cut texts inside of messages. */
function withoutVolatileParts(text: string): string {
  return (
    text
      .replace(/ at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, " at <time>")
      .replace(/\([0-9a-f]{40,} \.\.\.\)/g, "(<hex> ...)")
      // A body quoted up to somewhere in the group.
      .replace(/"apiVersion":"c\d+x[\w.]* \.\.\.\)/g, '"apiVersion":"<cut> ...)')
      // The clock's nanoseconds in the name of a CEL type.
      .replace(/\bselfType\d+/g, "selfType<n>")
      // Objects printed inside of a message.
      .replace(
        /((?:creationTimestamp|deletionTimestamp|time)\\*":\\*")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g,
        "$1<time>",
      )
      .replace(/(resourceVersion\\*":\\*")\d+/g, "$1<n>")
      .replace(
        /resourceVersion: \d+|current: \d+|version: \d+( \(\d+\))?|ResourceVersion in (the )?(precondition|object meta|record):? \(?\d+/g,
        (match) => match.replace(/\d+/g, "<n>"),
      )
  );
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
