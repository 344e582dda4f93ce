/** Scalars by letter: string, bool, int32, int64, uint32, uint64, double, bytes. */
export type ScalarLetter = "s" | "b" | "i" | "l" | "u" | "U" | "d" | "y";

/** A message type: the fields of a Go struct, or a list that Go names. */
export interface MessageType {
  /** `k8s.io.api.apps.v1.Deployment`. */
  readonly fullName: string;
  /** True: a message with the one field `items`, which JSON has as a plain list. */
  readonly isList: boolean;
  /** Ascending by number. */
  readonly fields: readonly FieldType[];
  field(number: number): FieldType | undefined;
}

export interface FieldType {
  readonly number: number;
  /** The name in JSON. */
  readonly name: string;
  readonly repeat: "" | "list" | "map";
  /** The message type of the value; undefined for scalars. */
  readonly message: MessageType | undefined;
  readonly scalar: ScalarLetter | undefined;
  /** JSON has the fields of the message among those of the object around it. */
  readonly inline: boolean;
  /** JSON leaves out a zero, an empty text and false, which protobuf always carries. */
  readonly dropsZero: boolean;
}

/** Finds message types. */
export interface ProtobufSchema {
  /** The type of a kind: `apps/v1`, `Deployment`. Kinds of meta/v1, such as DeleteOptions, are found in every group. */
  kind(apiVersion: string, kind: string): MessageType | undefined;
}

const metaPackage = "k8s.io.apimachinery.pkg.apis.meta.v1";

/**
 * Reads a table of message types lazily: its lines are indexed at once, a type is built when it is first used.
 *
 * A line `@k8s.io.api.apps.v1 apps/v1` starts a package and gives the apiVersion of its kinds (`-` for none). A line
 * `Deployment 1metadata:35.ObjectMeta 3replicas:i` is a message: its name, then for each field number and name, and after
 * the colon a scalar's letter or a message's name, with its package's place in the table if that is another one. Signs behind
 * it: `+` list, `%` map from texts, `^` inline, `?` drops zeros. `[]` behind the message's name marks a list type.
 */
export function readProtobufTable(table: string): ProtobufSchema {
  const packages: string[] = [];
  const lines = new Map<string, { readonly line: string; readonly packageName: string }>();
  const kinds = new Map<string, string>();
  let apiVersion = "-";
  for (const line of table.split("\n")) {
    const [head = "", version = "-"] = line.split(" ", 2);
    if (head.startsWith("@")) {
      packages.push(head.slice(1));
      apiVersion = version;
    } else if (head !== "") {
      const packageName = packages.at(-1) ?? "";
      lines.set(`${packageName}.${head}`, { line, packageName });
      if (apiVersion !== "-") kinds.set(`${apiVersion} ${head}`, `${packageName}.${head}`);
    }
  }
  const built = new Map<string, LazyMessage>();
  const message = (fullName: string): MessageType | undefined => {
    const known = built.get(fullName);
    const found = lines.get(fullName);
    if (known !== undefined || found === undefined) return known;
    const resolve = (type: string): MessageType | undefined => {
      const [first = "", name] = type.split(".", 2);
      return message(
        name === undefined ? `${found.packageName}.${first}` : `${packages[Number(first)]}.${name}`,
      );
    };
    const made = new LazyMessage(fullName, found.line, resolve);
    built.set(fullName, made);
    return made;
  };
  return {
    kind: (version, kind) => message(kinds.get(`${version} ${kind}`) ?? `${metaPackage}.${kind}`),
  };
}

class LazyMessage implements MessageType {
  readonly fullName: string;
  readonly isList: boolean;
  readonly #parts: readonly string[];
  readonly #resolve: (type: string) => MessageType | undefined;
  #fields: readonly FieldType[] | undefined;
  #byNumber: ReadonlyMap<number, FieldType> | undefined;

  constructor(fullName: string, line: string, resolve: (type: string) => MessageType | undefined) {
    const [, ...parts] = line.split(" ");
    this.fullName = fullName;
    this.isList = parts[0] === "[]";
    this.#parts = this.isList ? parts.slice(1) : parts;
    this.#resolve = resolve;
  }

  get fields(): readonly FieldType[] {
    this.#fields ??= this.#parts
      .map((part) => readField(part, this.#resolve))
      .sort((a, b) => a.number - b.number);
    return this.#fields;
  }

  field(number: number): FieldType | undefined {
    this.#byNumber ??= new Map(this.fields.map((field) => [field.number, field]));
    return this.#byNumber.get(number);
  }
}

const scalarLetters: ReadonlySet<string> = new Set(["s", "b", "i", "l", "u", "U", "d", "y"]);
const fieldForm = /^([0-9]+)([^:]+):([\w.]+)([+%]?)(\^?)(\??)$/;

function readField(text: string, resolve: (type: string) => MessageType | undefined): FieldType {
  const match = fieldForm.exec(text);
  if (match === null) throw new Error(`not a field of the protobuf table: ${text}`);
  const [, number, name = "", type = "", repeat, inline, dropsZero] = match;
  const scalar = scalarLetters.has(type) ? (type as ScalarLetter) : undefined;
  const message = scalar === undefined ? resolve(type) : undefined;
  if (scalar === undefined && message === undefined)
    throw new Error(`no message ${type} in the protobuf table`);
  return {
    number: Number(number),
    name,
    repeat: repeat === "+" ? "list" : repeat === "%" ? "map" : "",
    message,
    scalar,
    inline: inline === "^",
    dropsZero: dropsZero === "?",
  };
}
