/** Reads from Go sources what .proto files do not say: the names in JSON, and which zero values JSON leaves out. */

export interface GoField {
  readonly number: number;
  readonly jsonName: string;
  /** The fields of the message are fields of the object around it. */
  readonly inline: boolean;
  readonly omitEmpty: boolean;
  readonly pointer: boolean;
}

/** The struct types of the sources with their fields that have a protobuf number. */
export function readGoTypes(sources: readonly string[]): ReadonlyMap<string, readonly GoField[]> {
  const types = new Map<string, GoField[]>();
  for (const source of sources) {
    for (const [, name = "", body = ""] of source.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
      types.set(name, body.split("\n").flatMap(readField));
    }
  }
  return types;
}

function readField(line: string): GoField[] {
  const match = /^([^`]*)`([^`]*)`/.exec(line);
  if (match === null || line.trimStart().startsWith("//")) return [];
  const [, declaration = "", tags = ""] = match;
  const protobuf = /protobuf:"[^,"]*,([0-9]+)/.exec(tags);
  const json = /json:"([^"]*)"/.exec(tags)?.[1] ?? "";
  if (protobuf === null) return [];
  const [jsonName = "", ...options] = json.split(",");
  const type = declaration.trim().split(/\s+/).at(-1) ?? "";
  return [
    {
      number: Number(protobuf[1]),
      jsonName,
      inline: options.includes("inline"),
      omitEmpty: options.includes("omitempty") || options.includes("omitzero"),
      pointer: type.startsWith("*"),
    },
  ];
}
