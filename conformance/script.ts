import { readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

/** One recorded case: requests with the answers of the real API server. README.md describes the format. */
export interface Script {
  readonly name: string;
  /** What it pins down. */
  readonly why: string;
  readonly steps: Step[];
}

/** One step of a case. */
export interface Step {
  /** `METHOD path`, or `WAIT`, `WATCH`, `EVENTS`, `GONE`, `SLEEP` with their arguments. */
  readonly do: string;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Variable name -> JSON pointer into the answer. */
  readonly save?: Readonly<Record<string, string>>;
  readonly pick?: readonly string[];
  readonly find?: readonly [list: string, inner: string, value: unknown];
  readonly keys?: string;
  readonly until?: readonly [pointer: string, value: unknown];
  readonly contentType?: boolean;
  readonly ignore?: boolean;
  readonly unordered?: boolean;
  readonly exactNumbers?: boolean;
  /** How many seconds EVENTS waits for the end of the stream. */
  readonly ended?: number;
  /** The recorded answer. */
  expect?: unknown;
}

/** A case and where it is. */
export interface CaseFile {
  /** Path below the directory of cases, with slashes: `schema/int32.json`. */
  readonly name: string;
  readonly file: string;
}

export function readScript(file: string): Script {
  return JSON.parse(readFileSync(file, "utf8")) as Script;
}

/** The case files of directories and files, in the order of their paths. Those of the corpus are named by their path in it. */
export function findCases(places: readonly string[], corpus: string): CaseFile[] {
  return places.flatMap((place) => {
    const isDirectory = statSync(place).isDirectory();
    const files = isDirectory ? filesBelow(path.resolve(place)) : [path.resolve(place)];
    const base = isDirectory ? path.resolve(place) : path.dirname(path.resolve(place));
    return files.map((file) => ({ file, name: nameOf(file, isInside(file, corpus) ? corpus : base) }));
  });
}

function isInside(file: string, directory: string): boolean {
  return file.startsWith(path.resolve(directory) + path.sep);
}

function nameOf(file: string, base: string): string {
  return path.relative(path.resolve(base), file).split(path.sep).join("/");
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(file);
      return entry.name.endsWith(".json") ? [file] : [];
    });
}
