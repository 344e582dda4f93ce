import { dirname, isAbsolute, join } from "node:path";
import type { Document, LineCounter, Node } from "yaml";
import { ConfigError } from "../errors.ts";

type Path = readonly (string | number)[];

/** Parses the YAML (or JSON) of a kubeconfig. `yaml` is loaded here: a pod with its own credentials never needs it. */
export async function openDocument(text: string, file: string): Promise<KubeconfigReader> {
  const yaml = await import("yaml");
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new ConfigError(`${file}: line ${line}, column ${col}: ${error.message}`, { cause: error });
  }
  return new KubeconfigReader(document, lines, file);
}

/** A parsed file, and where each of its entries stands. */
export class KubeconfigReader {
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #file: string;

  constructor(document: Document, lines: LineCounter, file: string) {
    this.#document = document;
    this.#lines = lines;
    this.#file = file;
  }

  /** The whole file. @throws ConfigError when it is no map */
  root(): Entry {
    const value: unknown = this.#document.toJS();
    if (value === null || value === undefined) return new Entry(this, [], {});
    if (!isMap(value)) throw this.error([], `expected a kubeconfig, found ${describe(value)}`);
    return new Entry(this, [], value);
  }

  error(path: Path, problem: string): ConfigError {
    return new ConfigError(`${this.#file}: ${this.#line(path)}${pathText(path)}${problem}`);
  }

  /** A path in the file as an absolute one. */
  absolute(path: string): string {
    return isAbsolute(path) ? path : join(dirname(this.#file), path);
  }

  /** The line of the entry, or of the nearest one around it that exists. */
  #line(path: Path): string {
    for (let length = path.length; length > 0; length--) {
      const node = this.#document.getIn(path.slice(0, length), true) as Node | undefined;
      const start = node?.range?.[0];
      if (start !== undefined) return `line ${this.#lines.linePos(start).line}: `;
    }
    return "";
  }
}

/** One map in a kubeconfig. Every accessor throws a ConfigError that names file, line and path for a wrong type. */
export class Entry {
  readonly #reader: KubeconfigReader;
  readonly #path: Path;
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(reader: KubeconfigReader, path: Path, value: Readonly<Record<string, unknown>>) {
    this.#reader = reader;
    this.#path = path;
    this.#value = value;
  }

  error(field: string, problem: string): ConfigError {
    return this.#reader.error([...this.#path, field], problem);
  }

  raw(field: string): unknown {
    return this.#value[field] ?? undefined;
  }

  has(field: string): boolean {
    return this.raw(field) !== undefined;
  }

  text(field: string): string | undefined {
    const value = this.raw(field);
    if (value === undefined || typeof value === "string") return value;
    const hint = typeof value === "object" ? "" : "; put it in quotes";
    throw this.error(field, `expected text, found ${describe(value)}${hint}`);
  }

  /** A file name, made absolute. */
  path(field: string): string | undefined {
    const text = this.text(field);
    return text ? this.#reader.absolute(text) : undefined;
  }

  flag(field: string): boolean | undefined {
    const value = this.raw(field);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.error(field, `expected true or false, found ${describe(value)}`);
  }

  texts(field: string): string[] | undefined {
    if (!this.has(field)) return undefined;
    return this.#array(field).map((value, index) => {
      if (typeof value === "string") return value;
      throw this.#reader.error([...this.#path, field, index], `expected text, found ${describe(value)}`);
    });
  }

  /** The map in a field; an empty one when it is absent. */
  map(field: string): Entry {
    const value = this.raw(field) ?? {};
    if (isMap(value)) return new Entry(this.#reader, [...this.#path, field], value);
    throw this.error(field, `expected a map, found ${describe(value)}`);
  }

  /** The maps in a list field; none when it is absent. */
  list(field: string): Entry[] {
    return this.#array(field).map((value, index) => {
      const path = [...this.#path, field, index];
      if (isMap(value)) return new Entry(this.#reader, path, value);
      throw this.#reader.error(path, `expected a map, found ${describe(value)}`);
    });
  }

  allTexts(): Record<string, string> {
    const texts = Object.keys(this.#value).map((field) => [field, this.text(field) ?? ""] as const);
    return Object.fromEntries(texts);
  }

  textLists(): Record<string, string[]> {
    const lists = Object.keys(this.#value).map((field) => [field, this.texts(field) ?? []] as const);
    return Object.fromEntries(lists);
  }

  #array(field: string): readonly unknown[] {
    const value = this.raw(field) ?? [];
    if (Array.isArray(value)) return value;
    throw this.error(field, `expected a list, found ${describe(value)}`);
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return value === null ? "nothing" : "a map";
  return typeof value === "string" ? "text" : `${typeof value} ${String(value as number | boolean)}`;
}

/** `contexts[0].context.cluster: `. */
function pathText(path: Path): string {
  const text = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return text === "" ? "" : `${text.slice(1)}: `;
}
