import type { Decoded } from "./json.ts";

/**
 * Reads the first document of a YAML text as the API server and kubectl do: YAML 1.1 scalars (`yes`, `on` and `y` are
 * true, 012 is 10, 1_000 is 1000).
 * @throws DecodeError
 */
export declare function decodeYaml(text: string): Decoded;

/** The text of a JSON value as kubectl prints YAML: sorted keys, quotes where a reader would see another type. */
export declare function encodeYaml(value: unknown): string;
