/** Reads what Kubernetes' generated.proto files consist of: one package of flat messages in proto2. */

export interface ProtoPackage {
  /** `k8s.io.api.apps.v1`. */
  readonly name: string;
  readonly messages: readonly ProtoMessage[];
}

export interface ProtoMessage {
  readonly name: string;
  readonly fields: readonly ProtoField[];
}

export interface ProtoField {
  readonly number: number;
  readonly name: string;
  /** A letter for scalars (`scalarLetters`), otherwise the message's name, with its package if that is another one. */
  readonly type: string;
  readonly scalar: boolean;
  /** `+` for repeated fields, `%` for maps from strings. */
  readonly repeat: "" | "+" | "%";
}

const scalarLetters: Readonly<Record<string, string>> = {
  string: "s",
  bool: "b",
  int32: "i",
  int64: "l",
  uint32: "u",
  uint64: "U",
  double: "d",
  bytes: "y",
};

const fieldForm =
  /^\s*(?:(optional|repeated)\s+)?(map<\s*string\s*,\s*([.\w]+)\s*>|[.\w]+)\s+(\w+)\s*=\s*([0-9]+)\s*;/;

/** @throws Error for a line that is no field */
export function readProto(text: string): ProtoPackage {
  const name = /^package\s+([\w.]+);/m.exec(text)?.[1];
  if (name === undefined) throw new Error("a .proto file without a package");
  const messages: { name: string; fields: ProtoField[] }[] = [];
  let open: { name: string; fields: ProtoField[] } | undefined;
  for (const line of text.split("\n")) {
    const start = /^message\s+(\w+)\s*\{/.exec(line);
    if (start !== null) {
      open = { name: start[1] ?? "", fields: [] };
      messages.push(open);
    } else if (line.startsWith("}")) open = undefined;
    else if (open !== undefined && !/^\s*(\/\/.*)?$/.test(line)) open.fields.push(readField(line));
  }
  return { name, messages };
}

function readField(line: string): ProtoField {
  const match = fieldForm.exec(line);
  if (match === null) throw new Error(`not a field: ${line}`);
  const [, label, whole = "", mapValue, name = "", number] = match;
  const type = (mapValue ?? whole).replace(/^\./, "");
  const letter = scalarLetters[type];
  const repeat = mapValue === undefined ? (label === "repeated" ? "+" : "") : "%";
  return { number: Number(number), name, type: letter ?? type, scalar: letter !== undefined, repeat };
}
